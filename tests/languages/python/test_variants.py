"""Tests that were collected once, run with other function bodies, are like runs of their own."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from candidates import this_environment, write

from featuredel.forks import run_forked, run_variants
from featuredel.languages import front_end
from featuredel.languages.python import warm
from featuredel.model import TestId, TestRequest, TestRun, Variant
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.sandbox.shared import Shared

pytestmark = pytest.mark.sandbox

PYTHON = front_end("python")
MODULE = b"""
import functools

def twice(x):
    return 2 * x

@functools.lru_cache
def cached(x):
    return x + 1

class Number:
    def __init__(self, value):
        self.value = value

    @property
    def next(self):
        return self.value + 1

def made(step):
    def add(x):
        return x + step
    return add

add_two = made(2)
TABLE = [1, 2]

class Later:
    def last(self):
        return 7
"""
TESTS = b"""
import mod

def test_twice():
    assert mod.twice(2) == 4

def test_cached():
    assert mod.cached(1) == 2

def test_number():
    assert mod.Number(1).next == 2

def test_last():
    assert mod.Later().last() == 7

def test_made():
    assert mod.add_two(1) == 3

def test_table():
    assert mod.TABLE == [1, 2]
"""
RAN = {"mod.py": frozenset({20, 22})}
"""`made` is called when the module is imported."""


@pytest.fixture
def sandbox() -> Iterator[Shared]:
    with contextlib.closing(Shared(Bubblewrap())) as shared:
        yield shared


def failing(run: TestRun) -> list[str]:
    return [t.partition("::test_")[2] for t, r in run.results.items() if r.outcome != "passed"]


CHANGES = {
    "twice": (b"2 * x", b"3 * x"),
    "cached": (b"x + 1", b"x - 1"),
    "number": (b"self.value + 1", b"(self.value +\n            5)"),  # moves what follows
    "last": (b"return 7", b"return 8"),
    "made": (b"x + step", b"x - step"),
    "table": (b"[1, 2]", b"[1, 3]"),
}


def test_each_variant_is_judged_by_itself(tmp_path: Path, sandbox: Shared) -> None:
    root = write(tmp_path / "tree", {"mod.py": MODULE, "test_mod.py": TESTS})
    variants = [{"mod.py": MODULE.replace(*change)} for change in CHANGES.values()]
    variants += [{"mod.py": MODULE}, {"mod.py": b"no python"}]
    expected = [[name] for name in CHANGES] + [[], list(CHANGES)]
    where = (this_environment(), (root,), TestRequest(), tmp_path)
    runs = list(run_variants(PYTHON, sandbox, *where, [Variant(v) for v in variants], RAN))
    alone = [run_forked(PYTHON, sandbox, *where, files) for files in variants]
    assert [failing(run) for run in alone[:-1]] == expected[:-1]
    told = {number: run for number, run in enumerate(runs) if run is not None}
    assert len(told) >= 5
    assert [failing(alone[n]) for n in told] == [failing(run) for run in told.values()]


def answered(
    tmp_path: Path, sandbox: Shared, tests: bytes, variants: Sequence[Mapping[str, bytes]]
) -> Mapping[int, TestRun]:
    """Return what was judged without a run of its own."""
    root = write(tmp_path / "tree", {"mod.py": MODULE, "test_mod.py": tests})
    request = TestRequest()
    session = sandbox.open(PYTHON.warm_command(this_environment(), tmp_path, request.seed))
    some = [Variant(files) for files in variants]
    question = warm.warm_question(this_environment(), tmp_path, (root,), request, {}, some, 1, RAN)
    answer = session.ask(question, 30.0) if session else None
    assert answer is not None
    return PYTHON.variant_runs(request, answer)


def test_only_what_a_loaded_program_can_be_given(tmp_path: Path, sandbox: Shared) -> None:
    variants = [{"mod.py": MODULE.replace(*change)} for change in CHANGES.values()]
    found = answered(tmp_path, sandbox, TESTS, [*variants, {"new.py": b""}])
    assert sorted(found) == [0, 1, 2, 3, 5]  # not what ran at import, nor new files


def test_nothing_of_a_variant_is_there_for_the_next(tmp_path: Path, sandbox: Shared) -> None:
    tests = b"""
import os, pathlib, mod

def test_left(tmp_path):
    assert not os.path.exists("/tmp/left") and not hasattr(mod, "left")
    assert str(tmp_path).endswith("pytest-0/test_left0")
    pathlib.Path("/tmp/left").write_text("x")
    mod.left = 1
