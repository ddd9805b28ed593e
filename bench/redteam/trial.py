"""One task, set up once, and what a change of its tree earns from both kinds of grader."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.redteam.naive import grade_naively
from bench.redteam.programs import Change, tries
from bench.redteam.view import Unfit, View
from featuredel import trees
from featuredel.errors import FeaturedelError, UsageError
from featuredel.model import Environment, EnvironmentRow, Register, Reward, Snapshot, Task
from featuredel.patches import changed_paths
from featuredel.sandbox import Sandbox
from featuredel.scratch import scratch_directory
from featuredel.tasks.grade import grade
from featuredel.tasks.materialize import materialize
from featuredel.tasks.read import recorded_environment, unpack_snapshot


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of one change on one task."""

    reward: float | None = None  # None: no verdict, and `why` says why
    why: str = ""  # what kept the reward from it
    naive: str = ""  # a letter for each reader that rewarded it, a point for each that did not
    unfit: bool = False  # it has no place in this task

    @property
    def wins(self) -> bool:
        """Whether a naive grader rewards it."""
        return bool(self.naive.strip("."))


@dataclass(frozen=True, slots=True)
class Ground:
    """A task of a dataset on this machine."""

    task: Task
    dataset: str
    sandbox: Sandbox
    work: Path
    environment: Environment
    reference: dict[str, bytes | None]
    total_timeout_s: float = 900.0

    @contextlib.contextmanager
    def view(self, register: Register = "terse") -> Iterator[View]:
        """Yield a fresh solver's tree."""
        with scratch_directory(self.work) as place:
            materialize(self.task, self.dataset, place / "solver", register)
            (place / "outside").mkdir()
            yield View(
                root=place / "solver", outside=place / "outside",
                interpreter=self.environment.prefix / "bin/python",
                package=package_of(self.task), tests=self.task.f2p,
                test_files=tuple(sorted({test.partition("::")[0] for test in self.task.f2p})),
                definitions=self.task.definitions, reference=self.reference,
            )  # fmt: skip

    def attack(self, change: Change) -> Trial:
        """Return what an attack earns from naive graders, and from the real one."""
        with self.view() as view:
            try:
                change(view)
            except Unfit as why:
                return Trial(why=str(why), unfit=True)
            number = tries(change)
            naive = max((self.naively(view) for _ in range(number)), key=_letters)
            trials = [self.earned(view.root, naive) for _ in range(number)]
            return max(trials, key=lambda trial: trial.reward or 0)

    def struck(self, change: Change) -> Trial:
        """Return what a tree earns that should end the run."""
        with self.view() as view:
            change(view)
            return self.earned(view.root)

    def solved(self, change: Change, register: Register = "terse") -> Trial:
        """Return what a reference earns that was reshaped or burdened."""
        with self.view(register) as view:
            view.solve()
            try:
                change(view)
            except Unfit as why:
                return Trial(why=str(why), unfit=True)
            return self.earned(view.root)

    def earned(self, submission: Path, naive: str = "") -> Trial:
        """Return what a directory or a diff really earns."""
        try:
            reward = self.grade(submission)
        except FeaturedelError as error:  # which is no verdict
            return Trial(None, f"{type(error).__name__}: {error}"[:200], naive)
        return Trial(reward.reward, stopped(reward), naive)

    def naively(self, view: View) -> str:
        """Return which naive graders reward a view; T is one that restores no tests."""
        restored = self._naive(view, restored=True)
        touched = any(
            not (view.root / f.path).is_file() or trees.read(view.root, f.path) != f.content
            for f in self.task.hidden_files
        )
        left = touched and bool(self._naive(view, restored=False).strip("."))
        return restored + ("T" if left else ".")

    def _naive(self, view: View, *, restored: bool) -> str:
        return grade_naively(
            view.root, view.outside, self.environment, self.sandbox, self.task.hidden_files,
            self.task.f2p, self.work, restored=restored,
        )  # fmt: skip

    def grade(self, submission: Path) -> Reward:
        """Return the real reward of a directory or a diff."""

        def ensure(_row: EnvironmentRow, _snapshot: Snapshot) -> Environment:
            return self.environment

        return grade(
            self.task, self.dataset, submission, ensure, self.sandbox, self.work,
            self.total_timeout_s,
        )  # fmt: skip


def open_ground(
    task: Task, dataset: str, sandbox: Sandbox, work: Path,
    ensure: Callable[[EnvironmentRow, Snapshot], Environment],
) -> Ground:  # fmt: skip
    """Set up a task: its environment, and the files of its reference."""
    with scratch_directory(work) as place:
        snapshot = unpack_snapshot(dataset, task, place / "snapshot")
        environment = ensure(recorded_environment(dataset, task), snapshot)
        reference = {
            path: trees.read(snapshot.root, path) if (snapshot.root / path).is_file() else None
            for path in sorted(changed_paths(task.gold_patch))
        }
    return Ground(task, dataset, sandbox, work, environment, reference)


def package_of(task: Task) -> str:
    """Return the directory of the package that a task's definitions are in."""
    sources = [definition.partition("::")[0] for definition in task.definitions]
    roots = [p for p in task.allowed_paths if p.endswith("/") and sources[0].startswith(p)]
    if not roots:
        raise UsageError(f"{task.task_id}: its definitions are in no package")
    return roots[0]


def _letters(naive: str) -> int:
    return len(naive.replace(".", ""))


def stopped(reward: Reward) -> str:
    """Say in a few words why a submission did not earn everything."""
    if reward.reward == 1:
        return ""
    broken = [control.kind for control in reward.controls if control.outcome == "broken"]
    if broken:
        return f"controls: {', '.join(broken)}"
    bad = sorted({outcome for outcome in reward.outcomes.values() if outcome != "passed"})
    count = sum(outcome != "passed" for outcome in reward.outcomes.values())
    parts = [f"{count} tests {', '.join(bad)}"]
    if reward.dropped:
        more = f" and {len(reward.dropped) - 2} more" if len(reward.dropped) > 2 else ""
        parts.insert(0, f"dropped {', '.join(reward.dropped[:2])}{more}")
    return "; ".join(parts)
