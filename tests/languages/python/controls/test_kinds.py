"""Each kind: what it makes of a test, and that a right answer fails it while a cheat does not."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
from control_forms import SEEDS, both, outcome, sites, written


class Equal:
    """Is equal to everything, and true."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def always_equal(*_args: Any, **_options: Any) -> Any:
    return Equal()


def frame_reader(*_args: Any, **_options: Any) -> Any:
    """Return what the caller calls `expected`."""
    return sys._getframe(1).f_locals["expected"]


PLAIN = "def test_it():\n    assert f(2) == 4\n"
NESTED = "def test_it():\n    assert f(2) == [1, {'a': -4, 'b': g}, (True, None)]\n"
PARAMETER = 'def test_it(expected):\n    """Doc."""\n    assert f(2) == expected\n'
LOCAL = "def test_it():\n    expected = [4]\n    x = 1\n    assert f(x) == expected\n"
LOOP = "def test_it():\n    for x, expected in [(1, 1), (2, 4)]:\n        assert f(x) == expected\n"


@pytest.mark.parametrize(
    ("kind", "source", "answer"),
    [
        ("constant", PLAIN, 4),
        ("constant", "def test_it():\n    x = f(2)\n    assert x == 'ab' and 3 == 3\n", "ab"),
        ("constant", "def test_it():\n    assert f(2) == (\n        'a'\n        'b')\n", "ab"),
        ("constant", "def test_it():\n    assert f(1) == {'k': [1.5, b'x', {-2}]}, 'no'\n",
         {"k": [1.5, b"x", {-2}]}),
        ("wrapped", "def test_it():\n    g = list\n    assert f(2) == g('ab')\n", ["a", "b"]),
        ("wrapped", "def test_it():\n    y = 4\n    assert f(2) == y + 0\n", 4),
        ("expected", LOCAL, [4]),
        ("negated", "def test_it():\n    assert f(2) in (3, 4)\n", 4),
        ("negated", "def test_it():\n    assert not f(2)\n", 0),
        ("negated", "def test_it():\n    assert f(2) is None\n", None),
        ("raise", PLAIN, 4),
        ("raise", "def test_it():\n    if f(2):\n        return\n    x = '''\n  y'''\n", 1),
        ("raise", "async def test_it():\n    assert f(2) == 4\n", 4),
    ],
)  # fmt: skip
def test_an_answer_passes_the_neutral_forms_and_fails_the_others(
    kind: str, source: str, answer: Any
) -> None:
    def f(*_args: Any) -> Any:
        return answer

    forms = list(both(source, kind))
    assert forms
    for neutral, broken in forms:
        if source.startswith("async"):
            neutral, broken = (form.replace("async ", "") for form in (neutral, broken))
        assert outcome(neutral, f) == "passed", neutral
        assert outcome(broken, f) == "failed", broken


def test_before_and_after() -> None:
    assert written(PLAIN, "constant", broken=False) == [
        "def test_it():\n    assert f(2) == (4, 11)[0]\n"
    ]
    assert written(PLAIN, "constant", broken=True) == [
        "def test_it():\n    assert f(2) == (4, 11)[1]\n"
    ]
    assert written(PARAMETER, "expected", broken=True) == [
        'def test_it(expected):\n    """Doc."""\n'
        "    expected = (expected, 'lantern 876')[1]\n"
        "    assert f(2) == expected\n"
    ]
    assert written("def test_it():\n    assert f(1) in x\n", "negated", broken=True) == [
        "def test_it():\n    assert bool(f(1) in x) is not True\n"
    ]
    assert written(PLAIN, "raise", broken=True) == [
        PLAIN + "    assert ('barrel', 'garden')[1] == 'barrel'\n"
    ]
    early = "def test_it():\n    if f(1):\n        return\n    x = '''\ny'''\n"
    assert written(early, "raise", broken=True)[0].splitlines()[:3] == [
        "def test_it():", "    try:", "        if f(1):",
    ]  # fmt: skip
    assert "\ny'''\n    finally:\n        assert " in written(early, "raise", broken=True)[0]


UNITTEST = "def test_it(self):\n    self.{}\n"


@pytest.mark.parametrize(
    ("kind", "call", "after"),
    [
        ("negated", "assertTrue(f(1))", "assertTrue(bool(f(1)) is not True)"),
        ("negated", "assertFalse(f(1), 'no')", "assertFalse(bool(f(1)) is not True, 'no')"),
        ("negated", "assertIn(1, f(1))", "assertNotIn(1, f(1))"),
        ("negated", "assertIsNone(f(1))", "assertIsNotNone(f(1))"),
    ],
)
def test_methods_of_unittest(kind: str, call: str, after: str) -> None:
    assert written(UNITTEST.format(call), kind, broken=True) == [UNITTEST.format(after)]


@pytest.mark.parametrize("call", ["assertEqual(f(1), 5)", "assertListEqual([5], f(1))"])
def test_equalities_of_unittest(call: str) -> None:
    assert len(sites(UNITTEST.format(call), "constant")) == 1
    assert len(sites(UNITTEST.format(call), "wrapped")) == 1


def test_a_class_that_only_the_test_knows() -> None:
    source = "def test_it():\n    with pytest.raises(KeyError):\n        f(1)\n"

    def f(_x: int) -> None:
        raise KeyError

    for neutral, broken in both(source, "exception"):
        assert (outcome(neutral, f), outcome(broken, f)) == ("passed", "failed")


