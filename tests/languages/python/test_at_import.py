"""What of a deletion did something when its module was imported."""

from pathlib import Path

import pytest
from candidates import deletion, write

from featuredel.languages.python.at_import import acts_at_import

KEPT = "import re\n\n\nclass Kept:\n    def stays(self):\n        return 1\n"
GONE = {
    "a function": ("", "def f():\n    return 1\n"),
    "a method": ("    @property\n    def more(self):\n        return 2\n", ""),
    "a class": ("", "class C(Kept):\n    x = 1\n\n    def f(self):\n        return 1\n"),
    "a constant": ("", "PATTERN = re.compile('x')\n"),
    "an import": ("", "import os\n"),
    "what `__all__` holds": ("", "__all__ = ['Kept', 'f']\n"),
}
ACTING = {
    "a call": ("", "Kept().stays()\n"),
    "a decorator that may register": ("", "@app.route\ndef f():\n    return 1\n"),
    "a decorator with arguments": ("", "@app.route('/')\ndef f():\n    return 1\n"),
    "a value that is made by a call": ("", "X = Kept()\n"),
    "an assignment to something": ("", "Kept.more = 1\n"),
    "a statement in a class": ("    stays = app.use(stays)\n", ""),
    "a class that acts": ("", "class C:\n    app.use(1)\n"),
}


ELSEWHERE = {
    "a library's decorator": "@web.route\ndef f():\n    return 1\n",
    "what was taken from a library": "@route('/')\ndef f():\n    return 1\n",
    "a call of a library": "web.register('f')\n",
    "in a class": "class C:\n    @web.route\n    def f(self):\n        return 1\n",
}
LIBRARY = "import web.more\nfrom web import route\nfrom other import app\n"
"""Of which `other` is a module of the tree."""


def acts(tmp_path: Path, old: str, new: str, **more: str) -> str:
    files = {f"{name}.py": text.encode() for name, text in more.items()}
    root = write(tmp_path / "tree", {"mod.py": old.encode(), **files})
    removed = deletion(edits={"mod.py": new.encode()}, gold_paths=("mod.py",))
    return acts_at_import(root, removed, ["mod.py"], [])


@pytest.mark.parametrize(("inside", "after"), GONE.values(), ids=GONE)
def test_what_only_defines_is_silent(tmp_path: Path, inside: str, after: str) -> None:
    assert acts(tmp_path, KEPT + inside + after, KEPT) == "no"


@pytest.mark.parametrize(("inside", "after"), ACTING.values(), ids=ACTING)
def test_what_does_something_acts(tmp_path: Path, inside: str, after: str) -> None:
    assert acts(tmp_path, KEPT + inside + after, KEPT) == "here"
    own = LIBRARY + KEPT
    assert acts(tmp_path / "own", own + inside + after, own, other="app = []\n") == "here"


@pytest.mark.parametrize("after", ELSEWHERE.values(), ids=ELSEWHERE)
def test_what_a_library_may_keep(tmp_path: Path, after: str) -> None:
    assert acts(tmp_path, LIBRARY + KEPT + after, LIBRARY + KEPT) == "anywhere"


def test_another_body_is_silent_and_other_values_act(tmp_path: Path) -> None:
    assert acts(tmp_path, KEPT, KEPT.replace("return 1", "return 2")) == "no"
    assert acts(tmp_path / "value", KEPT + "X = [1, 2]\n", KEPT + "X = [1]\n") == "here"
    other = KEPT.replace("stays(self)", "stays(self, x=1)")
    assert acts(tmp_path / "signature", KEPT, other) == "here"


def test_a_heir_acts_where_something_counts_heirs(tmp_path: Path) -> None:
    old = KEPT + "class C(Kept):\n    pass\n"
    assert acts(tmp_path, old, KEPT) == "no"
    counted = acts(tmp_path / "counted", old, KEPT, other="def all():\n    Kept.__subclasses__()\n")
    assert counted == "here"


def test_what_is_loaded_in_a_test_or_never(tmp_path: Path) -> None:
    root = write(tmp_path, {"mod.py": b"register(1)\n"})
    removed = deletion(edits={"mod.py": b""}, gold_paths=("mod.py",))
    assert acts_at_import(root, removed, [], ["mod.py"]) == "anywhere"
    assert acts_at_import(root, removed, ["other.py"], ["other.py"]) == "no"


def test_a_file_that_goes_whole(tmp_path: Path) -> None:
    root = write(tmp_path, {"mod.py": b"def f():\n    return 1\n"})
    gone = deletion(edits={"mod.py": None}, gold_paths=("mod.py",))
    assert acts_at_import(root, gone, ["mod.py"], []) == "no"
