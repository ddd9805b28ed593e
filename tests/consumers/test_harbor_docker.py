"""Exported tasks in Harbor's own Docker environment."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from consumers.environments import consumer
from consumers.harbor_docker import base_image
from consumers.harbor_runs import Trial, one_of_each, trials

from featuredel.export.harbor.write import Options, write

pytestmark = [
    pytest.mark.consumer,
    pytest.mark.docker,
    pytest.mark.skipif(
        "FEATUREDEL_DATA" not in os.environ, reason="the toys' environment has no lock to build"
    ),
]


@pytest.fixture(scope="module")
def python() -> Path:
    return consumer("harbor", oldest=(3, 12))


@pytest.fixture(scope="module")
def few(dataset: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    """Yield a task of each repository."""
    with base_image(dataset) as base:
        # Harbor takes a network away by an image of its own, which comes from a registry
        options = Options(base_image=base, network="public")
        directory = tmp_path_factory.mktemp("harbor") / "few"
        yield list(write(one_of_each(dataset), dataset, directory, options).directories)


@pytest.fixture(scope="module")
def run(
    python: Path, few: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], dict[str, float]]:
    jobs = tmp_path_factory.mktemp("jobs")

    def tried(agent: str) -> dict[str, float]:
        found: list[Trial] = trials(python, few, agent, jobs, environment="docker")
        assert len(found) == len(few) and not [trial for trial in found if trial.exception]
        return {trial.task: trial.rewards["reward"] for trial in found}

    return tried


@pytest.mark.parametrize(
    "agent, earned",
    [
        ("oracle", 1.0),
        ("nop", 0.0),
        ("harbor_agents:Plant", 0.0),
        ("harbor_agents:PlantAndSolve", 1.0),
        ("harbor_agents:Forge", 0.0),
    ],
)
def test_rewards(run: Callable[[str], dict[str, float]], agent: str, earned: float) -> None:
    assert set(run(agent).values()) == {earned}