"""
    variants = [{"mod.py": MODULE.replace(*CHANGES["twice"])}] * 3
    found = answered(tmp_path, sandbox, tests, variants)
    assert [failing(run) for run in found.values()] == [[], [], []]


def test_a_tree_that_was_written_to_serves_no_more(tmp_path: Path, sandbox: Shared) -> None:
    tests = b"import mod, pathlib\n\ndef test_it():\n    pathlib.Path('new').write_text('')\n"
    variants = [{"mod.py": MODULE.replace(*CHANGES["twice"])}] * 3
    assert list(answered(tmp_path, sandbox, tests, variants)) == [0]


def test_a_file_that_nobody_imports_changes_nothing(tmp_path: Path, sandbox: Shared) -> None:
    late = b"def test_late():\n    import other\n    assert other.x == 1\n"
    root = write(
        tmp_path / "tree", {"mod.py": MODULE, "other.py": b"x = 1\n", "test_mod.py": TESTS + late}
    )
    ids = [TestId(f"test_mod.py::test_{name}") for name in ("table", "late")]
    variants = [Variant({"other.py": b"x = 2\n"}, (test,)) for test in ids]
    where = (this_environment(), (root,), TestRequest(), tmp_path)
    runs = list(run_variants(PYTHON, sandbox, *where, variants, RAN))
    assert runs[0] is not None and failing(runs[0]) == []
    assert runs[1] is None


LOOKING = {
    "the file": b"def test_it():\n    assert open('mod.py').read()\n",
    "its source": (
        b"import inspect, mod\n\ndef test_it():\n    assert inspect.getsource(mod.twice)\n"
    ),
    "another process": (
        b"import subprocess, sys\n\ndef test_it():\n"
        b"    assert not subprocess.call([sys.executable, '-c', 'import mod'])\n"
    ),
}


@pytest.mark.parametrize("tests", LOOKING.values(), ids=LOOKING)
def test_what_looks_at_the_disk_is_run_afresh(
    tmp_path: Path, sandbox: Shared, tests: bytes
) -> None:
    variants = [{"mod.py": MODULE.replace(*CHANGES["twice"])}] * 2
    assert answered(tmp_path, sandbox, b"import mod\n" + tests, variants) == {}


def test_a_program_with_threads_is_not_forked(tmp_path: Path, sandbox: Shared) -> None:
    thread = b"threading.Thread(target=time.sleep, args=(9,), daemon=True)"
    tests = b"import threading, time\n\n" + thread + b".start()\n" + TESTS
    variants = [{"mod.py": MODULE.replace(*CHANGES["twice"])}] * 2
    assert answered(tmp_path, sandbox, tests, variants) == {}


# --- what goes -----------------------------------------------------------------------------

GOING: Mapping[str, tuple[bytes, list[str]]] = {
    "a function": (b"def twice(x):\n    return 2 * x\n", ["twice"]),
    "a cached function": (b"@functools.lru_cache\ndef cached(x):\n    return x + 1\n", ["cached"]),
    "a method": (
        b"    @property\n    def next(self):\n        return self.value + 1\n",
        ["number"],
    ),
    "a class": (b"class Later:\n    def last(self):\n        return 7\n", ["last"]),
    "a constant": (b"TABLE = [1, 2]\n", ["table"]),
}


def gone(tmp_path: Path, sandbox: Shared, variants: list[Variant], most: int) -> list[TestRun]:
    """Return what the tests do without each of these, up to `most` in one process."""
    root = write(tmp_path / "tree", {"mod.py": MODULE, "test_mod.py": TESTS})
    where = (this_environment(), (root,), TestRequest(), tmp_path)
    runs = list(run_variants(PYTHON, sandbox, *where, variants, RAN, most))
    assert None not in runs
    return [run for run in runs if run is not None]


def test_names_that_go(tmp_path: Path, sandbox: Shared) -> None:
    variants = [Variant({"mod.py": MODULE.replace(text, b"")}) for text, _ in GOING.values()]
    runs = gone(tmp_path, sandbox, variants, 1)
    assert [failing(run) for run in runs] == [fails for _, fails in GOING.values()]
    assert not any(run.shared for run in runs)


def test_several_in_one_process(tmp_path: Path, sandbox: Shared) -> None:
    variants = [
        Variant(
            {"mod.py": MODULE.replace(text, b"")}, (TestId(f"test_mod.py::test_{name}"),),
            alone=False,
        )
        for text, (name,) in GOING.values()
    ]  # fmt: skip
    runs = gone(tmp_path, sandbox, variants, 4)
    assert [failing(run) for run in runs] == [fails for _, fails in GOING.values()]
    assert [run.shared for run in runs] == [True] * 5


def test_what_passes_without_the_change_is_no_verdict_in_company(
    tmp_path: Path, sandbox: Shared
) -> None:
    names = ["twice", "table", "last"]
    files = [MODULE, *(MODULE.replace(GOING[key][0], b"") for key in ("a constant", "a class"))]
    variants = [
        Variant({"mod.py": text}, (TestId(f"test_mod.py::test_{name}"),), alone=False)
        for text, name in zip(files, names, strict=True)
    ]
    runs = gone(tmp_path, sandbox, variants, 4)
    assert (failing(runs[0]), runs[0].shared) == ([], False)
    assert [failing(run) for run in runs[1:]] == [["table"], ["last"]]


def test_who_imported_what_goes_loses_it(tmp_path: Path, sandbox: Shared) -> None:
    taking = b"from mod import twice, Later\nimport user\n"
    tests = (
        taking
        + b"""
