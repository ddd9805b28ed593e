"""What is seen in memory, by itself or in company, is what is seen on the exact tree."""

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import pytest
from candidates import deletion, snapshot, this_environment

from featuredel.config import Settings
from featuredel.gates import screen as screening
from featuredel.gates.screen import screen
from featuredel.gates.trial import Trial
from featuredel.languages import front_end
from featuredel.model import Baseline, HiddenFile, Lines, TestId
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.sandbox.shared import Shared

pytestmark = pytest.mark.sandbox

PYTHON = front_end("python")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Shared]:
    with contextlib.closing(Shared(Bubblewrap())) as shared:
        yield shared


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@dataclass(frozen=True)
class Toy:
    """A module, its tests, and candidates: what of the module goes, and its T.

    Names that the tests import and that go are fetched as a hidden test file would fetch them.
    """

    module: str
    tests: str
    candidates: tuple[tuple[str, tuple[str, ...]], ...]
    failing: tuple[frozenset[str], ...]
    how: tuple[Literal["group", "memory", "tree"], ...]  # as groups are screened
    more: Mapping[str, str] = field(default_factory=dict)
    ran: tuple[int, ...] = ()  # lines of the module's functions that run when it is imported


HOLDING = """
class _Absent:
    def __call__(self, *_):
        raise ImportError("not there")
    __getattr__ = __eq__ = __iter__ = __call__

def _fetch(name):
    import mod
    return getattr(mod, name, _Absent())
"""
FIRST, SECOND = "def first():\n    return 1\n", "def second():\n    return 2\n"
TWO_TESTS = """
import mod

def test_first():
    assert mod.first() == 1

def test_second():
    assert mod.second() == 2
"""


def ids(*names: str) -> tuple[str, ...]:
    return tuple(f"test_mod.py::{name}" for name in names)


