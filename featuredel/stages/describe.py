"""describe: the statement of a task in three registers, each checked for completeness."""

from featuredel.errors import Rejected
from featuredel.languages import Language
from featuredel.model import Deletion, Index, Snapshot, Statement, Verdict


def describe(
    snapshot: Snapshot, index: Index, deletion: Deletion, verdict: Verdict, language: Language
) -> Statement:
    """Return the statement of an accepted deletion.

    Raises `Rejected` if the tests need what cannot be told in any register with hidden tests.
    """
    statement = language.describe(snapshot.root, index, deletion, verdict.f2p)
    if statement.full is None and statement.interface is None:
        untold = sorted({need for needs in statement.gaps.values() for need in needs})
        raise Rejected("statement incomplete", "; ".join(untold)[:2000])
    return statement
