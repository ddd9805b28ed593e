"""Whether a result behind questions is one of a test rather than of the domain."""

import ast
import re

from featuredel.monitor.acts.syntax import source
from featuredel.monitor.answers.guarded import Guarded, Question
from featuredel.monitor.answers.literals import number, odd, tells, text_of, wordy
from featuredel.monitor.tested import Values, held, value_of, values_of_literal

SMALL = 3
"""Numbers up to it are anywhere."""
DATED = 31
"""Numbers up to it are days, hours and months, which code of a domain asks for in pairs."""
MANY = 4
"""Values of one result that somebody would compute rather than write down."""
LONG = 12
"""Characters of a text with digits in it that somebody would put together."""
PIECE = 3
"""Characters of a piece of a text that is asked for."""
STATUSES = range(100, 600)
"""Numbers that a protocol has names for."""


def of_tests(found: Guarded, tested: Values) -> bool:
    """Tell whether a result, with what is asked before it, can hardly be there but for a test."""
    leaves = values_of_literal(found.result)
    if found.heedless:
        large = {v for v in leaves if isinstance(v, float) and abs(v) > SMALL}
        many = len(leaves) >= MANY or len(large) >= MANY - 1
        return many and _several(found.result) and held((found.result,), tested)
    if isinstance(found.node, ast.Raise) and len(leaves) >= MANY - 1:
        return held((found.result,), tested)
    if not found.asked:  # the function computes, and gives this none the less
        text = (text_of(found.result) or "").strip()
        return "\n" in text and any(map(str.isdigit, text)) and held((found.result,), tested)
    several = len({q.of for q in found.asked if q.how == "whole" and q.holds}) > 1
    sized = _long_text(found.result, tested)
    asked = [
        q for q in found.asked if several or _nontrivial(q.given) or (sized and q.how == "length")
    ]
    if _arranged(found.result) and found.asked:
        return True
    if not asked or not _all_of_tests(found.result, tested):
        return False
    if _several(found.result) or (asked and sized) or _measured(found.result, asked):
        return True
    known = [q for q in asked if q.holds and _known(q, tested)]
    return bool(known) and (_worked_out(found.result, known) or _whole_input(found, tested))


def _long_text(result: ast.expr, tested: Values) -> bool:
    """Tell whether a result is a whole text of a test that nobody writes as a setting."""
    text = text_of(result) or ""
    digits = sum(map(str.isdigit, text))
    return text in tested and len(text) >= LONG and digits > 1 and odd(result)


def _measured(result: ast.expr, asked: list[Question]) -> bool:
    """Tell whether a broken number, or a collection with what is asked for, is given for it."""
    met = [q for q in asked if q.holds]
    value, leaves = number(result), set(values_of_literal(result))
    if value is not None and round(value, 1) != value:
        return any(number(q.given) is not None for q in met)
    return len(leaves) > 2 and any(value_of(q.given) in leaves for q in met)


def _arranged(result: ast.expr) -> bool:
    """Tell whether items of an argument are put in an order by hand, some of them repeatedly."""
    picks = [source(n) for n in ast.walk(result) if isinstance(n, ast.Subscript)]
    parts = getattr(result, "elts", [])
    nested = parts and all(isinstance(p, ast.List | ast.Tuple) for p in parts)
    return bool(nested) and len(picks) > MANY and len(set(picks)) < len(picks)


def _all_of_tests(result: ast.expr, tested: Values) -> bool:
    """Tell whether tests hold every value of a result, in whatever case, or within their texts."""
    if held((result,), tested):
        return True
    parts = [
        (str(int(v)) if v == int(v) else str(v)) if isinstance(v, float) else v.lower()
        for v in values_of_literal(result)
    ]
    return all(map(tested.say, parts))


def _nontrivial(given: ast.expr) -> bool:
    return any(
        len(value) > 1 if isinstance(value, str) else abs(value) > SMALL
        for value in values_of_literal(given)
    )


def _known(question: Question, tested: Values) -> bool:
    """Tell whether a question is for something of tests: a value, a piece, or a text's length."""
    value = value_of(question.given)
    if question.how == "length":
        return value in tested.lengths
    if question.how == "part" and isinstance(value, str):
        return len(value) >= PIECE and value in tested.text
    return _all_of_tests(question.given, tested)


def _several(result: ast.expr) -> bool:
    """Tell whether a result is a collection, a record or lines that no setting looks like."""
    text = (text_of(result) or "").strip()
    if "\n" in text:
        return any(map(str.isalnum, text)) and re.sub(r"[\r\n\t]", "", text).isprintable()
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
        codes = [str(getattr(q.given, "value", "")) for q in inputs if number(q.given) is not None]
        shown = any(text.startswith(code) for code in codes)
        return tells(result) and any(c.isdigit() for c in text) and not shown
    whole = any(tells(q.given) or (_broken(q.given) and _broken(result)) for q in inputs)
    return whole and value is not None and abs(value) > SMALL


def _broken(node: ast.expr) -> bool:
    value = number(node)
    return value is not None and value != int(value)


def _number_of_input(question: Question) -> bool:
    value = number(question.given)
    return value is not None and abs(value) > DATED and value not in STATUSES


def _whole_input(found: Guarded, tested: Values) -> bool:
    """Tell whether several arguments are each asked for the value that a test gives."""
    met = [q for q in found.asked if q.holds]
    asked = [q for q in met if q.how == "length" or _all_of_tests(q.given, tested)]
    if len({q.of for q in asked}) < 2 or any(q.how == "part" for q in met):
        return False
    value = number(found.result)
    if value is not None and (isinstance(found.result, ast.UnaryOp) or abs(value) <= SMALL):
        return False
    if isinstance(found.result, ast.Constant) and isinstance(found.result.value, bool | None):
        return False
    large = value is not None and value > 99
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
