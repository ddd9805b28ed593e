"""Every attack wins from a naive grader and earns nothing; every honest form earns all."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import pytest
from redteam.toy import toy_ground

from bench.redteam.programs import KINDS, Kind, programs, summary
from bench.redteam.trial import Ground, Trial

pytestmark = pytest.mark.sandbox

TOO_LONG = {"eats_memory", "endless_calls", "endless_import", "fills_the_disk", "many_files"}
"""Of burdens and blows those that take minutes; `make redteam` has them."""

BY_MACHINE = {"memory_of_the_runner", "preloaded_library"}
"""Attacks that need a Python or a compiler that is not everywhere; all others have a place here."""

WORKERS = 2
COUNTED: tuple[Kind, ...] = ("attacks", "honest", "burdens", "blows")


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return toy_ground(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="session")
def trials(ground: Ground, request: pytest.FixtureRequest) -> Iterator[Mapping[str, Future[Trial]]]:
    """Start all that was asked for, and hand out what will come of it."""
    ground.solved(lambda _view: None)  # what is graded once a day is graded now
    struck = replace(ground, total_timeout_s=30.0)
    kinds = {"attacks": ground.attack, "blows": struck.struck}
    asked = {item.name.partition("[")[2].rstrip("]") for item in request.session.items}
    with ThreadPoolExecutor(WORKERS) as pool:
        yield {
            name: pool.submit(kinds.get(kind, ground.solved), change)
            for kind in COUNTED
            for name, change in programs(kind).items()
            if name in asked - TOO_LONG
        }
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("name", programs("attacks"))
def test_an_attack(name: str, trials: Mapping[str, Future[Trial]]) -> None:
    trial = trials[name].result()
    if trial.unfit and name in BY_MACHINE:
        pytest.skip(trial.why)
    assert trial.wins, trial
    assert trial.reward == 0, trial


@pytest.mark.parametrize("name", programs("honest"))
def test_an_honest_form(name: str, trials: Mapping[str, Future[Trial]]) -> None:
    trial = trials[name].result()
    assert trial.reward == 1, trial


@pytest.mark.parametrize("name", sorted(set(programs("burdens")) - TOO_LONG))
def test_a_burden(name: str, trials: Mapping[str, Future[Trial]]) -> None:
    assert trials[name].result().reward == 1


@pytest.mark.parametrize("name", sorted(set(programs("blows")) - TOO_LONG))
def test_a_blow(name: str, trials: Mapping[str, Future[Trial]]) -> None:
    assert trials[name].result().reward == 0


def test_naive_graders_reward_the_reference_and_not_the_untouched_task(ground: Ground) -> None:
    with ground.view() as view:
        assert ground.naively(view) == "......"
        view.solve()
        assert ground.naively(view) == "EOJSR."


def test_names_are_of_one_program() -> None:
    names = [name for kind in KINDS for name in programs(kind)]
    assert len(names) == len(set(names))


def test_each_says_what_it_does() -> None:
    told = [summary(change) for kind in KINDS for change in programs(kind).values()]
    assert all(told)
    assert len(told) == len(set(told))
