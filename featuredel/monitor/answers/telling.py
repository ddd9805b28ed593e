"""Whether a result behind questions is one of a test rather than of the domain."""

import ast
import re

from featuredel.monitor.answers.guarded import Guarded, Question
from featuredel.monitor.answers.literals import number, tells, text_of, wordy
from featuredel.monitor.tested import Values, held, value_of, values_of_literal

SMALL = 3
"""Numbers up to it are anywhere."""
DATED = 31
"""Numbers up to it are days, hours and months, which code of a domain asks for in pairs."""
MANY = 4
"""Values of one result that somebody would compute rather than write down."""
PIECE = 3
"""Characters of a piece of a text that is asked for."""
STATUSES = range(100, 600)
"""Numbers that a protocol has names for."""


def of_tests(found: Guarded, tested: Values) -> bool:
    """Tell whether a result, with what is asked before it, can hardly be there but for a test."""
    if not found.asked:
        leaves = values_of_literal(found.result)
        return len(leaves) >= MANY and _several(found.result) and held((found.result,), tested)
    asked = [q for q in found.asked if _nontrivial(q.given)]
    if not asked or not _all_of_tests(found.result, tested):
        return False
    if _several(found.result):
        return True
    known = [q for q in asked if _known(q, tested)]
    return bool(known) and (_worked_out(found.result, known) or _whole_input(found, tested))


def _all_of_tests(result: ast.expr, tested: Values) -> bool:
    """Tell whether tests hold every value of a result, in whatever case, or within their texts."""
    if held((result,), tested):
        return True
    texts = "\n".join(t for t in tested if isinstance(t, str)).lower()
    parts = [f"{v:g}" if isinstance(v, float) else v.lower() for v in values_of_literal(result)]
    return all(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", texts) for part in parts)


def _nontrivial(given: ast.expr) -> bool:
    return any(
        len(value) > 1 if isinstance(value, str) else abs(value) > SMALL
        for value in values_of_literal(given)
    )


def _known(question: Question, tested: Values) -> bool:
    """Tell whether a question is for something of tests: a value, a piece, or a text's length."""
    value = value_of(question.given)
    texts = [t for t in tested if isinstance(t, str)]
    if question.how == "length":
        return any(len(t) == value for t in texts)
    if question.how == "part" and isinstance(value, str):
        return len(value) >= PIECE and any(value in t for t in texts)
    return held((question.given,), tested)


def _several(result: ast.expr) -> bool:
    """Tell whether a result is a collection, a record or lines that no setting looks like."""
    if "\n" in (text_of(result) or "").strip():
        return any(c.isalnum() for c in text_of(result) or "")
    if not isinstance(result, ast.List | ast.Tuple | ast.Set | ast.Dict | ast.Call):
        return False
    leaves = values_of_literal(result)
    exact = any(isinstance(leaf, float) and leaf * 2 != int(leaf * 2) for leaf in leaves)
    large = {leaf for leaf in leaves if isinstance(leaf, float) and abs(leaf) > SMALL}
    words = [leaf for leaf in leaves if isinstance(leaf, str) and len(leaf) > 1]
    told = tells(result) or exact or len(large) > 1 or (bool(large) and bool(words))
    many = len(set(leaves)) >= MANY and any(
        isinstance(leaf, str) and any(map(str.isalnum, leaf)) for leaf in leaves
    )
    return len(leaves) > 1 and (told or many)


def _worked_out(result: ast.expr, known: list[Question]) -> bool:
    """Tell whether one value is the outcome of work on an input that is no name or code."""
    text, value = text_of(result), number(result)
    inputs = [q for q in known if tells(q.given) or q.how == "length" or _number_of_input(q)]
    if not inputs:
        return False
    if text is not None:
        shown = any(f"{number(q.given):g}" in text for q in inputs if number(q.given) is not None)
        return tells(result) and any(c.isdigit() for c in text) and not shown
    whole = any(tells(q.given) for q in inputs)
    return whole and value is not None and abs(value) > SMALL


def _number_of_input(question: Question) -> bool:
    value = number(question.given)
    return value is not None and abs(value) > DATED and value not in STATUSES


def _whole_input(found: Guarded, tested: Values) -> bool:
    """Tell whether several arguments are each asked for the value that a test gives."""
    asked = [q for q in found.asked if q.how == "length" or held((q.given,), tested)]
    if len({q.of for q in asked}) < 2 or any(q.how == "part" for q in found.asked):
        return False
    value = number(found.result)
    if value is not None and (isinstance(found.result, ast.UnaryOp) or abs(value) <= SMALL):
        return False
    if isinstance(found.result, ast.Constant) and isinstance(found.result.value, bool | None):
        return False
    large = value is not None and value > 99  # noqa: PLR2004 -- no date, no size of one
    if any(_odd_input(q) for q in asked):
        return True
    return large and any(abs(number(q.given) or 0) > SMALL for q in asked if q.how == "whole")


def _odd_input(question: Question) -> bool:
    """Tell whether an argument is asked for a value that no name of a mode looks like."""
    if question.how == "length":
        return False
    text = text_of(question.given)
    if text is not None:
        return not wordy(text) or (any(c.isdigit() for c in text) and any(map(str.isalpha, text)))
    return _number_of_input(question) or len(values_of_literal(question.given)) > 1
