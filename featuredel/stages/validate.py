"""validate: prove that a deletion makes a task, gate by gate, the cheapest first."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from featuredel.config import Settings
from featuredel.gates import controls, runs, static, visible, worth
from featuredel.gates.trial import Trial, lay_out
from featuredel.languages import Language
from featuredel.model import (
    Baseline,
    Deletion,
    Environment,
    Snapshot,
    TestRun,
    Verdict,
)
from featuredel.sandbox import Sandbox


def validate(
    snapshot: Snapshot, environment: Environment, baseline: Baseline, deletion: Deletion,
    language: Language, sandbox: Sandbox, settings: Settings, work: Path,
    earlier: Sequence[TestRun] = (), begins: Callable[[str], None] = lambda _: None,
) -> Verdict:  # fmt: skip
    """Return every gate of a candidate that is a task, with F2P and what is neither.

    `earlier` are runs of T without the feature, such as `screen` makes; `begins` is called with
    the name of each group of gates as it begins.

    Raises `Rejected` with the gate's reason at the first that fails.
    """
    with tempfile.TemporaryDirectory(prefix="validate-", dir=work) as directory:
        scratch = Path(directory)
        trial = Trial(
            snapshot, environment, baseline, deletion, language, sandbox, settings,
            task=scratch / "task", hidden=scratch / "hidden", gold=scratch / "gold",
            work=work,
        )  # fmt: skip
        begins("static")
        lay_out(trial)
        gates = [static.edits_accounted(trial), static.lint(trial), static.imports(trial)]
        begins("before and gold")
        measured = runs.once(trial, tuple(earlier))
        begins("trivial solvers and mutants")
        assumed = measured.f2p
        trivial, strength = worth.measured(trial, assumed)
        begins("visible suite")
        green, unstable = visible.visible(trial)
        begins("repeats")
        measured = runs.repeated(trial, measured)
        settled = runs.settled(trial, measured)
        f2p = settled.f2p
        if f2p != assumed:
            begins("trivial solvers and mutants")
            trivial, strength = worth.measured(trial, f2p)
        null = worth.null_solver(f2p, measured.before[0])
        begins("controls")
        excluded = (settled.excluded | unstable) - set(f2p)
        pool = controls.controls(trial, f2p, excluded)
        gates += [green, *settled.gates, null, trivial, strength.gate, pool.gate]
    return Verdict(
        tuple(gates), f2p, tuple(sorted(excluded)), strength.mutants, strength.share, pool.controls
    )
