"""The taskset of verifiers: vf-validate passes, and nothing of the answer is recorded."""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from consumers.environments import consumer
from consumers.programs import run
from uv import find_uv_bin

from featuredel import tables
from featuredel.api import load
from featuredel.model import Task

pytestmark = [pytest.mark.consumer, pytest.mark.sandbox]

ROOT = Path(__file__).parents[2]
TELLING = 16
"""A line of so many characters that neither the tree nor a statement holds would tell something."""

PRELUDE = """
import asyncio, contextlib, sys
import verifiers.v1 as vf
from verifiers.v1.runtimes import make_runtime
from verifiers.v1.state import state_cls
from verifiers.v1.trace import Trace, TraceTask
from featuredel_verifiers import trees
from featuredel_verifiers.taskset import FDConfig, FDTaskConfig, FDTaskset

def tasks(register):
    config = FDConfig(statement=register, task=FDTaskConfig(dataset=sys.argv[1]))
    return list(FDTaskset(config))

@contextlib.asynccontextmanager
async def solved(task):
    runtime = make_runtime(vf.SubprocessConfig(), name=f"solved-{task.data.id}")
    data = TraceTask(type=type(task).__name__, data=task.data, key=task.key, hash=task.hash)
    agent = vf.AgentInfo(config=vf.AgentConfig(runtime=runtime.config), name="x", trainable=False)
    trace = Trace(task=data, state=state_cls(type(task))(), agent=agent)
    await runtime.start()
    try:
        await task.setup(runtime)
        assert await task.validate(runtime)  # the tree in the runtime holds gold now
        yield runtime, trace
    finally:
        await runtime.stop()
"""
RECORD = """
async def record(task):
    async with solved(task) as (runtime, trace):
        await task.score(trace, runtime)
        print(trace.model_dump_json())

for register in ("full", "interface", "terse"):
    for task in tasks(register):
        print(task.data.model_dump_json())
asyncio.run(record(tasks("full")[0]))
"""
DEEDS = """
import json

async def after(task, deed):
    async with solved(task) as (runtime, trace):
        done = await runtime.run(["sh", "-c", deed], {})
        assert done.exit_code == 0, done.stderr
        await task.score(trace, runtime)
        return trace.rewards["hidden_tests"].score

async def main(task):
    harmless = "ln -s /etc/passwd out; ln -s README in; mkfifo pipe; echo > notes; mkdir empty"
    deeds = [harmless, "rm -rf .git", "mkdir -p .featuredel.tar/x", "rm -rf ./*"]
    print(json.dumps([await after(task, deed) for deed in deeds]))

asyncio.run(main(tasks("full")[0]))
"""
TOO_MUCH = """
async def main(task):
    async with solved(task) as (runtime, trace):
        trees.MAX_TREE_BYTES = 100
        await task.score(trace, runtime)
        print(trace.rewards["hidden_tests"].score)

asyncio.run(main(tasks("full")[0]))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the taskset is installed."""
    target = tmp_path_factory.mktemp("site")
    command = [
        find_uv_bin(), "pip", "install", "--quiet", "--no-cache", "--no-deps",
        "--no-build-isolation", "--python", str(consumer("verifiers")), "--target", str(target),
        str(ROOT / "integrations" / "verifiers"),
    ]  # fmt: skip
    run(command)
    return target


def python(
    arguments: list[str], site: Path, grading: dict[str, str], folder: Path
) -> subprocess.CompletedProcess[str]:
    """Run the Python that has verifiers and the taskset."""
    paths = os.pathsep.join([str(site), str(ROOT)])
    variables = {"PYTHONPATH": paths, "HF_HUB_OFFLINE": "1", **grading}
    return run([consumer("verifiers"), *arguments], variables, folder)


def telling(task: Task, seen: str) -> set[str]:
    """Return the lines of gold and of hidden tests, and the ids of F2P, that nobody was told."""
    gold = re.findall(r"^\+(?!\+\+)(.+)$", task.gold_patch.decode(), re.MULTILINE)
    hidden = [file.content.decode("utf-8", "replace").splitlines() for file in task.hidden_files]
    lines = {line.strip() for line in [*gold, *(line for lines in hidden for line in lines)]}
    return {line for line in lines if len(line) >= TELLING and line not in seen} | set(task.f2p)


