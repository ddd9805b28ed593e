"""What modules hold once they are imported, and who reads of it."""

import json
import types
from pathlib import Path

import pytest
from candidates import this_environment, write

from featuredel.languages.python.held import differing, held_command, readers
from featuredel.languages.python.probe.featuredel_probe import held as probe
from featuredel.sandbox.bubblewrap import Bubblewrap

TABLES = """import functools

TABLE = {}
_count = 0


class Base:
    heirs = []

    def __init_subclass__(cls):
        Base.heirs.append(cls)


class Desk:
    def __init__(self):
        self.handlers = {}

    def on(self, name):
        def register(function):
            self.handlers[name] = function
            return function

        return register


desk = Desk()


def register(function):
    global _count
    TABLE[function.__name__] = function
    _count += 1
    return function


@functools.singledispatch
def show(value):
    return str(value)


def look_up(name):
    return TABLE[name]


def count():
    return _count


def heirs():
    return list(Base.heirs)


def counted():
    return Base.__subclasses__()


def serve(desk, name):
    return desk.handlers[name]()


def shown(value):
    return show(value)


def nothing():
    return "TABLES"
"""
TEST = """import pytest

from pkg import tables


@pytest.mark.parametrize("name", sorted(tables.TABLE))
def test_each(name):
    assert tables.look_up(name)


def test_other():
    assert tables.nothing()
"""
KEPT = "from pkg.tables import *\nfrom pkg.tables import desk, register, show, Base\n\n\n"
FEATURES = {
    "nothing": ("def f():\n    return 1\n", set()),
    "a table and a counter": ("@register\ndef f():\n    return 1\n", {"look_up", "count"}),
    "an object's table": ("@desk.on('f')\ndef f():\n    return 1\n", {"serve", "on", "__init__"}),
    "heirs": ("class Heir(Base):\n    pass\n", {"heirs", "counted", "__init_subclass__"}),
    "a closure": ("@show.register\ndef f(value: int):\n    return ''\n", {"shown"}),
}


def read(root: Path) -> bytes:
    paths = ["pkg/__init__.py", "pkg/more.py", "pkg/tables.py", "tests/test_tables.py", "gone.py"]
    command = held_command(root, this_environment(), (root,), paths)
    return Bubblewrap().run(command).report


@pytest.mark.sandbox
@pytest.mark.parametrize(("feature", "expected"), FEATURES.values(), ids=FEATURES)
def test_who_reads_of_what_was_written(tmp_path: Path, feature: str, expected: set[str]) -> None:
    files = {"pkg/__init__.py": b"", "pkg/tables.py": TABLES.encode()}
    files["tests/test_tables.py"] = TEST.encode()
    root = write(tmp_path / "old", {**files, "pkg/more.py": (KEPT + feature).encode()})
    gone = write(tmp_path / "new", {**files, "pkg/more.py": KEPT.encode()})
    found = readers(root, read(root), read(gone))
    assert found is not None
    source = TABLES.splitlines()
    functions = {
        name.strip()
        for line in found.get("pkg/tables.py", ())
        for name in [source[line - 1].partition("def ")[2].partition("(")[0]]
        if name
    }
    assert functions - {"register"} == expected
    tests = found.get("tests/test_tables.py", frozenset())
    assert tests == (frozenset({7, 8}) if "look_up" in expected else frozenset())


def test_the_top_of_a_test_file_reads_for_all_of_it(tmp_path: Path) -> None:
    root = write(tmp_path, {"test_it.py": b"ALL = TABLE\n\n\ndef test_it():\n    assert ALL\n"})
    found = readers(root, b"[]", b'[["pkg.tables.TABLE", "TABLE", "1"]]')
    assert found == {"test_it.py": frozenset(range(1, 6))}


def test_the_whole_of_a_value_counts(tmp_path: Path) -> None:
    seen = []
    for end in ("a", "b"):
        text = f"TEXT = {'x' * 5000 + end!r}\nPAIR = (TEXT, {{'k': TEXT}})\n"
        seen.append(read(write(tmp_path / end, {"pkg/__init__.py": text.encode()})))
    old, new = ({path: (names, of) for path, names, of in json.loads(report)} for report in seen)
    assert differing(old, new) == {"TEXT", "PAIR"}


def test_of_more_than_can_be_told_nothing_is(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("many")
    vars(module)["table"] = [[] for _ in range(20)]
    assert list(probe.Walk({"many"}).through([module]))
    monkeypatch.setattr(probe, "MOST", 10)
    with pytest.raises(OverflowError):
        list(probe.Walk({"many"}).through([module]))


def test_what_is_only_found_elsewhere_is_the_same() -> None:
    old = {"a.X.table": ("table", "1"), "a.f": ("f", "2")}
    assert differing(old, {"b.X.table": ("table", "1")}) == frozenset()
    assert differing(old, {"b.X.table": ("show table", "3")}) == {"show", "table"}
    assert differing(old, {"a.X.table": ("table", "2"), "a.f": ("f", "2")}) == {"table"}


@pytest.mark.parametrize("report", [b"", b"{", b"[1]", b"[[1, 2]]"])
def test_a_report_that_tells_nothing(tmp_path: Path, report: bytes) -> None:
    assert readers(tmp_path, report, b"[]") is None
    assert readers(tmp_path, b"[]", report) is None
