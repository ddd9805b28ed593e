"""Running tests in the sandbox, and grading: from a solver's tree to a reward.

`stages/validate.py` and `tasks/grade.py` call exactly what is here, so a task is graded as it was
validated. The tree that is graded is always built afresh: the task tree, the changes that may
cross, and every hidden test file laid over them. The solver's own tree is never run.
"""

import contextlib
import dataclasses
import random
import secrets
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from featuredel import controls, trees
from featuredel.errors import InfrastructureError
from featuredel.languages import Language
from featuredel.model import (
    Control,
    ControlResult,
    Environment,
    HiddenFile,
    Outcome,
    Reward,
    TestId,
    TestRequest,
    TestResult,
    TestRun,
)
from featuredel.sandbox import Sandbox
from featuredel.submission import submission

Edits = Mapping[str, bytes | None]
"""Files by their paths; None is no file."""

GRACE_S, CPU_GRACE_S, PATIENCE = 5.0, 1.0, 20
"""A test of a broken tree gets so much time, so much of the processor, and what it took before so
many times over: one that loops costs the second, one that waits on a busy machine has the first."""

MAX_RETRIES = 3
"""Tests that timed out are run again alone, up to this many of them."""


@dataclass(frozen=True, slots=True)
class Exam:
    """What a row says of grading."""

    hidden_files: tuple[HiddenFile, ...]
    f2p: tuple[TestId, ...]
    p2p: tuple[TestId, ...]
    allowed_paths: tuple[str, ...]
    test_timeout_s: float = 60.0
    total_timeout_s: float = 900.0
    controls: tuple[Control, ...] = ()
    usual_s: Mapping[TestId, float] = field(default_factory=dict)  # what gold takes, if known


def run_tests(
    language: Language,
    sandbox: Sandbox,
    environment: Environment,
    layers: tuple[Path, ...],
    request: TestRequest,
) -> TestRun:
    """Run the tests of the tree made of `layers` once.

    Raises `SandboxError` if the sandbox could not do its work; whatever the tests do is a result.
    """
    command = language.test_command(environment, layers, request)
    return language.test_run(request, sandbox.run(command))


def grade(
    language: Language, sandbox: Sandbox, environment: Environment,
    task_tree: Path, solver_tree: Path, exam: Exam, work: Path,
    ignored: Collection[str] = (), seed: int | None = None,
) -> Reward:  # fmt: skip
    """Return the reward of a solver's tree; `ignored` are paths in it that are not the solver's.

    What is drawn for the controls depends on `seed` alone; without one it is drawn afresh.
    Raises `InfrastructureError` if this machine could not do it; that says nothing of the solver.
    """
    hidden = [file.path for file in exam.hidden_files]
    crossing = submission(task_tree, solver_tree, exam.allowed_paths, hidden, ignored)
    seed = secrets.randbits(48) if seed is None else seed
    chance = random.Random(seed)  # noqa: S311 -- drawn from a secret
    with tempfile.TemporaryDirectory(prefix="grade-", dir=work) as scratch:
        bench = _Bench(language, sandbox, environment, task_tree, exam, Path(scratch))
        draw = controls.draw(exam.hidden_files, exam.controls, exam.f2p, exam.p2p, chance)
        halves = [bench.half(crossing.edits, draw, place) for place in (0, 1)]
        runs = [half.settled for half in halves]
        if exam.p2p and all(reports_nothing(run) for run in runs):
            bench.check_runner()
        results = {
            test: runs[place].results[test]
            for test, place in draw.counts.items()
            if test in runs[place].results
        }
        good = frozenset(test for test, one in results.items() if one.outcome == "passed")
        for test in controls.doubtful(runs, draw, good):
            results[test] = TestResult("failed", results[test].duration_s, "passes negated as well")
        earned = reward(results, exam, crossing.dropped)
        seen = [
            controls.judge_canaries(runs, draw),
            controls.judge_report([half.first for half in halves], draw),
            controls.judge_durations(earned.durations_s, exam.usual_s),
            *controls.judge_controls(runs, draw, good),
        ]
        if earned.reward > 0:
            seen.append(bench.ablated(crossing.edits, earned.durations_s))
    return _believed(earned, seen, controls.uncontrolled(exam.controls, exam.f2p), seed)


