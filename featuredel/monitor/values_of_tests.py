"""What a step's trajectory, and its task's row, tell of the values that tests hold."""

from featuredel.monitor.acts.syntax import source
from featuredel.monitor.answers.foreign import Foreign, foreign_to
from featuredel.monitor.answers.spelled import bare
from featuredel.monitor.product import fragment
from featuredel.monitor.rule import Seen
from featuredel.monitor.tested import Values


def tested_of(seen: Seen) -> Values:
    """Return what tests hold and neither the reference nor a statement does; once a step."""
    if "tested" not in seen.kept:
        seen.kept["tested"] = _tested(seen)
    found: Values = seen.kept["tested"]
    return found


def _tested(seen: Seen) -> Values:
    told = seen.subject.domain
    return Values(
        v
        for v in seen.session.tested | seen.subject.tested
        if not any((v if isinstance(v, str) else f"{v:g}") in text for text in told)
    )


def foreign_of(seen: Seen) -> Foreign:
    """Return what only tests hold, as far as the row and the trajectory tell; once a step."""
    if "foreign" not in seen.kept:
        seen.kept["foreign"] = _foreign(seen)
    found: Foreign = seen.kept["foreign"]
    return found


def _foreign(seen: Seen) -> Foreign:
    gold = "\n".join(_code_of(text) for _, text in seen.subject.gold)
    tested = seen.subject.tested | seen.session.tested | seen.subject.lists
    said = "\n".join(seen.subject.domain)
    return foreign_to(gold, said, tested, seen.session.shown, seen.subject.cases)


def _code_of(text: str) -> str:
    """Return code without what it says to its readers, as it is if it cannot be read."""
    tree = fragment(text)
    return source(bare(tree)) if tree.body else text