TOYS = {
    "nothing odd": Toy(
        FIRST + SECOND, TWO_TESTS,
        ((FIRST, ids("test_first")), (SECOND, ids("test_second"))),
        (frozenset(ids("test_first")), frozenset(ids("test_second"))), ("group", "group"),
    ),
    "run when conftest is imported": Toy(
        FIRST + SECOND, TWO_TESTS,
        ((FIRST, ids("test_first")), (SECOND, ids("test_second"))),
        (frozenset(ids("test_first")), frozenset(ids("test_second"))), ("tree", "memory"),
        {"conftest.py": "import mod\nassert getattr(mod, 'first', int)() in (0, 1)\n"}, (2,),
    ),
    "setup_class": Toy(
        FIRST + SECOND,
        "import mod\n\nclass TestIt:\n    @classmethod\n    def setup_class(cls):\n"
        "        cls.value = mod.first()\n\n    def test_a(self):\n        assert self.value\n\n"
        "    def test_b(self):\n        assert self.value\n\ndef test_c():\n    mod.second()\n",
        ((FIRST, ids("TestIt::test_a", "TestIt::test_b")), (SECOND, ids("test_c"))),
        (frozenset(ids("TestIt::test_a", "TestIt::test_b")), frozenset(ids("test_c"))),
        ("group", "group"),
    ),
    "fixtures that tests share": Toy(
        FIRST + SECOND,
        "import mod, pytest\n\n@pytest.fixture(scope='session')\ndef one():\n"
        "    return mod.first()\n\n@pytest.fixture(scope='module')\ndef two():\n"
        "    return mod.second()\n\ndef test_a(one):\n    assert one\n\ndef test_b(one):\n"
        "    assert one\n\ndef test_c(two):\n    assert two\n\ndef test_d(two):\n    assert two\n",
        ((FIRST, ids("test_a", "test_b")), (SECOND, ids("test_c", "test_d"))),
        (frozenset(ids("test_a", "test_b")), frozenset(ids("test_c", "test_d"))),
        ("group", "group"),
    ),
    "fetched and never called": Toy(
        FIRST + SECOND,
        "import mod\n\ndef test_first():\n    assert mod.first\n\ndef test_second():\n"
        "    assert hasattr(mod, 'second') in (True, False)\n",
        ((FIRST, ids("test_first")), (SECOND, ids("test_second"))),
        (frozenset(ids("test_first")), frozenset()), ("group", "memory"),
    ),
    "taken at import and never called": Toy(
        FIRST + SECOND,
        "import mod\n\nKEPT = getattr(mod, 'first', None), [getattr(mod, 'second', None)]\n\n"
        "def test_first():\n    assert mod.first and KEPT[0]\n\n"
        "def test_second():\n    assert mod.second() and KEPT\n",
        ((FIRST, ids("test_first")), (SECOND, ids("test_second"))),
        (frozenset(ids("test_first")), frozenset(ids("test_second"))), ("group", "group"),
    ),
    "an override falls back to its parent": Toy(
        "class Base:\n    def name(self):\n        return 'base'\n\n    def kind(self):\n"
        "        return 1\n\nclass Heir(Base):\n    def name(self):\n        return 'heir'\n\n"
        "    def kind(self):\n        return 1\n",
        "import mod\n\ndef test_name():\n    assert mod.Heir().name() == 'heir'\n\n"
        "def test_kind():\n    assert mod.Heir().kind() == 1\n",
        (
            ("    def name(self):\n        return 'heir'\n\n", ids("test_name")),
            ("\n    def kind(self):\n        return 1\n$", ids("test_kind")),
        ),
        (frozenset(ids("test_name")), frozenset()), ("group", "memory"),
    ),
    "a class is abstract without it": Toy(
        "import abc\n\nclass Base(abc.ABC):\n    @abc.abstractmethod\n    def name(self):\n"
        "        ...\n\nclass Heir(Base):\n    def name(self):\n        return 'heir'\n\n" + SECOND,
        "import mod\n\ndef test_name():\n    assert mod.Heir()\n\ndef test_second():\n"
        "    assert mod.second()\n",
        (
            ("    def name(self):\n        return 'heir'\n", ids("test_name")),
            (SECOND, ids("test_second")),
        ),
        (frozenset(ids("test_name")), frozenset(ids("test_second"))), ("tree", "memory"),
    ),
    "one cannot be imported": Toy(
        FIRST + "BOUND = first()\n" + SECOND, TWO_TESTS,
        ((FIRST, ids("test_first")), (SECOND, ids("test_second"))),
        (frozenset(ids("test_first")), frozenset(ids("test_second"))), ("tree", "memory"), ran=(2,),
    ),
    "one changes what another's tests meet": Toy(
        "STATE = []\n\ndef first():\n    STATE.append(1)\n    clean()\n\n"
        "def clean():\n    STATE.pop()\n\n" + SECOND,
        "import mod\n\ndef test_first():\n    mod.first()\n\ndef test_second():\n"
        "    assert getattr(mod, 'second', int)() in (0, 2) and not mod.STATE\n",
        (("def clean():\n    STATE.pop()\n\n", ids("test_first")), (SECOND, ids("test_second"))),
        (frozenset(ids("test_first")), frozenset()), ("group", "memory"),
    ),
    "what one set up hides what another lost": Toy(
        "KEPT = []\n\ndef made():\n    return 1\n\ndef kept():\n    if not KEPT:\n"
        "        KEPT.append(made())\n    return KEPT[0]\n\n" + FIRST,
        "import mod\n\ndef test_first():\n    assert mod.kept() + mod.first() == 2\n\n"
        "def test_made():\n    assert mod.kept() == 1\n",
        ((FIRST, ids("test_first")), ("def made():\n    return 1\n\n", ids("test_made"))),
        (frozenset(ids("test_first")), frozenset(ids("test_made"))), ("group", "memory"),
    ),
    "without it three tests go on for ever": Toy(
        "def step(n):\n    return n - 1\n\ndef step_of(n):\n    try:\n        return step(n)\n"
        "    except NameError:\n        return n\n\ndef down(n):\n    while n:\n"
        "        n = step_of(n)\n    return 0\n\n" + FIRST + SECOND,
        "import mod, pytest\n\n@pytest.mark.parametrize('n', range(1, 6))\ndef test_down(n):\n"
        "    assert mod.down(n) == 0\n\ndef test_first():\n    assert mod.first() == 1\n",
        (("def step(n):\n    return n - 1\n\n", ids(*(f"test_down[{n}]" for n in range(1, 6)))),
         (FIRST, ids("test_first"))),
        (frozenset(ids(*(f"test_down[{n}]" for n in range(1, 6)))), frozenset(ids("test_first"))),
        ("tree", "memory"),
    ),
    "ids with a clock in them": Toy(
        FIRST + SECOND,
        "import mod, pytest, time\n\n@pytest.mark.parametrize('at', [time.time_ns()])\n"
        "def test_first(at):\n    assert mod.first() == 1\n\ndef test_plain():\n"
        "    assert mod.first() == 1\n\ndef test_second():\n    assert mod.second() == 2\n",
        ((FIRST, ids("test_plain", "test_first[1700000000]")), (SECOND, ids("test_second"))),
        (frozenset(ids("test_plain", "test_first[1700000000]")), frozenset(ids("test_second"))),
        ("group", "group"),
    ),
    "a table of a class": Toy(
        FIRST + SECOND + "class Kept:\n    calls = {1: first, 2: second}\n",
        "import mod\n\ndef test_first():\n    assert mod.Kept().calls[1]() == 1\n\n"
        "def test_second():\n    assert mod.Kept().calls[2]() == 2\n",
        (("1: first, ", ids("test_first")), (", 2: second", ids("test_second"))),
        (frozenset(ids("test_first")), frozenset(ids("test_second"))), ("group", "group"),
    ),
    "a whole module": Toy(
        "import part\n\n" + FIRST,
        "import mod\n\ndef test_first():\n    assert mod.first()\n\ndef test_part():\n"
        "    import part\n    assert part.it()\n",
        (("import part\n\n", ids("test_part")), (FIRST, ids("test_first"))),
        (frozenset(ids("test_part")), frozenset(ids("test_first"))), ("group", "group"),
        {"part.py": "def it():\n    return 1\n"},
    ),
}  # fmt: skip


