"""check: prove a written task again, from its row and the dataset alone."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from featuredel import tables, trees
from featuredel.errors import UsageError
from featuredel.grading import layers_of, run_tests
from featuredel.languages import front_end
from featuredel.model import (
    Environment,
    EnvironmentRow,
    Outcome,
    Register,
    Snapshot,
    Task,
    TestId,
    TestRequest,
    TestRow,
)
from featuredel.patches import changed_paths
from featuredel.sandbox import Sandbox
from featuredel.scratch import scratch_directory
from featuredel.tasks.grade import grade
from featuredel.tasks.leaks import trace_faults
from featuredel.tasks.materialize import materialize
from featuredel.tasks.read import (
    damage,
    delete_feature,
    p2p,
    recorded_environment,
    unpack_snapshot,
)
from featuredel.tasks.regate import regate

TIMES = 2  # everything is seen as often as this


@dataclass(frozen=True, slots=True)
class Check:
    """What became of one task; `faults` is empty where all holds."""

    task_id: str
    feature: str
    faults: tuple[str, ...]


def check(
    task: Task, dataset: str,
    ensure_environment: Callable[[EnvironmentRow, Snapshot], Environment],
    sandbox: Sandbox, work: Path, *, gates: bool = True,
) -> Check:  # fmt: skip
    """Materialise a task and prove it.

    The visible suite is green and free of undefined names, the untouched tree earns 0, and the
    gold patch earns 1: each time. Then, with `gates`, every gate is run again, and everything that
    a solver gets is scanned for traces.
    """
    try:
        with damage(dataset, f"task {task.task_id}"):
            faults = _faults(task, dataset, ensure_environment, sandbox, work, gates)
    except UsageError as error:  # the row says something that is not so
        faults = [str(error)]
    return Check(task.task_id, task.feature, tuple(dict.fromkeys(faults)))


def _faults(
    task: Task, dataset: str,
    ensure_environment: Callable[[EnvironmentRow, Snapshot], Environment],
    sandbox: Sandbox, work: Path, gates: bool,
) -> list[str]:  # fmt: skip
    faults: list[str] = []
    with scratch_directory(work) as scratch:
        tree = scratch / "tree"
        register: Register = "full" if task.statement_full is not None else "terse"
        materialize(task, dataset, tree, register)
        snapshot = unpack_snapshot(dataset, task, scratch / "snapshot")
        faults += _undefined(task, snapshot.root, tree)
        environment = ensure_environment(recorded_environment(dataset, task), snapshot)
        gold = scratch / "gold.patch"
        gold.write_bytes(task.gold_patch)
        for _ in range(TIMES):
            faults += _visible_suite(task, dataset, environment, sandbox, tree)
            untouched = grade(
                task, dataset, tree, ensure_environment, sandbox, work,
                f2p_alone=True, check_reference=False,
            )  # fmt: skip
            if untouched.reward != 0:
                faults.append(f"the untouched tree earns {untouched.reward}")
            try:
                solved = grade(
                    task, dataset, gold, ensure_environment, sandbox, work, check_reference=False
                )
            except UsageError:
                faults.append("the gold patch does not apply")
                continue
            faults += [
                f"with gold the control {one.kind} is broken: {one.detail}"
                for one in solved.controls
                if one.outcome == "broken"
            ]
            if not solved.resolved and not solved.tampered:
                failed = {t: o for t, o in solved.outcomes.items() if o != "passed"}
                faults.append(f"the gold patch earns {solved.reward}: {_some(failed)}")
        if gates:
            clean = scratch / "clean"
            shutil.copytree(snapshot.root, clean, symlinks=True)
            delete_feature(dataset, task, clean)
            faults += regate(task, dataset, snapshot, clean, environment, sandbox, scratch)
            faults += trace_faults(task, dataset, ensure_environment, sandbox, work)
    return faults


def _undefined(task: Task, snapshot: Path, tree: Path) -> list[str]:
    language = front_end(task.language)
    paths = sorted(changed_paths(task.deletion_patch))
    after = {p: trees.read(tree, p) for p in paths if (tree / p).is_file()}
    before = {p: trees.read(snapshot, p) for p in paths if (snapshot / p).is_file()}
    new = set(language.lint(after)) - set(language.lint(before))
    return [f"lint: {fault}" for fault in sorted(new)]


def _visible_suite(
    task: Task, dataset: str, environment: Environment, sandbox: Sandbox, tree: Path
) -> list[str]:
    language = front_end(task.language)
    request = TestRequest(timeout_s=task.test_timeout_s)
    run = run_tests(language, sandbox, environment, layers_of(environment, tree), request)
    wanted = frozenset(p2p(dataset, task))
    bad: dict[TestId, Outcome] = {
        test: result.outcome
        for test, result in run.results.items()
        if test in wanted and result.outcome != "passed"
    }
    faults = [f"visible suite: {_some(bad)}"] if bad else []
    # what pytest would not collect in the snapshot either is no row, or one without a test's name
    modules = {test.partition("::")[0] for test in _known(dataset, task) if "::" in test}
    errors = {path: why for path, why in run.collection_errors.items() if path in modules}
    return faults + ([f"collection: {json.dumps(errors)[:500]}"] if errors else [])


def _known(dataset: str, task: Task) -> list[TestId]:
    """Return every test of the snapshot, those that were set aside too."""
    where = {"snapshot_tree": task.snapshot_tree, "environment_id": task.environment_id}
    return [row.id for row in tables.read_rows(dataset, "tests", TestRow, where)]


def _some(tests: Mapping[TestId, Outcome]) -> str:
    shown = [f"{test} {outcome}" for test, outcome in list(tests.items())[:5]]
    return ", ".join(shown) + (f" and {len(tests) - 5} more" if len(tests) > 5 else "")
