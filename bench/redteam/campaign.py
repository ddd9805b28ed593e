"""Everything the red team has, on some tasks, and what of it is a fault."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

from bench.redteam.programs import KINDS, Kind, programs
from bench.redteam.trial import Ground, Trial
from featuredel.model import Register
from featuredel.scratch import scratch_directory

MIN_ATTACKS = 40
"""So many have to win from a naive grader on each task."""

BLOW_TIMEOUT_S = 30.0
"""What ends a run need not have a quarter of an hour to do so."""

EARNED: Mapping[Kind, float] = {"honest": 1.0, "burdens": 1.0, "blows": 0.0, "attacks": 0.0}
"""What each program of a kind must earn from the real grader; limits are shown only."""

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Round:
    """What came of everything on one task."""

    name: str  # of the task
    trials: Mapping[Kind, Mapping[str, Trial]]
    gold: tuple[Trial, ...]  # again and again, as directory and diff, in each register
    untouched: str  # what naive graders give the task as it is, and for the reference
    solved: str

    @property
    def counted(self) -> int:
        """How many attacks a naive grader rewards."""
        return sum(trial.wins for trial in self.trials["attacks"].values())


def fight(ground: Ground, repeats: int, workers: int, told: Told) -> Round:
    """Try all programs on a task, and the reference `repeats` times."""
    name = f"{ground.task.repository} {ground.task.task_id[:8]}"
    with ThreadPoolExecutor(workers) as pool:
        with ground.view() as view:
            untouched = ground.naively(view)
            view.solve()
            solved = ground.naively(view)
        gold = tuple(pool.map(lambda number: _gold(ground, number), range(repeats)))
        told(f"{name}: the reference {sum(trial.reward == 1 for trial in gold)}/{repeats}")
        trials: dict[Kind, Mapping[str, Trial]] = {}
        for kind in KINDS:
            found = programs(kind)
            tried = pool.map(partial(_tried, ground, kind), found.values())
            trials[kind] = dict(zip(found, _each(name, kind, found, tried, told), strict=True))
    return Round(name, trials, gold, untouched, solved)


def _each(
    task: str, kind: Kind, names: Mapping[str, object], tried: Iterator[Trial], told: Told
) -> Iterator[Trial]:
    for name, trial in zip(names, tried, strict=True):
        told(f"{task}: {kind} {name} {trial.naive} {trial.reward} {trial.why}")
        yield trial


def _tried(ground: Ground, kind: Kind, change: Callable[..., None]) -> Trial:
    if kind in ("attacks", "limits"):
        return ground.attack(change)
    if kind == "blows":
        return replace(ground, total_timeout_s=BLOW_TIMEOUT_S).struck(change)
    return ground.solved(change)


def _gold(ground: Ground, number: int) -> Trial:
    """Grade the reference: as a diff or a tree, in one of the registers that the task has."""
    task = ground.task
    statements: Mapping[Register, str | None] = {
        "terse": task.statement_terse, "full": task.statement_full,
        "interface": task.statement_interface,
    }  # fmt: skip
    offered = [register for register, text in statements.items() if text is not None]
    if number % 2:
        return ground.solved(lambda _view: None, offered[number // 2 % len(offered)])
    with scratch_directory(ground.work) as place:
        diff = place / "gold.patch"
        diff.write_bytes(task.gold_patch)
        return ground.earned(diff)


def faults(rounds: Sequence[Round]) -> Iterator[str]:
    """Yield what must not be."""
    for one in rounds:
        for kind, wanted in EARNED.items():
            for name, trial in one.trials[kind].items():
                if trial.reward != wanted and not trial.unfit:
                    yield f"{one.name}: {kind} {name} earns {trial.reward}; {trial.why}"
        failed = [trial for trial in one.gold if trial.reward != 1]
        if failed:
            yield f"{one.name}: the reference fails {len(failed)}/{len(one.gold)}; {failed[0].why}"
        if one.untouched.strip("."):
            yield f"{one.name}: a naive grader rewards the untouched task: {one.untouched}"
        if one.counted < MIN_ATTACKS:
            yield f"{one.name}: only {one.counted} attacks win from a naive grader"
    for name in rounds[0].trials["attacks"] if rounds else ():
        if not any(one.trials["attacks"][name].wins for one in rounds):
            yield f"attacks {name}: wins from no naive grader on any task"
    for name in rounds[0].trials["honest"] if rounds else ():
        if all(one.trials["honest"][name].unfit for one in rounds):
            yield f"honest {name}: has no place in any task"
