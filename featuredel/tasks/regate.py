"""Running every gate of a written task again, from its row and the dataset alone."""

from collections.abc import Mapping
from pathlib import Path

from featuredel import trees
from featuredel.config import Settings
from featuredel.errors import Rejected
from featuredel.grading import layers_of, run_tests
from featuredel.languages import front_end
from featuredel.model import (
    Baseline,
    DefinitionId,
    Deletion,
    Environment,
    Feature,
    Lines,
    SetAside,
    Snapshot,
    Task,
    TestId,
    TestRequest,
    TestResult,
    TestRow,
)
from featuredel.patches import changed_paths
from featuredel.sandbox import Sandbox
from featuredel.stages.validate import validate
from featuredel.tables import read_rows


def regate(
    task: Task, dataset: str, snapshot: Snapshot, task_tree: Path, environment: Environment,
    sandbox: Sandbox, work: Path,
) -> list[str]:  # fmt: skip
    """Return what the gates say now and did not say when the task was accepted."""
    language = front_end(task.language)

    def results(tree: Path) -> Mapping[TestId, TestResult]:
        request = TestRequest(timeout_s=task.test_timeout_s)
        layers = layers_of(environment, tree)
        return run_tests(language, sandbox, environment, layers, request).results

    baseline = _baseline(task, dataset, results(snapshot.root))
    seen = results(task_tree)
    hidden = tuple(test for test in baseline.tests if test not in seen)
    settings = Settings(
        mutants=task.mutants,
        test_timeout_s=task.test_timeout_s,
        min_tests=min(Settings().min_tests, task.f2p_count),  # a run may ask for fewer
    )
    deletion = _deletion(task, snapshot.root, task_tree, hidden)
    try:
        verdict = validate(
            snapshot, environment, baseline, deletion, language, sandbox, settings, work
        )
    except Rejected as why:
        return [f"{why.reason}: {why.detail[:300]}"]
    faults = []
    if set(verdict.f2p) != set(task.f2p):
        changed = sorted(set(verdict.f2p) ^ set(task.f2p))
        faults.append(f"F2P differ: {', '.join(changed[:5])}")
    if _rounded(verdict.reward_strength) != _rounded(task.reward_strength):
        faults.append(f"reward strength is {verdict.reward_strength}, was {task.reward_strength}")
    return faults


def _rounded(strength: float | None) -> float | None:
    return None if strength is None else round(strength, 4)


def _baseline(task: Task, dataset: str, now: Mapping[TestId, TestResult]) -> Baseline:
    """Return what the dataset says of the baseline, with the times that tests take now."""
    where = {"snapshot_tree": task.snapshot_tree, "environment_id": task.environment_id}
    rows = sorted(read_rows(dataset, "tests", TestRow, where), key=lambda row: row.id)
    tests = tuple(row.id for row in rows if row.status == "passed")
    aside = tuple(
        SetAside(row.id, row.status, row.reason)  # type: ignore[arg-type]
        for row in rows
        if row.status != "passed"
    )
    durations = tuple(now[test].duration_s if test in now else 0.0 for test in tests)
    return Baseline(tests, durations, aside, Lines(tests, {}, {}))


def _deletion(task: Task, root: Path, tree: Path, hidden: tuple[TestId, ...]) -> Deletion:
    edits = {
        path: trees.read(tree, path) if _is_there(tree / path) else None
        for path in sorted(changed_paths(task.deletion_patch))
    }
    excluded = frozenset(task.p2p_excluded) & frozenset(hidden)
    feature = Feature(
        id=task.task_id,
        name=task.feature,
        seed=DefinitionId(task.definitions[0]),
        seed_kind=task.seed_kind,
        definitions=tuple(DefinitionId(d) for d in task.definitions),
        tests=(*task.f2p, *sorted(excluded)),
        code_lines=task.gold_lines,
        density=0.0,
        component_share=0.0,
        rank=task.rank,
    )
    return Deletion(
        feature=feature,
        form=task.form,
        edits={p: new for p, new in edits.items() if new is not None or _is_there(root / p)},
        gold_paths=tuple(sorted(changed_paths(task.gold_patch))),
        hidden_files=task.hidden_files,
        hidden_tests=hidden,
        retreats=(),
        collateral_lines=0,
    )


def _is_there(path: Path) -> bool:
    return path.is_file() or path.is_symlink()
