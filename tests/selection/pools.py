"""Tasks as arrays, for tests: of one column that matters, `gold_lines`."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from featuredel.selection.outcomes import Outcome
from featuredel.selection.pool import COLUMNS, REGISTERS, ScoredPool, pool_of


def pool(gold_lines: Sequence[int], repositories: Sequence[str] = (), **changes: Any) -> ScoredPool:
    """Return tasks `t0`, `t1`, ... with so many lines, offered in every register."""
    number = len(gold_lines)
    found: dict[str, Any] = {name: np.ones(number, dtype=np.int64) for name in COLUMNS[:-1]}
    found |= {
        "gold_lines": np.array(gold_lines, dtype=np.int64),
        "reward_strength": np.full(number, 0.5),
        "task_id": np.array([f"t{place}" for place in range(number)], dtype=np.str_),
        "repository": np.array(repositories or ["r"] * number, dtype=np.str_),
    }
    made = pool_of(found, np.ones((number, len(REGISTERS)), dtype=np.bool_))
    return dataclasses.replace(made, **changes)


def outcome(task: int, attempts: int, solved: int, register: int = 0) -> Outcome:
    return Outcome(f"t{task}", register, attempts, solved)
