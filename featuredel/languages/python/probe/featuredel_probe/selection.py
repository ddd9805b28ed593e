"""Which tests run, and in which order; and what must not stop them before they start."""

import os
import random
from typing import Any, Callable, Dict, List, Optional, Sequence, Set


def selected(items: Sequence[Any], ids: Optional[Set[str]]) -> List[Any]:
    """Return the items that were asked for, in their order; None asks for all."""
    return [item for item in items if ids is None or item.nodeid in ids]


def above(ids: Sequence[str]) -> Optional[Set[str]]:
    """Return the functions and classes that some tests are made of; None where ids do not tell."""
    found: Set[str] = set()
    for test in ids:
        whole = test.partition("[")[0]
        if "::" not in whole:
            return None
        parts = whole.split("::")
        found.update("::".join(parts[: n + 1]) for n in range(1, len(parts)))
    return found or None


def ordered(items: List[Any], order: str, seed: int) -> List[Any]:
    """Return the items as given, reversed, or shuffled.

    A shuffle keeps modules and classes together, as their shared fixtures would otherwise be set
    up for each test anew.
    """
    if order == "reversed":
        return items[::-1]
    if order == "shuffled":
        return _shuffled(items, random.Random(seed), 1)  # noqa: S311 -- no secret
    return items


def _shuffled(items: List[Any], source: random.Random, depth: int) -> List[Any]:
    groups: Dict[str, List[Any]] = {}
    for item in items:
        parts = item.nodeid.split("[", 1)[0].split("::")
        key = "::".join(parts[:depth]) if depth < len(parts) else item.nodeid
        groups.setdefault(key, []).append(item)
    names = sorted(groups)
    source.shuffle(names)
    if len(groups) == len(items):
        return [item for name in names for item in groups[name]]
    if depth > 4:
        return [item for name in names for item in groups[name]]
    return [item for name in names for item in _shuffled(groups[name], source, depth + 1)]


def drop_unknown_options(arguments: List[str], parser: Any) -> None:
    """Remove, in place, options of plugins that are not here, each with its value."""
    known = _option_names(parser)
    kept: List[str] = []
    waiting = iter(range(len(arguments)))
    for place in waiting:
        argument = arguments[place]
        name = argument.split("=", 1)[0]
        if not argument.startswith("--") or name == "--" or known(name):
            kept.append(argument)
            continue
        following = arguments[place + 1 : place + 2]
        if "=" not in argument and following and _is_value(following[0]):
            next(waiting)
    arguments[:] = kept


def _is_value(argument: str) -> bool:
    return not argument.startswith("-") and not os.path.exists(argument.split("::")[0])


def _option_names(parser: Any) -> Callable[[str], bool]:
    groups = [parser._anonymous, *parser._groups]
    names = {name for group in groups for option in group.options for name in option.names()}
    # argparse adds these to every parser
    return (names | {"--help", "--version"}).__contains__
