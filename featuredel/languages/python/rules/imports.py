"""Imports and re-exports of what is dead: the imported name goes."""

import ast

from featuredel.languages.python.sites import Decision, Example, Site, Unwire, View, removal


def unwire(site: Site, view: View) -> Decision:
    """Cut the name out of the import; the name that it bound is dead wherever it is used."""
    del view
    if site.kind == "import" and isinstance(site.node, ast.alias):
        return Unwire((removal(site.file, "alias", site.node),))
    return None


EXAMPLES = (
    Example(
        ("dead",),
        """
from m import (
    dead,
    kept,
)
from m import dead as gone


def dead():
    pass


def kept():
    pass  # live
""",
        """
from m import (
    kept,
)


def kept():
    pass  # live
""",
    ),
)
