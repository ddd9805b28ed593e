"""score: how hard a task is, from what is known without a solver.

The score is a logistic function of the logarithms of the columns below. The weights are a prior
(size first, then spread, then entanglement); `selection` corrects what comes of them once there
are outcomes of solvers.
"""

import math
from pathlib import Path

from featuredel.languages import Language
from featuredel.model import DefinitionId, Deletion, Difficulty, Index, Scores, Tier, Verdict
from featuredel.patches import added_lines

BIAS = -5.0
WEIGHTS = {  # per doubling of (1 + column)
    "gold_lines": 0.55,
    "gold_files": 0.30,
    "gold_definitions": 0.15,
    "branches": 0.15,
    "fan_in": 0.10,
    "fan_out": 0.10,
    "f2p_count": 0.10,
}
STRENGTH = 0.8  # tests that catch every mutant against tests that catch none
REGISTERS = {"full": 0.0, "interface": 0.4, "terse": 0.2}
_TIERS: tuple[tuple[float, Tier], ...] = (
    (0.15, "trivial"), (0.35, "easy"), (0.60, "medium"), (0.80, "hard"), (1.01, "extreme"),
)  # fmt: skip


def score(
    root: Path, index: Index, deletion: Deletion, gold_patch: bytes, verdict: Verdict,
    language: Language,
) -> Difficulty:  # fmt: skip
    """Return the difficulty of a candidate whose snapshot is at `root`."""
    gold_lines = branches = 0
    for path, added in added_lines(gold_patch).items():
        source = (root / path).read_bytes()
        lines = language.code_lines(path, source) & added
        gold_lines += len(lines)
        branches += language.branches(path, source, lines)
    fan_in, fan_out = _fans(index, deletion)
    columns = {
        "gold_lines": gold_lines,
        "gold_files": len(deletion.gold_paths),
        "gold_definitions": len(deletion.feature.definitions),
        "branches": branches,
        "fan_in": fan_in,
        "fan_out": fan_out,
        "f2p_count": len(verdict.f2p),
    }
    scores = _scores(columns, verdict.reward_strength)
    del columns["f2p_count"]
    return Difficulty(scores=scores, tier=tier_of(scores.full), **columns)


def _fans(index: Index, deletion: Deletion) -> tuple[int, int]:
    """Count the kept definitions that use deleted ones, and the kept ones that those use."""
    dead = frozenset(deletion.feature.definitions)
    users, used = set(), set()
    for reference in index.references:
        if reference.strong and reference.path not in index.test_paths:
            inside = _within(index, reference.holder, dead)
            if inside and not _within(index, reference.target, dead):
                used.add(reference.target)
            elif not inside and _within(index, reference.target, dead):
                users.add(reference.holder)
    return len(users), len(used)


def _within(index: Index, definition: DefinitionId | None, dead: frozenset[DefinitionId]) -> bool:
    while definition is not None:
        if definition in dead:
            return True
        found = index.definitions.get(definition)
        definition = found.parent if found else None
    return False


def _scores(columns: dict[str, int], reward_strength: float | None) -> Scores:
    known = BIAS + sum(WEIGHTS[name] * math.log2(1 + n) for name, n in columns.items())
    known += STRENGTH * ((0.5 if reward_strength is None else reward_strength) - 0.5)
    return Scores(
        **{r: round(1 / (1 + math.exp(-known - shift)), 4) for r, shift in REGISTERS.items()}
    )


def tier_of(value: float) -> Tier:
    """Return the tier of a difficulty in [0, 1]."""
    return next(tier for bound, tier in _TIERS if value < bound)