@pytest.mark.parametrize("kind", ["constant", "wrapped"])
def test_what_is_equal_to_everything_passes(kind: str) -> None:
    for source in (PLAIN, NESTED.replace("g", "2"), "def test_it():\n    assert f(1) == f(2)[0]\n"):
        for _, broken in both(source, kind):
            if "f(2)[0]" not in source:
                assert outcome(broken, always_equal) == "passed", broken


def test_who_reads_the_callers_variables_passes() -> None:
    for _, broken in both(LOCAL, "expected"):
        assert outcome(broken, frame_reader) == "passed"
    for _, broken in both(LOOP, "expected"):
        assert outcome(broken, frame_reader) == "passed"
    for neutral, broken in both(PARAMETER, "expected"):
        assert outcome(broken, frame_reader, expected=4) == "passed"
        assert outcome(broken, lambda _: 4, expected=4) == "failed"
        assert outcome(neutral, lambda _: 4, expected=4) == "passed"


@pytest.mark.parametrize(
    "block",
    [
        "    if f(1):\n        assert f(2) == 4\n",
        "    for x in f(1):\n        assert f(x) == 4\n",
        "    for x in [1, 2]:\n        if f(x):\n            break\n        assert f(x) == 4\n",
        "    while f(1):\n        assert f(2) == 4\n",
        "    try:\n        assert f(2) == 4\n    except AssertionError:\n        pass\n",
        "    with pytest.raises(ValueError):\n        assert f(2) == 4\n",
        "    with f(1):\n        assert f(2) == 4\n",
        "    if f(1):\n        return\n    assert f(2) == 4\n",
        "    def inner():\n        assert f(2) == 4\n",
        "    assert f(2) == 4 or f(3) == 5\n",
        "    assert not f(2) == 4\n",
        "    assert f(2) != 4\n",
        "    assert f(2) == pytest.approx(4)\n",
        "    assert f(2) == f'{4}'\n",
    ],
)
def test_what_may_not_be_executed_or_is_no_equality_has_no_constants(block: str) -> None:
    assert sites(f"def test_it():\n{block}", "constant") == []


@pytest.mark.parametrize(
    "source",
    [
        "def test_it(expected):\n    assert f(expected) == expected\n",
        "def test_it(expected):\n    expected = f(1)\n    assert f(2) == expected\n",
        "def test_it():\n    expected = f(1)\n    assert f(2) == expected\n",
        "def test_it():\n    assert f(2) == EXPECTED\n",
        "def test_it(expected):\n    g = lambda: expected\n    assert f(2) == expected\n",
        "def test_it():\n    global expected\n    expected = 1\n    assert f(2) == expected\n",
    ],
)
def test_names_that_mean_more_are_left_alone(source: str) -> None:
    assert sites(source, "expected") == []


@pytest.mark.parametrize(
    "source", ["def test_it(): assert f(2) == 4\n", 'def test_it():\n    """Doc."""\n']
)
def test_a_body_without_lines_of_its_own_has_no_end(source: str) -> None:
    assert sites(source, "raise") == []


def test_blocks_that_swallow_nothing_are_entered() -> None:
    for opening in ("warnings.catch_warnings()", "mock.patch.object(m, 'x')", "self.subTest(1)"):
        source = f"def test_it(self):\n    with {opening}:\n        assert f(2) == 4\n"
        assert len(sites(source, "constant")) == 1


def test_an_exception_that_a_report_turns_into_a_pass_comes_first() -> None:
    """A finally would put another in its place, so it is only there where a return may be."""

    class EscapeError(Exception):
        pass

    def escaping(*_args: Any) -> Any:
        raise EscapeError

    run: Callable[..., Any]
    (source,) = written(PLAIN, "raise", broken=True)
    names: dict[str, Any] = {"f": escaping}
    exec(source, names)
    run = names["test_it"]
    with pytest.raises(EscapeError):
        run()


PARAMETRISED = """\
@pytest.mark.parametrize('x, expected', [(1, 1), (2, [3, 4]), (3, None)])
def test_it(x, expected):
    assert f(x) == expected
"""


def test_parameters_keep_their_ids() -> None:
    cases = frozenset({"1-1", "2-expected1", "3-None"})
    for seed in SEEDS:
        for broken in (False, True):
            (source,) = written(PARAMETRISED, "parameter", broken=broken, seed=seed, cases=cases)
            names: dict[str, Any] = {"pytest": pytest}
            exec(source, names)
            (mark,) = names["test_it"].pytestmark
            found = {case.id: case.values for case in mark.args[1]}
            assert list(found) == ["1-1", "2-expected1", "3-None"]
            expected = [(1, 1), (2, [3, 4]), (3, None)]
            right = [got == want for got, want in zip(found.values(), expected, strict=True)]
            assert right == [not broken] * 3


@pytest.mark.parametrize(
    ("source", "cases"),
    [
        (PARAMETRISED, {"1-1", "2-expected1"}),
        (PARAMETRISED.replace("[(1", "CASES + [(1"), {"1-1", "2-expected1", "3-None"}),
        (PARAMETRISED.replace("f(x)", "f(expected)"), {"1-1", "2-expected1", "3-None"}),
        (PARAMETRISED.replace("pytest.mark.", "mark."), {"1-1", "2-expected1", "3-None"}),
        (PARAMETRISED, {"1-1", "2-expected1", "9-None"}),
    ],
)
def test_parameters_of_which_not_all_is_known(source: str, cases: set[str]) -> None:
    found = sites(source, "parameter", frozenset(cases))
    assert len(found) == (len(cases) == 2)  # some cases may be no F2P
