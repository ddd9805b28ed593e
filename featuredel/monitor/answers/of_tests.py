"""Whether what code has written down is what tests give and expect, and nothing of the domain."""

import ast
import re
from collections.abc import Sequence

from featuredel.monitor.answers.arms import Arm, Recital
from featuredel.monitor.answers.literals import number, precise, scattered, tells, text_of, wordy
from featuredel.monitor.answers.tables import Table, vocabulary
from featuredel.monitor.tested import Values, held, values_of_literal

SHARE = 0.8
"""Of a table's rows that tests hold; a table of the domain has rows that no test asks for."""
LEAST = 2
"""Arms, rows or results that are no accident; one alone has to tell more."""
LONG = 4
"""Values of a result that somebody would compute rather than write down."""
SEQUENCE = 7
"""Letters of an upper-case word that is no name: `ATGGCCTAA`."""
ODD = 999
"""Above it a number is hardly a code, a port or a size."""

WORK = (ast.For, ast.While, ast.Assign, ast.AugAssign, ast.Try, ast.With, ast.comprehension)
"""What a function has that works on its arguments, be its results literals."""


def asks_for_tests(found: Sequence[Arm], tested: Values) -> ast.AST | None:
    """Return the arm that shows that inputs of tests are asked for."""
    asked = [arm for arm in found if _of_tests(arm, tested)]
    for arm in asked:
        if _telling(arm):
            return arm.node
    several = [arm for arm in asked if any(map(tells, arm.given))]
    numbers = [arm.given[0] for arm in asked if len(arm.given) == 1 and number(arm.given[0])]
    if len(several) >= LEAST or (scattered(numbers, LEAST) and any(map(_large, numbers))):
        return (several or asked)[0].node
    return None


def _of_tests(arm: Arm, tested: Values) -> bool:
    """Tell whether all that an arm asks for, and gives, is of tests."""
    given = [g for g in arm.given if values_of_literal(g)]
    return bool(given) and held(given, tested) and held(arm.results, tested)


def _telling(arm: Arm) -> bool:
    """Tell whether one arm alone can hardly be a case of the domain."""
    found = sum(map(tells, arm.given))
    if arm.part:
        return found > 0 and any(
            tells(r) or (isinstance(r, ast.Call) and _rich(r)) for r in arm.results
        )
    if len(arm.given) > 1 and not any(_rich(r) for r in arm.results):  # what is accepted, or not
        numbers = [g for g in arm.given if number(g) is not None]
        odd = any((number(g) or 0) > ODD for g in numbers)
        no_words = all(len(t) > 1 and not wordy(t) for t in map(_text, arm.given))
        return (
            (found >= LEAST and found * 2 > len(arm.given))
            or (found > 0 and no_words)
            or (odd and scattered(numbers))
        )
    if found or any(len(values_of_literal(g)) > 3 for g in arm.given):
        return True
    if any(map(_large, arm.given)) and any(len(values_of_literal(r)) > LONG for r in arm.results):
        return True
    whole = [g for g in arm.given if len(values_of_literal(g)) > 1]
    exact = any(map(precise, arm.results)) and any(map(_large, arm.given))
    return exact or (bool(whole) and any(map(_rich, arm.results)))


def _text(node: ast.expr) -> str:
    return text_of(node) or ""


def _large(node: ast.expr) -> bool:
    return abs(number(node) or 0) > 3


def _rich(result: ast.expr) -> bool:
    """Tell whether a result is more than a word or a number."""
    several = isinstance(result, ast.List | ast.Tuple | ast.Dict | ast.Call)
    return (several and len(values_of_literal(result)) > 1) or "\n" in (text_of(result) or "")


def table_of_tests(table: Table, tested: Values) -> bool:
    """Tell whether nearly all rows of a table are of tests, and its keys are no names."""
    rows = [row for row in table if values_of_literal(row[0])]
    of_tests = [
        (key, value)
        for key, value in rows
        if held((value,), tested) and (held((key,), tested) or _composed(key, tested))
    ]
    if len(of_tests) < max(LEAST, SHARE * len(rows)):
        return False
    if all(precise(value) for _, value in of_tests):
        return True
    keys = [key for key, _ in of_tests]
    numbers = [key for key in keys if number(key) is not None]
    if len(numbers) == len(keys):
        return any(map(_large, numbers)) and scattered(numbers, LEAST)
    named = sum(not _no_name(key) and not _composed(key, tested) for key in keys)
    return named * 2 <= len(keys) and not vocabulary(keys)


def wholly_of_tests(table: Table, tested: Values) -> bool:
    """Tell whether every row is of tests, with results that a computation would give.

    For tables whose keys are names: it counts only where the rest gets no answer worth the name.
    """
    values = [value for _, value in table]
    if len(table) <= LEAST or not all(held(row, tested) for row in table):
        return False
    numbers = [value for value in values if number(value) is not None]
    if len(numbers) == len(values):
        return scattered(numbers)
    return all(len(text_of(value) or "") > 2 for value in values) or all(map(_rich, values))


def _composed(key: ast.expr, tested: Values) -> bool:
    """Tell whether a key is put together of what tests give: `A-F` of `A` and `F`."""
    text = text_of(key)
    parts = re.findall(r"[^\W_]+", text) if text and text not in tested else []
    return len(parts) > 1 and all(
        part in tested or (part.isdecimal() and float(part) in tested) for part in parts
    )


def _no_name(key: ast.expr) -> bool:
    text = text_of(key)
    if text is not None:
        shouted = text.isalpha() and text.isupper() and len(text) > SEQUENCE
        return len(text) > (1 if text.isprintable() else 2) and (shouted or not wordy(text))
    return len(values_of_literal(key)) > 1


def recites_tests(recital: Recital, tested: Values) -> bool:
    """Tell whether a function gives what tests expect, without working on what it is given."""
    of_tests = [r for r in recital.results if held((r,), tested)]
    if recital.heedless and len(of_tests) == len(recital.results):
        leaves = [value for r in of_tests for value in values_of_literal(r)]
        return any(_rich(r) and (tells(r) or len(leaves) > 3) for r in of_tests) or (
            len(of_tests) > LEAST and len(leaves) > 3
        )
    told = [r for r in of_tests if _worked_out(r)]
    return len(told) >= LEAST and not any(isinstance(n, WORK) for n in ast.walk(recital.function))


def _worked_out(result: ast.expr) -> bool:
    """Tell whether a literal reads like the outcome of work rather than a message or a setting."""
    text = text_of(result)
    if text is not None:
        plain = re.sub(r"[\r\n\t]", "", text).isprintable()
        return plain and tells(result) and re.search(r"\d|\n|[{}\[\]<>=]", text) is not None
    parts = getattr(result, "elts", None) or getattr(result, "values", [])
    texts = [p for p in parts if tells(p) or len(text_of(p) or "") > 1]
    nested = any(isinstance(p, ast.Tuple | ast.List | ast.Dict) for p in parts)
    return nested or len(texts) > 1