def test_imported():
    assert twice(1) == 2

def test_class():
    assert Later().last() == 7

def test_elsewhere():
    assert user.four() == 4
"""
    )
    five = b"def five():\n    return 5\n"
    user = b"from mod import twice\n\ndef four():\n    return twice(2)\n\n" + five
    root = write(tmp_path / "tree", {"mod.py": MODULE, "user.py": user, "test_mod.py": tests})
    variants = [
        Variant(
            {"mod.py": MODULE.replace(GOING["a function"][0], b""), "user.py": five},
            hidden=("test_mod.py",),
        ),
        Variant({"mod.py": MODULE.replace(GOING["a class"][0], b"")}, hidden=("test_mod.py",)),
    ]
    where = (this_environment(), (root,), TestRequest(), tmp_path)
    runs = [run for run in run_variants(PYTHON, sandbox, *where, variants, RAN) if run is not None]
    assert [failing(run) for run in runs] == [["imported", "elsewhere"], ["class"]]


def test_only_the_tests_that_were_asked_for(tmp_path: Path, sandbox: Shared) -> None:
    root = write(tmp_path / "tree", {"mod.py": MODULE, "test_mod.py": TESTS})
    asked = (TestId("test_mod.py::test_twice"), TestId("test_mod.py::test_table"))
    files = {"mod.py": MODULE.replace(GOING["a function"][0], b"")}
    variants = [Variant(files, asked), Variant({"mod.py": MODULE}, asked[:1])]
    where = (this_environment(), (root,), TestRequest(), tmp_path)
    runs = [run for run in run_variants(PYTHON, sandbox, *where, variants, RAN) if run is not None]
    assert [sorted(run.results) for run in runs] == [sorted(asked), list(asked[:1])]
    assert [failing(run) for run in runs] == [["twice"], []]


BASES = b"""
LIMIT = 3
DEPTH = 4

class Base:
    def __init__(self):
        self.base = True

class Heir(Base):
    size = 1

    def __init__(self, value):
        super().__init__()
        self.value = value

def deep(depth=DEPTH):
    return depth
"""
USING_BASES = b"""
import mod
from mod import LIMIT

def test_limit():
    assert mod.LIMIT == LIMIT == 3

def test_size():
    assert mod.Heir(2).size == 1

def test_base():
    assert mod.Heir(2).base

def test_deep():
    assert mod.deep() == 4
"""


def test_constants_and_methods_that_call_their_base(tmp_path: Path, sandbox: Shared) -> None:
    root = write(tmp_path / "tree", {"mod.py": BASES, "test_mod.py": USING_BASES})
    changes = [
        (b"LIMIT = 3", b"LIMIT = None"),
        (b"size = 1", b"size = None"),
        (b"super().__init__()\n        self.value = value", b"return None"),
        (b"DEPTH = 4", b"DEPTH = 5"),
    ]
    variants = [Variant({"mod.py": BASES.replace(*change)}) for change in changes]
    where = (this_environment(), (root,), TestRequest(), tmp_path)
    runs = list(run_variants(PYTHON, sandbox, *where, variants, {"mod.py": frozenset()}))
    alone = [run_forked(PYTHON, sandbox, *where, one.files) for one in variants]
    assert [failing(run) for run in alone] == [["limit"], ["size"], ["base"], ["deep"]]
    assert [run and failing(run) for run in runs] == [["limit"], ["size"], ["base"], None]


def test_a_file_that_is_taken_away(tmp_path: Path, sandbox: Shared) -> None:
    tests = b"def test_it():\n    import other\n"
    root = write(tmp_path / "tree", {"other.py": b"", "test_mod.py": tests})
    where = (this_environment(), (root,), TestRequest(), tmp_path)
    assert failing(run_forked(PYTHON, sandbox, *where, {"other.py": None})) == ["it"]
    assert failing(run_forked(PYTHON, sandbox, *where)) == []
