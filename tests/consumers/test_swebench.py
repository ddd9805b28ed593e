"""SWE-bench: its own code reads the rows, and judges real runs of their scripts."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from consumers.environments import consumer
from engine import docker_engine
from toy_dataset import have_environment, have_small_environment

from bench.swebench.trial import ask, faults, judged
from featuredel import tables
from featuredel.export.swebench import Exported, Instance, export, write
from featuredel.languages.python.printed import PARSER, reads_back
from featuredel.model import TestId
from featuredel.tasks.image import image
from featuredel.tasks.predictions import read_predictions
from featuredel.tasks.read import read
from featuredel.tasks.workplace import Workplace, work_directory

pytestmark = pytest.mark.network
TOYS = "FEATUREDEL_DATA" not in os.environ

ODD = [
    "t.py::t[a b]", "t.py::t[a  b]", "t.py::t[ ]", "t.py::t[ a]", "t.py::t[a - b]", "t.py::t[a-b]",
    "t.py::t[x\\ny]", "t.py::t[5m]", "t.py::t[a[31mb]", "t.py::t[]", "t.py::t[[]", "t.py::t[ü]",
    "t.py::T::t[PASSED]", "t.py::t[x FAILED]", "a b/t.py::t", "t.py::t[\x1b]", "t.py::t[\u3000]",
    "t.py::t[a", "t.py::t[a]",
]  # fmt: skip


@pytest.fixture(scope="session")
def swebench() -> Path:
    return consumer("swebench")


@pytest.fixture(scope="session")
def exported(dataset: str) -> list[Exported]:
    return list(export(dataset, "full"))


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workplace]:
    work = have_environment(tmp_path_factory.mktemp("work")) if TOYS else None
    opened = Workplace.open("bubblewrap", work=work)
    with closing(opened.sandbox):
        yield opened


@pytest.mark.sandbox
def test_gold_is_resolved_and_no_answer_is_not(
    dataset: str, exported: list[Exported], place: Workplace, swebench: Path, tmp_path: Path
) -> None:
    rows = _rows(exported)
    verdicts = judged(dataset, rows, "full", place, swebench, tmp_path)
    assert list(verdicts) == [row.instance_id for row in rows]
    assert [f for row in rows for f in faults(row, verdicts[row.instance_id])] == []


def test_both_files_hold_the_same_rows(
    exported: list[Exported], swebench: Path, tmp_path: Path
) -> None:
    rows = _rows(exported)
    for name in ("rows.parquet", "rows.jsonl"):
        write(str(tmp_path / name), rows)
    told = [ask(swebench, tmp_path, "-c", _LOAD, name) for name in ("rows.parquet", "rows.jsonl")]
    assert told[0] == told[1]
    assert len(json.loads(told[0])) == len(rows)


def test_ids_are_known_as_the_parser_reads_them(
    dataset: str, swebench: Path, tmp_path: Path
) -> None:
    f2p = [test for task in tables.read_tasks(dataset) for test in task.f2p]
    tests = [*ODD, *f2p, *(row[0] for row in tables.read_columns(dataset, "tests", ["id"]))]
    said = ask(swebench, tmp_path, "-c", _PARSE, PARSER, stdin=json.dumps(tests))
    known = [reads_back(TestId(test), ()) for test in tests]
    assert dict(zip(tests, json.loads(said), strict=True)) == dict(zip(tests, known, strict=True))
    assert len(set(known)) == 2


def test_one_file_of_predictions_serves_both(
    dataset: str, exported: list[Exported], swebench: Path, tmp_path: Path
) -> None:
    file = _predictions(tmp_path, {row.instance_id: row.patch for row in _rows(exported)})
    known = [task.task_id for task in tables.read_tasks(dataset)]
    ours = [[one.instance_id, one.patch] for one in read_predictions(file, known)]
    assert json.loads(ask(swebench, tmp_path, "-c", _PREDICTIONS, str(file))) == ours


@pytest.mark.consumer
@pytest.mark.docker
def test_the_harness_runs_a_task_in_its_image(
    dataset: str, exported: list[Exported], swebench: Path, tmp_path: Path
) -> None:
    row = _rows(exported)[0]
    write(str(tmp_path / "rows.parquet"), [row])
    wrong = _predictions(tmp_path, {row.instance_id: _NOTE})
    work = have_small_environment(tmp_path / "work") if TOYS else work_directory()
    with docker_engine():
        made = image(read(dataset, row.instance_id), dataset, "", work, "full")
        assert made.name == row.image
        assert _resolved(swebench, tmp_path, "gold", "gold") == ([row.instance_id], [])
        assert _resolved(swebench, tmp_path, str(wrong), "m") == ([], [row.instance_id])


def _rows(exported: list[Exported]) -> list[Instance]:
    rows = [one.instance for one in exported if one.instance]
    assert rows
    return rows


def _predictions(folder: Path, patches: Mapping[str, str]) -> Path:
    """Write a file of predictions by the model `m`."""
    lines = [
        json.dumps({"instance_id": task, "model_name_or_path": "m", "model_patch": patch})
        for task, patch in patches.items()
    ]
    file = folder / "predictions.jsonl"
    file.write_text("\n".join(lines))
    return file


def _resolved(
    swebench: Path, folder: Path, predictions: str, model: str
) -> tuple[list[str], list[str]]:
    """Return which tasks the harness says are resolved, and which are not."""
    ask(
        swebench, folder, "-m", "swebench.harness.run_evaluation", "--max_workers", "1",
        "--dataset_name", "rows.parquet", "--predictions_path", predictions, "--run_id", "run",
    )  # fmt: skip
    report = json.loads((folder / f"{model}.run.json").read_text())
    return report["resolved_ids"], report["unresolved_ids"]


_NOTE = """\
diff --git a/note.txt b/note.txt
new file mode 100644
--- /dev/null
+++ b/note.txt
@@ -0,0 +1 @@
+to do
"""
_LOAD = """
import json, sys
from swebench.harness.utils import load_swebench_dataset
print(json.dumps(load_swebench_dataset(sys.argv[1])))
"""
_PARSE = """
import json, sys
from swebench.harness.log_parsers import PARSER_REGISTRY
parse = PARSER_REGISTRY[sys.argv[1]]
print(json.dumps([parse(f"PASSED {t}", None) == {t: "PASSED"} for t in json.load(sys.stdin)]))
"""
_PREDICTIONS = """
import json, sys
from swebench.harness.utils import get_predictions_from_file
found = get_predictions_from_file(sys.argv[1], "", "test")
print(json.dumps([[one["instance_id"], one["model_patch"]] for one in found]))
"""
