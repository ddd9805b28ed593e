"""describe: the statement of a task in three registers, each checked for completeness.

The check has two sides. The front-end lists what the tests name and only gold told. Then gold is
run with every word changed that nothing tells: F2P must not notice. Where they do, the words that
they hang on are found by halving and told as well.
"""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from featuredel.config import Settings
from featuredel.errors import Rejected
from featuredel.forks import run_forked
from featuredel.grading import graded_tree, layers_of
from featuredel.languages import Language
from featuredel.model import (
    Deletion,
    Environment,
    Gate,
    Index,
    Snapshot,
    Statement,
    TestRequest,
    Verdict,
)
from featuredel.sandbox import Sandbox

MAX_RUNS = 24
"""Runs of F2P that the search for words to tell may take; a group left then is told whole."""

Survives = Callable[[tuple[str, ...]], bool]
"""Whether F2P pass on gold with these words changed."""


def describe(
    snapshot: Snapshot, environment: Environment, index: Index, deletion: Deletion,
    verdict: Verdict, language: Language, sandbox: Sandbox, settings: Settings, work: Path,
) -> tuple[Statement, Gate]:  # fmt: skip
    """Return the statement of an accepted deletion, and the gate that says it is complete.

    Raises `Rejected` if the tests need what cannot be told in any register with hidden tests.
    """
    root = snapshot.root
    statement = _told(language.describe(root, index, deletion, verdict.f2p))
    with tempfile.TemporaryDirectory(prefix="describe-", dir=work) as scratch:
        gold = Path(scratch) / "gold"
        graded_tree(root, {}, deletion.hidden_files, gold)
        layers = layers_of(environment, gold)
        request = TestRequest(
            ids=verdict.f2p, timeout_s=settings.test_timeout_s,
            total_timeout_s=settings.suite_timeout_s, stop_after_failures=1,
        )  # fmt: skip

        def survives(words: tuple[str, ...]) -> bool:
            files = language.perturbed(root, deletion, words)
            run = run_forked(language, sandbox, environment, layers, request, work, files)
            outcomes = [run.results[t].outcome for t in verdict.f2p if t in run.results]
            return outcomes == ["passed"] * len(verdict.f2p)

        barest = statement.interface or statement.full or ""
        words = language.untold_words(root, deletion, barest)
        needed = missing_words(words, survives)
        if needed:
            told = language.describe(root, index, deletion, verdict.f2p, needed)
            statement = _told(told)
            rest = language.untold_words(root, deletion, told.interface or told.full or "")
            if rest and not survives(rest):
                raise Rejected("statement incomplete", f"F2P hang on words among {rest[:20]}")
    evidence = {"changed": len(words), "told": list(needed), "gaps": _gaps(statement)}
    return statement, Gate("statement", "passed", json.dumps(evidence, sort_keys=True))


def missing_words(words: tuple[str, ...], survives: Survives) -> tuple[str, ...]:
    """Return the words that F2P hang on, each of them alone, or whole groups past `MAX_RUNS`."""
    runs = 0

    def search(group: tuple[str, ...]) -> tuple[str, ...]:
        nonlocal runs
        runs += 1
        if survives(group):
            return ()
        if len(group) == 1 or runs >= MAX_RUNS:
            return group
        middle = len(group) // 2
        found = search(group[:middle]) + search(group[middle:])
        return found or group  # neither half alone: they matter together

    return search(words) if words else ()


def _told(statement: Statement) -> Statement:
    if statement.full is None and statement.interface is None:
        untold = sorted({need for needs in statement.gaps.values() for need in needs})
        raise Rejected("statement incomplete", "; ".join(untold)[:2000])
    return statement


def _gaps(statement: Statement) -> dict[str, list[str]]:
    return {register: sorted(gaps) for register, gaps in statement.gaps.items()}
