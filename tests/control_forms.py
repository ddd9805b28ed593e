"""Test functions written another way, and what becomes of them when they are run."""

import ast
import random
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest

from featuredel.languages.python import spans
from featuredel.languages.python.controls import ending
from featuredel.languages.python.controls.pool import KINDS
from featuredel.languages.python.controls.site import Body, Site

Outcome = Literal["passed", "failed"]
SEEDS = range(6)


def body(source: str, cases: frozenset[str] = frozenset()) -> Body:
    """Return the test function of a source."""
    text = spans.read(source.encode())
    assert text is not None
    (function,) = (
        node
        for node in text.tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "test_it"
    )
    return Body(text, function, cases)


def sites(source: str, kind: str, cases: frozenset[str] = frozenset()) -> list[Site]:
    """Return the sites of a kind."""
    one = body(source, cases)
    found = [s for st in one.statements for k in KINDS for s in k.sites(one, st)]
    return [site for site in [*found, *ending.sites(one)] if site.kind == kind]


def written(
    source: str, kind: str, *, broken: bool, seed: int = 0, cases: frozenset[str] = frozenset()
) -> list[str]:
    """Return the source once for each site of a kind, written another way."""
    text, chance = body(source).text, random.Random(seed)
    found = sites(source, kind, cases)
    return [text.edited(site.rewrite(chance, broken)).decode() for site in found]


def both(source: str, kind: str) -> Iterator[tuple[str, str]]:
    """Yield neutral and broken forms of a source, of every site, as several seeds give them."""
    for seed in SEEDS:
        neutral = written(source, kind, broken=False, seed=seed)
        yield from zip(neutral, written(source, kind, broken=True, seed=seed), strict=True)


def outcome(source: str, f: Callable[..., Any], **arguments: Any) -> Outcome:
    """Run the test function of a source with `f` as what it tests."""
    names: dict[str, Any] = {"f": f, "pytest": pytest}
    exec(compile(source, "test_it.py", "exec"), names)
    try:
        names["test_it"](**arguments)
    except Exception:
        return "failed"
    except BaseException as error:  # such as what pytest skips by
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return "failed"
    return "passed"