@dataclass(frozen=True, slots=True)
class _Bench:
    """Runs of tests on trees made of a task tree, a submission, and forms of the hidden files."""

    language: Language
    sandbox: Sandbox
    environment: Environment
    task_tree: Path
    exam: Exam
    scratch: Path

    @contextlib.contextmanager
    def tree(
        self, edits: Edits, files: Collection[HiddenFile]
    ) -> Iterator[Callable[[TestRequest], TestRun]]:
        """Make a tree, and give what runs tests on it."""
        with tempfile.TemporaryDirectory(prefix="tree-", dir=self.scratch) as directory:
            tree = Path(directory) / "tree"
            graded_tree(self.task_tree, edits, files, tree)
            layers = layers_of(self.environment, tree)
            yield lambda request: run_tests(
                self.language, self.sandbox, self.environment, layers, request
            )

    def half(self, edits: Edits, draw: controls.Draw, place: int) -> "_Half":
        """Run one of two halves."""
        first: list[TestRun] = []
        with self.tree(edits, draw.halves[place].files) as run_once:

            def noted(request: TestRequest) -> TestRun:
                first.append(run_once(request))
                return first[-1]

            return _Half(run_settled(noted, self.request(draw.ids[place])), first[0])

    def request(self, ids: Collection[TestId]) -> TestRequest:
        return TestRequest(
            ids=tuple(sorted(set(ids))),
            sealed=True,
            timeout_s=self.exam.test_timeout_s,
            total_timeout_s=self.exam.total_timeout_s,
        )

    def check_runner(self) -> None:
        """Raise `InfrastructureError` if tests do not run without the solution either."""
        with self.tree({}, self.exam.hidden_files) as run_once:
            run = run_once(self.request((*self.exam.f2p, *self.exam.p2p)))
        if reports_nothing(run):
            raise InfrastructureError(
                f"no test runs, not even without the solution: {run.detail.strip()[-300:]}"
            )

    def hurried(self, took_s: Mapping[TestId, float]) -> TestRequest:
        """Return the request to run tests that took so long, on a tree where one may loop."""
        longest_s = max(took_s.values(), default=0.0)
        return dataclasses.replace(
            self.request(took_s),
            timeout_s=min(self.exam.test_timeout_s, GRACE_S + PATIENCE * longest_s),
            test_cpu_s=min(self.exam.test_timeout_s, CPU_GRACE_S + PATIENCE * longest_s),
        )

    def ablated(self, edits: Edits, took_s: Mapping[TestId, float]) -> ControlResult:
        """Run the F2P that passed without what the submission's functions do."""
        emptied = self.language.ablated(self.task_tree, edits)
        if not emptied:
            return ControlResult("ablation", "not run", (), "no function was added or changed")
        with self.tree({**edits, **emptied}, self.exam.hidden_files) as run_once:
            return controls.judge_ablation(run_once(self.hurried(took_s)), took_s)


@dataclass(frozen=True, slots=True)
class _Half:
    """What tests do once all is settled, and the first run of them."""

    settled: TestRun
    first: TestRun


def _believed(
    earned: Reward, seen: Sequence[ControlResult], uncontrolled: tuple[TestId, ...], seed: int
) -> Reward:
    """Return the reward with its controls: a broken one takes it."""
    tampered = any(one.outcome == "broken" for one in seen)
    return dataclasses.replace(
        earned,
        reward=0.0 if tampered else earned.reward,
        resolved=earned.resolved and not tampered,
        controls=tuple(seen),
        tampered=tampered,
        uncontrolled=uncontrolled,
        seed=seed,
    )


def reports_nothing(run: TestRun) -> bool:
    """Return whether no test was seen to run."""
    return all(result.outcome == "absent" for result in run.results.values())


def layers_of(environment: Environment, tree: Path) -> tuple[Path, ...]:
    """Return the layers of a run: what the project's build made lies above the tree."""
    return (environment.products, tree) if environment.products else (tree,)


def graded_tree(
    task_tree: Path,
    edits: Mapping[str, bytes | None],
    hidden_files: Collection[HiddenFile],
    dest: Path,
) -> None:
    """Make `dest` the tree to grade: the task tree, a submission, and the hidden files over all."""
    absent: Mapping[str, bytes | None] = {file.path: None for file in hidden_files}
    trees.build_tree(task_tree, {**edits, **absent}, dest)
    lay_hidden(hidden_files, dest)


def lay_hidden(hidden_files: Collection[HiddenFile], root: Path) -> None:
    """Write the hidden files into a tree, in place of what stands there.

    Raises `ValueError` for a path that leaves the tree or passes through a link.
    """
    for file in hidden_files:
        trees.check_inside(root, file.path)
        path = root / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # never written through: it may be linked to another tree
        trees.write_file(path, file.content, file.mode)


def run_settled(run_once: Callable[[TestRequest], TestRun], request: TestRequest) -> TestRun:
    """Run tests by id, and again alone what a time-out or an early end leaves open."""
    run = run_once(request)
    results = dict(run.results)
    ids = request.ids or ()
    if run.ended != "finished":
        # one test that ends the process must not cost the others their chance; from the other
        # end, all that come after it are run
        left = tuple(test for test in ids if outcome_of(results, test) == "absent")
        if left and len(left) < len(ids):
            again = dataclasses.replace(request, ids=left, order="reversed")
            results |= run_once(again).results
    late = [test for test in ids if outcome_of(results, test) == "timeout"]
    for test in late[:MAX_RETRIES]:
        alone = dataclasses.replace(request, ids=(test,))
        results |= run_once(alone).results
    return dataclasses.replace(run, results=results)


def outcome_of(results: Mapping[TestId, TestResult], test: TestId) -> Outcome:
    """Return what became of a test; one that was never reported is absent."""
    result = results.get(test)
    return result.outcome if result else "absent"


def reward(
    results: Mapping[TestId, TestResult], exam: Exam, dropped: tuple[str, ...] = ()
) -> Reward:
    """Return the share of F2P that pass if every P2P passes, else 0. Only `passed` passes."""
    f2p = {test: outcome_of(results, test) for test in exam.f2p}
    p2p = {test: outcome_of(results, test) for test in exam.p2p}
    f2p_rate = _rate(f2p)
    unbroken = all(outcome == "passed" for outcome in p2p.values())
    earned = f2p_rate if unbroken else 0.0
    broken = {test: outcome for test, outcome in p2p.items() if outcome != "passed"}
    return Reward(
        reward=earned,
        resolved=unbroken and bool(f2p) and all(o == "passed" for o in f2p.values()),
        f2p_rate=f2p_rate,
        p2p_rate=_rate(p2p, of_none=1.0),
        outcomes={**f2p, **broken},
        dropped=dropped,
        durations_s={t: results[t].duration_s for t, o in f2p.items() if o == "passed"},
    )


def _rate(outcomes: Mapping[TestId, Outcome], of_none: float = 0.0) -> float:
    if not outcomes:
        return of_none
    return sum(outcome == "passed" for outcome in outcomes.values()) / len(outcomes)
