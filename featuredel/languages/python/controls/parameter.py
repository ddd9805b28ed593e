"""parameter: what a parametrised test expects is another value, under the same id.

    @pytest.mark.parametrize('x, expected', [(1, 1), (2, 4)])
    @pytest.mark.parametrize('x, expected', [
        pytest.param(1, (1, 8)[1], id='1-1'), pytest.param(2, (7, 4)[0], id='2-4')])

Whoever looks for the value where pytest keeps it finds what was put there.
"""

import ast
import random
from collections.abc import Iterator

from featuredel.languages.python.controls import constant, drawn
from featuredel.languages.python.controls.equalities import equalities
from featuredel.languages.python.controls.site import Body, Site
from featuredel.languages.python.parametrize import Case, cases
from featuredel.languages.python.spans import Edit

KIND = "parameter"
MAX_CASES = 60
"""A longer list is not written again."""


def sites(body: Body, statement: ast.stmt) -> Iterator[Site]:
    """Yield a site for a side of an equality that is a parameter which is read nowhere else."""
    for pair in equalities(statement):
        for side in pair:
            if isinstance(side, ast.Name) and body.uses(side.id) == 1 and body.cases:
                found = cases(body.function, side.id, body.cases)
                if found and len(found) <= MAX_CASES:
                    yield _site(body, statement, found)


def _site(body: Body, statement: ast.stmt, found: tuple[Case, ...]) -> Site:
    def rewrite(chance: random.Random, broken: bool) -> list[Edit]:
        return [_edit(body, case, chance, broken=broken) for case in found]

    return Site(KIND, statement, rewrite)


def _edit(body: Body, case: Case, chance: random.Random, *, broken: bool) -> Edit:
    changed = [(n, constant.other(n.value, chance)) for n in constant.displayed(case.value)]
    parts = [(node, repr(other)) for node, other in changed if other is not None]
    part, new = chance.choice(parts) if parts else (case.value, drawn.literal(chance))
    chosen = body.replaced(part, drawn.choice(chance, body.of(part), new, broken=broken))
    if case.has_id:
        return chosen
    start, _ = body.text.span(case.value)
    old = body.text.of(case.value)
    first, last = chosen.start - start, chosen.end - start
    value = (old[:first] + chosen.text + old[last:]).decode()
    values = [value if one is case.value else body.text.of(one).decode() for one in case.values]
    return body.replaced(case.element, f"pytest.param({', '.join(values)}, id={case.id!r})")
