"""Harbor itself on exported tasks."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from consumers.environments import consumer

from featuredel import tables
from featuredel.export.harbor.write import Options, write

pytestmark = pytest.mark.consumer

QUIET = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
"""Or it asks the network for prices of models."""


@pytest.fixture(scope="session")
def python() -> Path:
    return consumer("harbor", oldest=(3, 12))


@pytest.fixture(scope="session")
def tasks(dataset: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("harbor") / "tasks"
    write(tables.read_tasks(dataset), dataset, directory, Options())
    return directory


def harbor(python: Path, *arguments: str) -> str:
    done = subprocess.run(
        [str(python.with_name("harbor")), *arguments],
        env={**os.environ, **QUIET}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_linter_finds_nothing(python: Path, tasks: Path) -> None:
    directories = [str(path.parent) for path in tasks.glob("*/task.toml")]
    assert directories
    assert json.loads(harbor(python, "lint", "--select", "ALL", "--json", *directories)) == []


def test_its_linter_finds_what_is_wrong(
    python: Path, tasks: Path, dataset: str, tmp_path: Path
) -> None:
    one = next(iter(tables.read_tasks(dataset)))
    (made,) = write([one], dataset, tmp_path / "out", Options(base_image="python:3")).directories
    arguments = ["lint", "--select", "ALL", "--json", str(made)]
    with pytest.raises(AssertionError, match="unpinned-image"):
        harbor(python, *arguments)


def test_each_loads_as_a_task(python: Path, tasks: Path, dataset: str) -> None:
    script = Path(__file__).with_name("harbor_loads.py")
    done = subprocess.run(
        [str(python), str(script), str(tasks)],
        env={**os.environ, **QUIET}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    statements = [row.statement_full for row in tables.read_tasks(dataset) if row.statement_full]
    assert len(told) == len(statements)
    for one in told:
        assert one["valid"] and one["same"] and one["mode"] == "separate"
        assert any(one["instruction"].startswith(text.rstrip()) for text in statements)