def solvers_texts(dataset: str, task_id: str, folder: Path) -> str:
    """Return all that a solver of a task with hidden tests reads."""
    task = load(dataset)[task_id]
    task.materialize(folder / task_id, "full" if "full" in task.registers else "interface")
    files = [path for path in (folder / task_id).rglob("*") if path.is_file()]
    texts = [task.statement(register) for register in task.registers]
    return "\n".join([*texts, *(path.read_bytes().decode("utf-8", "replace") for path in files)])


def _strings(value: Any) -> Iterator[str]:
    """Yield every text in what JSON holds, as it was before it was escaped."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from (key, *_strings(one))
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def test_gold_passes_and_the_untouched_task_fails(
    dataset: str,
    grading: dict[str, str],
    site: Path,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    script = str(consumer("verifiers").with_name("vf-validate"))
    words = ["--taskset.task.dataset", dataset, "--runtime.type", "subprocess", "--no-rich"]
    arguments = [script, "featuredel-verifiers", *words, "-o", "out", "-c", "2"]
    printed = python(arguments, site, grading, tmp_path)
    (results,) = (tmp_path / "out").rglob("results.jsonl")
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    of = {row["name"]: row["name"].rpartition("-")[0] for row in rows}
    gold = [[of[row["name"]], float(row["gold"]["valid"] is True)] for row in rows]
    record_property("gold", json.dumps(gold))
    record_property("no-op", json.dumps([[of[r["name"]], r["noop"]["reward"]] for r in rows]))
    tasks = [task for task in tables.read_tasks(dataset) if task.statement_full is not None]
    names = sorted(f"{task.repository}-{task.task_id}" for task in tasks)
    assert sorted(row["name"] for row in rows) == names and names
    assert [row for row in rows if row["reason"] != "valid"] == []
    assert {row["gold"]["reason"] for row in rows} == {"valid"}
    assert {row["noop"]["reward"] for row in rows} == {0.0}
    recorded = [path.read_text() for path in (tmp_path / "out").rglob("*") if path.is_file()]
    everything = "\n".join([*recorded, printed.stdout, printed.stderr])
    for task in tasks:
        lines = telling(task, solvers_texts(dataset, task.task_id, tmp_path))
        assert len(lines) > len(task.f2p)
        forms = {form for line in lines for form in (line, json.dumps(line)[1:-1])}
        assert not [form for form in forms if form in everything]


def test_no_record_holds_hidden_tests_or_gold(
    dataset: str, grading: dict[str, str], site: Path, tmp_path: Path
) -> None:
    printed = python(["-c", PRELUDE + RECORD, dataset], site, grading, tmp_path).stdout
    *told, trace = [json.loads(line) for line in printed.splitlines()]
    assert trace["task"]["data"]["id"] in {one["id"] for one in told}
    assert trace["rewards"]["hidden_tests"]["score"] == 1.0
    for task in tables.read_tasks(dataset):
        # a statement of another task may show what is hidden in this one
        records = [one for one in told if one["id"] == task.task_id]
        if trace["task"]["data"]["id"] == task.task_id:
            records.append(trace)
        recorded = "\n".join(_strings(records))
        lines = telling(task, solvers_texts(dataset, task.task_id, tmp_path))
        assert records and len(lines) > len(task.f2p)
        assert not [line for line in lines if line in recorded]


def test_what_else_lies_in_the_tree_costs_nothing_and_no_tree_earns_nothing(
    dataset: str, grading: dict[str, str], site: Path, tmp_path: Path
) -> None:
    printed = python(["-c", PRELUDE + DEEDS, dataset], site, grading, tmp_path).stdout
    assert json.loads(printed) == [1.0, 1.0, 1.0, 0.0]


def test_a_tree_too_large_to_look_at_earns_nothing(
    dataset: str, grading: dict[str, str], site: Path, tmp_path: Path
) -> None:
    printed = python(["-c", PRELUDE + TOO_MUCH, dataset], site, grading, tmp_path).stdout
    assert json.loads(printed) == 0.0
