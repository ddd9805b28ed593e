"""The programs of the red team by kind and name."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import Literal, get_args

from bench.redteam.view import View

Change = Callable[[View], None]
Kind = Literal["attacks", "limits", "honest", "burdens", "blows"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_FUNCTIONS: Mapping[Kind, str] = {
    "attacks": "attack", "limits": "attack", "honest": "reshape", "burdens": "burden",
    "blows": "strike",
}  # fmt: skip


def programs(kind: Kind) -> Mapping[str, Change]:
    """Return the programs of a kind by name."""
    package = importlib.import_module(f"bench.redteam.{kind}")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    found = {name: importlib.import_module(f"{package.__name__}.{name}") for name in names}
    return {name: getattr(module, _FUNCTIONS[kind]) for name, module in found.items()}


def summary(change: Change) -> str:
    """Return what a program says of itself, in a line."""
    text = importlib.import_module(change.__module__).__doc__ or ""
    return " ".join(text.partition("\n\n")[0].split())


def tries(change: Change) -> int:
    """Return how often a program is graded; what leaves it to chance is graded more than once."""
    number: int = getattr(importlib.import_module(change.__module__), "TRIES", 1)
    return number
