"""raise: a test that comes to its end fails there.

    def test_f():               def test_f():
        assert f(x) == 5            assert f(x) == 5
                                    assert 3 + 4 == 9

A body that may return is put in a `try`, and what fails stands in its `finally`, which overrules
the return, as it does a skip.
"""

import ast
import io
import random
import tokenize
from collections.abc import Iterator

from featuredel.languages.python.controls import drawn
from featuredel.languages.python.controls.site import Body, Site, returns
from featuredel.languages.python.gold import without_docstring
from featuredel.languages.python.spans import Edit

KIND = "raise"


def sites(body: Body) -> Iterator[Site]:
    """Yield the site at the end of a function, if its body has lines of its own."""
    block = without_docstring(body.function.body)
    if not block or block[0].lineno == body.function.lineno:
        return
    indent = body.indent(block[0])
    if indent is not None:
        early = any(returns(statement) for statement in block)
        yield _finally(body, block, indent) if early else _at_the_end(body, block[-1], indent)


def _at_the_end(body: Body, last: ast.stmt, indent: str) -> Site:
    def rewrite(chance: random.Random, broken: bool) -> list[Edit]:
        line = drawn.assertion(chance, holds=not broken)
        return [body.added(last.end_lineno or 0, indent + line)]

    # a statement of its own, beside whichever is the last
    return Site(KIND, body.function, rewrite)


def _finally(body: Body, block: list[ast.stmt], indent: str) -> Site:
    first = min(node.lineno for node in [block[0], *getattr(block[0], "decorator_list", [])])
    last = block[-1].end_lineno or 0
    step = "\t" if "\t" in indent else "    "
    starts = body.text.starts

    def rewrite(chance: random.Random, broken: bool) -> list[Edit]:
        inside = _inside_tokens(body.text.data)
        deeper = [
            Edit(starts[line - 1], starts[line - 1], 1, step.encode())
            for line in range(first, last + 1)
            if line not in inside
        ]
        begin = Edit(starts[first - 1], starts[first - 1], 0, f"{indent}try:".encode())
        begin = Edit(begin.start, begin.end, 0, begin.text + body.text.newline)
        line = drawn.assertion(chance, holds=not broken)
        end = f"{indent}finally:{body.text.newline.decode()}{indent}{step}{line}"
        return [begin, *deeper, body.added(last, end)]

    return Site(KIND, body.function, rewrite)


def _inside_tokens(data: bytes) -> frozenset[int]:
    """Return the lines that begin inside a token, such as a text of several lines."""
    tokens = tokenize.tokenize(io.BytesIO(data).readline)
    spans = ((token.start[0], token.end[0]) for token in tokens)
    return frozenset(line for start, end in spans for line in range(start + 1, end + 1))
