"""A view and all that is in it, each part once, within a budget."""

import struct
from collections.abc import Iterator, Sequence

from featuredel.leaks import opaque
from featuredel.leaks.bounds import Budget, Exceeded
from featuredel.leaks.finding import Finding
from featuredel.leaks.views import FORMATS
from featuredel.leaks.views.view import Damaged, Format, Unseen, View, head

_UNFORESEEN = (
    ValueError, IndexError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError,
    struct.error,
)  # fmt: skip
"""What a reader may stumble over in content made to make it stumble."""


def expand(
    view: View, budget: Budget, formats: Sequence[Format] = FORMATS
) -> Iterator[View | Finding]:
    """Yield the view, then what is in it, and a finding for each part that could not be read.

    Never raises for what the content is.
    """
    try:
        yield from _expand(view, budget, formats, 0, judged=True)
    except Exceeded as error:
        yield Finding(view.where, view.name, "bounds", "", str(error))


def _expand(
    view: View, budget: Budget, formats: Sequence[Format], depth: int, judged: bool
) -> Iterator[View | Finding]:
    budget.view()
    yield view
    if not view.deeper or not len(view.content):
        return
    start, claimed = head(view.content), False
    damages = []
    for reader in formats:
        if not reader.applies(start, view.where):
            continue
        if depth >= budget.bounds.depth:
            detail = f"archives in archives, more than {depth} deep"
            yield Finding(view.where, view.name, "bounds", "", detail)
            return
        try:
            for part in reader.views(view, budget):
                if isinstance(part, Unseen):
                    budget.view()
                    yield Finding(part.where, reader.name, "opaque", "", part.detail)
                else:
                    yield from _expand(part, budget, formats, depth + 1, judged=reader.claims)
            claimed = claimed or reader.claims
        except Damaged as error:
            damages.append(str(error))
        except _UNFORESEEN as error:
            damages.append(f"{reader.name}: {type(error).__name__}: {error}")
    if judged and not claimed and (reason := opaque.judge(view.content)):
        detail = "; ".join([reason, *damages])
        yield Finding(view.where, view.name, "opaque", "", detail)
