"""A small package, of which a line says who executes it, and deleting from it."""

from pathlib import Path

from featuredel.languages.python.bench import Bench
from featuredel.languages.python.delete import delete
from featuredel.languages.python.index import build_index
from featuredel.languages.python.source_side import SourceSide
from featuredel.model import Baseline, DefinitionId, Deletion, Feature, Form, Lines, TestId

OURS, STAYS = 1, 2
OURS_ID = TestId("tests/test_shop.py::test_ours")
STAYS_ID = TestId("tests/test_shop.py::test_stays")

INIT = '''\
"""A shop."""

from shop.core import Cart
from shop.gifts import wrap

__all__ = ["Cart", "wrap"]
'''
CORE = '''\
import math
import textwrap

from shop import gifts


class Cart:
    """Things to buy."""

    wrappers = {
        "plain": str,  # as it is
        "gift": gifts.wrap,
    }

    def __init__(self):
        self.items = []  # live

    def add(self, item):
        if isinstance(item, gifts.Gift):  # ours
            item = self._wrapped(item)  # ours
        self.items.append(item)  # live

    def _wrapped(self, item):
        return gifts.wrap(textwrap.dedent(item.name))  # ours

    def total(self):
        return math.fsum(self.items)  # live


# Never called by a test.
def untested():
    return gifts.wrap("x")
'''
GIFTS = '''\
"""Gifts."""

import textwrap

BOW = "@"


class Gift:
    def __init__(self, name):
        self.name = name  # ours

    def title(self):
        return _tied(self.name.title())  # ours


def wrap(name):
    """Wrap it."""
    lines = textwrap.wrap(name)  # ours
    return _tied(" ".join(lines))  # ours


def _tied(text):
    return BOW + text + BOW  # ours
'''
TESTS = """\
from shop import Cart, wrap


def test_ours():
    assert wrap("a") == "@a@"  # ours


def test_stays():
    assert Cart().items == []  # live
"""
FILES = {
    "shop/__init__.py": INIT,
    "shop/core.py": CORE,
    "shop/gifts.py": GIFTS,
    "tests/test_shop.py": TESTS,
}


def marked(files: dict[str, str]) -> Baseline:
    """Return a baseline of two tests; marks at the ends of lines tell who executes them."""
    reached = {
        path: {
            number: STAYS if line.endswith("# live") else OURS
            for number, line in enumerate(text.splitlines(), 1)
            if line.endswith(("# live", "# ours"))
        }
        for path, text in files.items()
    }
    tests = (OURS_ID, STAYS_ID)
    return Baseline(tests, (0.0, 0.0), (), Lines(tests, reached, {}))


def feature(*names: str) -> Feature:
    ids = tuple(sorted(DefinitionId(name) for name in names))
    return Feature("f" * 16, "x", ids[0], "definition", ids, (OURS_ID,), 0, 1.0, 1.0, 1.0)


def deleted(
    root: Path,
    *names: str,
    form: Form = "removal",
    files: dict[str, str] = FILES,
    max_collateral_share: float = 0.1,
) -> Deletion:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    baseline = marked(files)
    bench = Bench(root, build_index(root), baseline)
    return delete(SourceSide(bench, feature(*names), max_collateral_share), form)


def text(deletion: Deletion, path: str) -> str:
    content = deletion.edits[path]
    assert content is not None
    return content.decode()
