"""Runs an example of `examples/` with prompts of a dataset and answers to them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from consumers.environments import consumer
from consumers.programs import run

from featuredel import tables
from featuredel.export.prompts import write_prompts

ROOT = Path(__file__).parents[2]
TORCH = "torch==2.13.0"


def write_scene(
    dataset: str,
    folder: Path,
    context_chars: int,
    *,
    one_a_repository: bool = False,
    shell: bool = False,
) -> tuple[Path, dict[str, str]]:
    """Write prompts, and the gold patch of each as an answer, to a folder.

    Returns the prompts, and the repository of each task. The answers are in `answers.jsonl`.
    """
    prompts = folder / "prompts.parquet"
    write_prompts(dataset, str(prompts), "full", context_chars, shell=shell)
    table = pq.read_table(prompts)
    sources = table["data_source"].to_pylist()
    if one_a_repository and len(set(sources)) > 1:
        table = table.take([sources.index(source) for source in dict.fromkeys(sources)])
        pq.write_table(table, prompts)
    asked = {row["task_id"]: row["repository"] for row in table["extra_info"].to_pylist()}
    answers = [
        {
            "instance_id": t.task_id,
            "model_name_or_path": "gold",
            "model_patch": t.gold_patch.decode(),
        }
        for t in tables.read_tasks(dataset)
        if t.task_id in asked
    ]
    lines = "".join(f"{json.dumps(answer)}\n" for answer in answers)
    (folder / "answers.jsonl").write_text(lines, "utf-8")
    return prompts, asked


def run_example(
    name: str, arguments: list[str], folder: Path, variables: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Run an example beside TRL and VeRL, and return the JSON lines that it prints itself."""
    python = consumer("trainers", beside=(TORCH,))
    done = run(
        [python, ROOT / "examples" / name, *arguments],
        {
            **variables, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1",
            "HF_HOME": str(folder / "hf"), "OMP_NUM_THREADS": "1",
        },
        folder,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"')]