def trials(toy: Toy, work: Path, sandbox: Shared) -> list[Trial]:
    """Return the candidates of a toy repository."""
    tests = HOLDING * ("_fetch" in toy.tests) + toy.tests
    files = {"mod.py": toy.module, "test_mod.py": tests, **toy.more}
    place = Path(tempfile.mkdtemp(dir=work))
    whole = snapshot(place / "snapshot", {path: text.encode() for path, text in files.items()})
    asked = tuple(TestId(t) for t in sorted({t for _, some in toy.candidates for t in some}))
    lines = Lines((), {}, {"mod.py": frozenset(toy.ran)})
    known = Baseline(asked, (0.001,) * len(asked), (), lines)
    made = []
    for text, some in toy.candidates:
        without = (toy.module + "$").replace(text, "").replace("$", "").encode()
        assert without != toy.module.encode()
        gone = {"mod.py": without} | ({"part.py": None} if "import part" in text else {})
        cut = deletion(
            "mod.py::it", edits=gone, gold_paths=tuple(gone),
            hidden_files=(HiddenFile("test_mod.py", 0o100644, tests.encode()),),
        )  # fmt: skip
        cut = replace(cut, feature=replace(cut.feature, tests=tuple(map(TestId, some))))
        made.append(
            Trial(
                whole, this_environment(), known, cut, PYTHON, sandbox, Settings(),
                place / "task", place / "hidden", place / "gold", work,
            )
        )  # fmt: skip
    return made


@pytest.mark.parametrize("toy", TOYS.values(), ids=TOYS)
def test_all_ways_see_the_same(
    toy: Toy, work: Path, sandbox: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("featuredel.gates.trial.CPU_GRACE_S", 0.05)
    candidates = trials(toy, work, sandbox)
    exact = [screening._on_its_tree(trial).failing for trial in candidates]
    assert exact == list(toy.failing)
    in_company = screen(candidates)
    assert [one.failing for one in in_company] == exact
    assert tuple(one.how for one in in_company) == toy.how
    assert [one.failing for one in screen(candidates, 1)] == exact


def test_one_candidate_needs_no_company(work: Path, sandbox: Shared) -> None:
    one = trials(TOYS["nothing odd"], work, sandbox)[:1]
    (seen,) = screen(one)
    assert (seen.failing, seen.how) == (frozenset(map(TestId, ids("test_first"))), "tree")
