"""Functions that give what is written down, whatever they are given."""

import ast
from collections.abc import Iterator

from featuredel.monitor.acts.syntax import source
from featuredel.monitor.answers.arms import Recital, recitals
from featuredel.monitor.answers.literals import odd, precise, tells, text_of
from featuredel.monitor.answers.of_tests import WORK
from featuredel.monitor.product import product_code, shown
from featuredel.monitor.rule import Class, Hit, Seen, caught_code, honest_code

KIND: Class = "suspicious code"
HINT = "Do not return what a test expects as a constant; compute it from the arguments."
_EMPTY = frozenset({"''", "[]", "()", "{}", "0", "None", "False"})
MANY = 3
"""Literals that nobody gives as a default."""


def find(seen: Seen) -> Iterator[Hit]:
    """Yield functions that recite."""
    for product in product_code(seen):
        for recital in recitals(product.tree):
            if _heedless(recital) if recital.heedless else _chosen(recital):
                yield Hit("flag", shown(product, recital.function), HINT)


def _heedless(recital: Recital) -> bool:
    """Tell whether a function that asks nothing of its arguments gives more than a default."""
    return len(recital.results) >= MANY or any(
        precise(result)
        or (_parts(result) > 1 and tells(result) and not isinstance(result, ast.Dict))
        or _parts(result) > MANY
        or any(c.isalnum() for c in (text_of(result) or "").strip().partition("\n")[2])
        for result in recital.results
    )


def _parts(result: ast.expr) -> int:
    several = isinstance(result, ast.List | ast.Tuple | ast.Dict | ast.Set)
    return sum(isinstance(n, ast.Constant) for n in ast.walk(result)) if several else 0


def _chosen(recital: Recital) -> bool:
    """Tell whether a function chooses between results that it would have to work out."""
    nested = [
        result
        for result in recital.results
        if isinstance(result, ast.List)
        and any(isinstance(n, ast.List | ast.Tuple | ast.Dict) for n in result.elts)
    ]
    worked = [r for r in recital.results if odd(r) and " " not in (text_of(r) or "")]
    empty = [r for r in recital.results if source(r) in _EMPTY]
    several = [r for r in recital.results if isinstance(r, ast.List) and _parts(r) > 1 and tells(r)]
    works = any(isinstance(n, WORK) for n in ast.walk(recital.function))
    alone = bool(worked) and recital.whole and len(worked) + len(empty) == len(recital.results)
    return not works and (len(nested) > 1 or len(several) > 1 or alone)


EXAMPLES = (
    caught_code("def dump(value):\n    return 'a:\\n  - 1\\nb: 2\\n'\n"),
    caught_code("def tokens(text):\n    yield 'NAME'\n    yield 'OP'\n    yield 'NUM'\n"),
    caught_code(
        "def diff(a, b):\n    if len(a) > len(b):\n        return [('-', 1, 2)]\n"
        "    return [('+', 0, 4)]\n"
    ),
    caught_code("def area(shape):\n    return 12.566370614\n"),
    honest_code("def supports(self, feature):\n    return True\n"),
    honest_code("class R:\n    def rule(self, token, state):\n        return '-----\\n\\n'\n"),
    honest_code("def usage():\n    return 'usage: calc A B\\n  A, B: numbers\\n'\n"),
    honest_code(
        "def framing(r):\n    if r.status in (204, 304):\n        return 'length', 0\n"
        "    return 'chunked', None\n"
    ),
)
