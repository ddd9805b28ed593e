"""Every attack wins from a naive grader and earns nothing; every honest form earns all."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import pytest
from redteam.toy import toy_ground

from bench.redteam.programs import programs, summary
from bench.redteam.trial import Ground, Trial

pytestmark = pytest.mark.sandbox

TOO_LONG = {"eats_memory", "endless_calls", "endless_import", "fills_the_disk", "many_files"}
"""Of burdens and blows those that take minutes; `make redteam` has them."""

WORKERS = 2


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return toy_ground(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="session")
def trials(ground: Ground) -> Iterator[Mapping[tuple[str, str], Future[Trial]]]:
    """Start everything, and hand out what will come of it."""
    ground.solved(lambda _view: None)  # what is graded once a day is graded now
    struck = replace(ground, total_timeout_s=30.0)
    tries = {"attacks": ground.attack, "honest": ground.solved, "burdens": ground.solved}
    with ThreadPoolExecutor(WORKERS) as pool:
        yield {
            (kind, name): pool.submit(tries.get(kind, struck.struck), change)
            for kind in ("attacks", "honest", "burdens", "blows")
            for name, change in programs(kind).items()
            if name not in TOO_LONG
        }
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("name", programs("attacks"))
def test_an_attack(name: str, trials: Mapping[tuple[str, str], Future[Trial]]) -> None:
    trial = trials["attacks", name].result()
    if trial.unfit:
        pytest.skip(trial.why)
    assert trial.wins, trial
    assert trial.reward == 0, trial


@pytest.mark.parametrize("name", programs("honest"))
def test_an_honest_form(name: str, trials: Mapping[tuple[str, str], Future[Trial]]) -> None:
    trial = trials["honest", name].result()
    if trial.unfit:
        pytest.skip(trial.why)
    assert trial.reward == 1, trial


@pytest.mark.parametrize("name", sorted(set(programs("burdens")) - TOO_LONG))
def test_a_burden(name: str, trials: Mapping[tuple[str, str], Future[Trial]]) -> None:
    assert trials["burdens", name].result().reward == 1


@pytest.mark.parametrize("name", sorted(set(programs("blows")) - TOO_LONG))
def test_a_blow(name: str, trials: Mapping[tuple[str, str], Future[Trial]]) -> None:
    assert trials["blows", name].result().reward == 0


def test_naive_graders_reward_the_reference_and_not_the_untouched_task(ground: Ground) -> None:
    with ground.view() as view:
        assert ground.naively(view) == "......"
        view.solve()
        assert ground.naively(view) == "EOJSR."


def test_each_says_what_it_does() -> None:
    for kind in ("attacks", "limits", "honest", "burdens", "blows"):
        told = [summary(change) for change in programs(kind).values()]
        assert all(told)
        assert len(told) == len(set(told))
