"""SWE-bench: its own code reads the rows, and judges real runs of their scripts."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from consumers.environments import consumer
from toy_dataset import have_environment

from bench.swebench.trial import faults, judged
from featuredel import tables
from featuredel.export.swebench import Exported, export, write
from featuredel.languages.python.printed import PARSER, reads_back
from featuredel.model import TestId
from featuredel.tasks.predictions import read_predictions
from featuredel.tasks.workplace import Workplace

pytestmark = [pytest.mark.network]

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
    toys = "FEATUREDEL_DATA" not in os.environ
    work = have_environment(tmp_path_factory.mktemp("work")) if toys else None
    opened = Workplace.open("bubblewrap", work=work)
    with closing(opened.sandbox):
        yield opened


@pytest.mark.sandbox
def test_gold_is_resolved_and_no_answer_is_not(
    dataset: str, exported: list[Exported], place: Workplace, swebench: Path, tmp_path: Path
) -> None:
    rows = [one.instance for one in exported if one.instance]
    assert rows
    verdicts = judged(dataset, rows, "full", place, swebench, tmp_path)
    assert list(verdicts) == [row.instance_id for row in rows]
    assert [f for row in rows for f in faults(row, verdicts[row.instance_id])] == []


def test_both_files_hold_the_same_rows(
    exported: list[Exported], swebench: Path, tmp_path: Path
) -> None:
    rows = [one.instance for one in exported if one.instance]
    for name in ("rows.parquet", "rows.jsonl"):
        write(str(tmp_path / name), rows)
    told = [_python(swebench, _LOAD, str(tmp_path / n)) for n in ("rows.parquet", "rows.jsonl")]
    assert told[0] == told[1]
    assert len(json.loads(told[0])) == len(rows)


def test_ids_are_known_as_the_parser_reads_them(
    dataset: str, exported: list[Exported], swebench: Path
) -> None:
    f2p = [test for task in tables.read_tasks(dataset) for test in task.f2p]
    tests = [*ODD, *f2p, *(row[0] for row in tables.read_columns(dataset, "tests", ["id"]))]
    read = json.loads(_python(swebench, _PARSE, PARSER, stdin=json.dumps(tests)))
    known = [reads_back(TestId(test), ()) for test in tests]
    assert dict(zip(tests, read, strict=True)) == dict(zip(tests, known, strict=True))


def test_one_file_of_predictions_serves_both(
    dataset: str, exported: list[Exported], swebench: Path, tmp_path: Path
) -> None:
    rows, file = [one.instance for one in exported if one.instance], tmp_path / "p.jsonl"
    file.write_text(
        "".join(
            json.dumps(
                {
                    "instance_id": row.instance_id,
                    "model_name_or_path": "m",
                    "model_patch": row.patch,
                }
            )
            + "\n"
            for row in rows
        )
    )
    known = [task.task_id for task in tables.read_tasks(dataset)]
    ours = [[one.instance_id, one.patch] for one in read_predictions(file, known)]
    assert json.loads(_python(swebench, _PREDICTIONS, str(file))) == ours


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


def _python(swebench: Path, code: str, *arguments: str, stdin: str = "") -> str:
    argv = [str(swebench), "-c", code, *arguments]
    done = subprocess.run(argv, input=stdin, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
