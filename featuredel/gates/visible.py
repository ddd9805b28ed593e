"""The gate of the visible suite: all that the solver can run is green.

With `confirm: full` the whole suite is run. With `confirm: affected` those tests are run that can
reach a changed file, and for a share of the candidates the whole suite as well: where it says
something else, the repository goes back to `full`.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from featuredel.errors import Rejected
from featuredel.gates.trial import Trial, gate, listed, passed, some, told
from featuredel.grading import layers_of, outcome_of
from featuredel.model import Gate, Rejection, TestId, TestRequest, TestRun

MAX_RERUNS = 5
"""More failures than this are not run again: they are no accident."""

DISAGREED = "the whole suite says something else than the affected tests"


def visible(trial: Trial) -> tuple[Gate, frozenset[TestId]]:
    """All that the visible tree holds passes; return also the tests that do so only alone."""
    gone = frozenset(trial.deletion.hidden_tests)
    kept = tuple(test for test in trial.baseline.tests if test not in gone)
    chosen = _affected(trial, kept) if trial.settings.confirm == "affected" else None
    if chosen is None:
        unstable = _whole(trial, kept, gone)
        return gate("visible suite", tests=len(kept), unstable=some(unstable)), unstable
    unstable = _part(trial, chosen, gone)
    audited = _is_audited(trial)
    if audited:
        try:
            unstable |= _whole(trial, kept, gone)
        except Rejected as why:
            raise Rejected(DISAGREED, f"{why.reason}: {why.detail}") from why
    seen = gate(
        "visible suite", tests=len(chosen), of=len(kept), audited=audited, unstable=some(unstable)
    )
    return seen, unstable


def disagreed(rejection: Rejection | None) -> bool:
    """Tell whether this became of a candidate because an audit found what was missed."""
    return rejection is not None and rejection.reason == DISAGREED


def request(trial: Trial, ids: tuple[TestId, ...] | None) -> TestRequest:
    """Return the request to run `ids`, or everything, on a tree on which they should pass."""
    settings = trial.settings
    return TestRequest(
        ids=ids, timeout_s=settings.test_timeout_s, total_timeout_s=settings.suite_timeout_s
    )


def check_green(trial: Trial, run: TestRun, kept: tuple[TestId, ...]) -> frozenset[TestId]:
    """Return the tests that fail with others but pass twice alone. Raises `Rejected` for others."""
    broken = frozenset(kept) - passed(run.results, kept)
    if len(broken) > MAX_RERUNS:
        raise Rejected("the deletion breaks other tests", told(run.results, broken))
    for test in sorted(broken):
        for seed in (0, 1):
            again = replace(request(trial, (test,)), seed=seed)
            results = trial.run(again, trial.task).results
            if outcome_of(results, test) != "passed":
                raise Rejected("the deletion breaks other tests", told(results, [test]))
    return broken


# --- the whole suite -------------------------------------------------------------------------


def _whole(trial: Trial, kept: tuple[TestId, ...], gone: frozenset[TestId]) -> frozenset[TestId]:
    """Run everything; return the tests that pass only alone."""
    run = trial.run(request(trial, None), trial.task)
    _check_loads(trial, run)
    _check_hidden(gone & set(run.results))
    known = frozenset(trial.baseline.tests) | {aside.id for aside in trial.baseline.set_aside}
    restless = {_function(aside.id) for aside in trial.baseline.set_aside}
    new = {
        test
        for test in run.results
        if test not in known
        and _file(test) in trial.deletion.edits
        and _function(test) not in restless
    }
    if new:
        raise Rejected("the visible tree has tests that the snapshot has not", listed(new))
    _check_end(run)
    _check_there(set(kept) - set(run.results))
    return check_green(trial, run, kept)


# --- the tests that can reach a changed file -------------------------------------------------


def _affected(trial: Trial, kept: tuple[TestId, ...]) -> tuple[TestId, ...] | None:
    """Return the tests that run a line of a changed file, or stand in one.

    And those that may see what its import no longer does; None if that may be any test.
    """
    edits, lines = trial.deletion.edits, trial.baseline.lines
    seeing = _seeing(trial)
    if seeing is None:
        return None
    reached = 0
    for path in {*edits, *seeing}:
        for line, tests in lines.reached.get(path, {}).items():
            if path in edits or line in seeing[path]:
                reached |= tests
    found = {test for number, test in enumerate(lines.tests) if reached >> number & 1}
    return tuple(test for test in kept if test in found or _file(test) in edits)


def _seeing(trial: Trial) -> Mapping[str, frozenset[int]] | None:
    """Return the lines that may see what is no longer done as modules are loaded."""
    language, root, lines = trial.language, trial.snapshot.root, trial.baseline.lines
    acts = language.acts_at_import(root, trial.deletion, lines.imported, lines.reached)
    if acts == "no":
        return {}
    if acts == "anywhere":
        return None
    known = trial.work / f"held-{trial.snapshot.tree}"
    if not known.exists():
        known.write_bytes(_held(trial, root))
    return language.readers(root, known.read_bytes(), _held(trial, trial.task))


def _held(trial: Trial, tree: Path) -> bytes:
    environment, imported = trial.environment, trial.baseline.lines.imported
    layers = layers_of(environment, tree)
    command = trial.language.held_command(tree, environment, layers, imported)
    return trial.sandbox.run(command).report


def _part(trial: Trial, chosen: tuple[TestId, ...], gone: frozenset[TestId]) -> frozenset[TestId]:
    """Run tests by id, and the hidden ones, which must not be there.

    They are run in a fork of a process that has loaded nothing of the project: where few are run,
    most of a fresh process would be spent on loading libraries.
    """
    run = trial.fork(request(trial, (*chosen, *sorted(gone))), trial.task)
    _check_loads(trial, run)
    _check_hidden({test for test in gone if outcome_of(run.results, test) != "absent"})
    _check_end(run)
    _check_there({test for test in chosen if outcome_of(run.results, test) == "absent"})
    return check_green(trial, run, chosen)


def _is_audited(trial: Trial) -> bool:
    """Draw, by the seed and the candidate, whether the whole suite is run as well."""
    text = f"{trial.settings.seed} {trial.deletion.feature.id} {trial.deletion.form}"
    draw = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64
    return draw < trial.settings.audit_share


# --- what is wrong with a run ----------------------------------------------------------------


def _check_loads(trial: Trial, run: TestRun) -> None:
    known = (*trial.baseline.tests, *(aside.id for aside in trial.baseline.set_aside))
    modules = {_file(test) for test in known if "::" in test}
    errors = {p: why for p, why in run.collection_errors.items() if p in modules}
    if errors:
        detail = listed(f"{path}: {why}" for path, why in errors.items())
        raise Rejected("a visible test module does not load", detail)


def _check_hidden(left: Collection[TestId]) -> None:
    if left:
        raise Rejected("a hidden test is still in the visible tree", listed(left))


def _check_end(run: TestRun) -> None:
    if run.ended != "finished":
        raise Rejected("the visible suite does not run to its end", f"{run.ended}: {run.detail}")


def _check_there(absent: Collection[TestId]) -> None:
    if absent:
        raise Rejected("retained tests are gone from the visible tree", listed(absent))


def _file(test: TestId) -> str:
    return test.partition("::")[0]


def _function(test: TestId) -> str:
    return test.partition("[")[0]
