"""Runs an example of `examples/` with prompts of a dataset and answers to them."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from consumers.environments import consumer

from featuredel import tables
from featuredel.export.prompts import write_prompts

ROOT = Path(__file__).parents[2]
TORCH = "torch==2.13.0"
CONTEXT_CHARS = 32_000  # takes in a task of each project of repos.yaml, and the model reads it soon


def write_scene(dataset: str, folder: Path) -> tuple[Path, Path]:
    """Write a prompt of each repository, and a file with the gold patches as answers."""
    prompts, answers = folder / "prompts.parquet", folder / "answers.jsonl"
    write_prompts(dataset, str(prompts), "full", CONTEXT_CHARS)
    table = pq.read_table(prompts)
    first: dict[str, int] = {}
    for place, source in enumerate(table["data_source"].to_pylist()):
        first.setdefault(source, place)
    chosen = table.take(list(first.values())) if len(first) > 1 else table
    pq.write_table(chosen, prompts)
    ids = [row["task_id"] for row in chosen["extra_info"].to_pylist()]
    lines = [
        {
            "instance_id": t.task_id,
            "model_name_or_path": "gold",
            "model_patch": t.gold_patch.decode(),
        }
        for t in tables.read_tasks(dataset)
        if t.task_id in ids
    ]
    answers.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return prompts, answers


def run_example(
    name: str, arguments: list[str | Path], folder: Path, variables: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Run an example beside TRL and VeRL, and return the JSON lines that it prints itself."""
    python = consumer("trainers", beside=(TORCH,))
    done = subprocess.run(
        [python, ROOT / "examples" / name, *arguments],
        cwd=folder, capture_output=True, text=True,
        env={
            **os.environ, **variables, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1",
            "HF_HOME": str(folder / "hf"),
        },
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"')]
