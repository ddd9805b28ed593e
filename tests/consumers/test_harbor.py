"""Harbor itself on exported tasks."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from consumers.environments import consumer
from consumers.harbor_runs import Trial, harbor, loaded, one_of_each, trials
from toy_dataset import have_environment

from featuredel import tables
from featuredel.export.harbor.write import Options, write

pytestmark = pytest.mark.consumer

Run = Callable[[str], list[Trial]]


@pytest.fixture(scope="session")
def python() -> Path:
    return consumer("harbor", oldest=(3, 12))


@pytest.fixture(scope="session")
def tasks(dataset: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("harbor") / "tasks"
    write(tables.read_tasks(dataset), dataset, directory, Options())
    return directory


@pytest.fixture(scope="session")
def few(dataset: str, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return a task of each repository."""
    directory = tmp_path_factory.mktemp("harbor") / "few"
    return list(write(one_of_each(dataset), dataset, directory, Options()).directories)


@pytest.fixture(scope="session")
def work(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Return what tells the environment where toys have theirs, which is that of these tests."""
    if "FEATUREDEL_DATA" in os.environ:
        return ()
    return ("--ek", f"work={have_environment(tmp_path_factory.mktemp('work'))}")


@pytest.fixture(scope="session")
def run(
    python: Path, few: list[Path], work: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> Run:
    """Return what lets an agent try each of the few tasks in the bubblewrap environment."""
    jobs = tmp_path_factory.mktemp("jobs")

    def tried(agent: str) -> list[Trial]:
        found = trials(python, few, agent, jobs, *work)
        assert len(found) == len(few)
        return found

    return tried


def rewards(found: list[Trial]) -> dict[str, float]:
    assert not [trial for trial in found if trial.exception]
    return {trial.task: trial.rewards["reward"] for trial in found}


def test_its_linter_finds_nothing(python: Path, tasks: Path) -> None:
    directories = [str(path.parent) for path in tasks.glob("*/task.toml")]
    assert directories
    assert json.loads(harbor(python, "lint", "--select", "ALL", "--json", *directories)) == []


def test_its_linter_finds_what_is_wrong(
    python: Path, tasks: Path, dataset: str, tmp_path: Path
) -> None:
    one = next(iter(tables.read_tasks(dataset)))
    (made,) = write([one], dataset, tmp_path / "out", Options(base_image="python:3")).directories
    with pytest.raises(AssertionError, match="unpinned-image"):
        harbor(python, "lint", "--select", "ALL", "--json", str(made))


def test_each_loads_as_a_task(python: Path, tasks: Path, dataset: str) -> None:
    told = loaded(python, tasks)
    statements = [row.statement_full for row in tables.read_tasks(dataset) if row.statement_full]
    assert len(told) == len(statements)
    for one in told:
        assert one["valid"] and one["same"] and one["mode"] == "separate"
        assert any(one["instruction"].startswith(text.rstrip()) for text in statements)


def test_the_oracle_earns_one(run: Run) -> None:
    found = run("oracle")
    assert set(rewards(found).values()) == {1.0}
    assert all(trial.rewards == {"reward": 1.0, "f2p": 1.0, "p2p": 1.0} for trial in found)


def test_nothing_earns_nothing(run: Run) -> None:
    assert set(rewards(run("nop")).values()) == {0.0}


def test_a_planted_verifier_gives_nothing(run: Run) -> None:
    assert set(rewards(run("harbor_agents:Plant")).values()) == {0.0}


def test_a_planted_verifier_takes_nothing_and_code_sees_nothing_of_the_grader(run: Run) -> None:
    assert set(rewards(run("harbor_agents:PlantAndSolve")).values()) == {1.0}


def test_code_that_is_graded_writes_no_reward(run: Run) -> None:
    assert set(rewards(run("harbor_agents:Forge")).values()) == {0.0}


def test_an_empty_tree_earns_nothing(run: Run) -> None:
    assert set(rewards(run("harbor_agents:Empty")).values()) == {0.0}


def test_a_verifier_that_cannot_grade_gives_no_reward(
    python: Path, few: list[Path], work: tuple[str, ...], tmp_path: Path
) -> None:
    damaged = tmp_path / "tasks" / few[0].name
    shutil.copytree(few[0], damaged)
    shutil.rmtree(damaged / "tests" / "dataset" / "tests")  # only grading reads that
    (found,) = trials(python, [damaged], "oracle", tmp_path / "jobs", *work)
    assert (found.rewards, found.exception) == ({}, "RewardFileNotFoundError")
