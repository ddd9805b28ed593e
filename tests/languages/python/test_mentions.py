from pathlib import Path

from candidates import TESTS, deletion, write

from featuredel.languages.python.mentions import names_deleted, tell_of
from featuredel.model import TestId

SOURCE = b'''\
from calc import mul
from calc import more


class TestMul:
    """Tests of mul."""

    def test_direct(self):
        assert mul(1, 2) == 2

    def test_attribute(self):
        assert more.mul(1, 2) == 2

    def test_other(self):
        assert multiply(1, 2) == 2


@parametrize("f", [mul])
def test_decorated(f):
    assert f(1, 2) == 2
'''


def named(tmp_path: Path, *tests: str, definitions: tuple[str, ...] = ()) -> set[str]:
    write(tmp_path, {"tests/test_m.py": SOURCE})
    ids = [TestId(f"tests/test_m.py::{test}") for test in tests]
    found = names_deleted(tmp_path, deletion(*definitions), ids)
    return {test.partition("::")[2] for test in found}


def test_a_name_counts_wherever_it_stands(tmp_path: Path) -> None:
    tests = ("TestMul::test_direct", "TestMul::test_attribute", "TestMul::test_other")
    assert named(tmp_path, *tests) == {"TestMul::test_direct", "TestMul::test_attribute"}


def test_decorators_belong_to_the_test(tmp_path: Path) -> None:
    assert named(tmp_path, "test_decorated[a b]") == {"test_decorated[a b]"}


def test_a_test_that_is_not_found_counts_if_its_file_names_it(tmp_path: Path) -> None:
    assert named(tmp_path, "TestMul::test_inherited") == {"TestMul::test_inherited"}


def test_modules_and_packages_are_known_by_their_names(tmp_path: Path) -> None:
    tests = ("TestMul::test_attribute", "TestMul::test_direct")
    assert named(tmp_path, *tests, definitions=("calc/more.py::",)) == {tests[0]}
    assert named(tmp_path, *tests, definitions=("src/mul/__init__.py::",)) == set(tests)


def test_a_file_that_does_not_parse_names_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"tests/test_core.py": b"def ("})
    assert names_deleted(tmp_path, deletion(), TESTS[:1]) == frozenset()


OPTIONS = {
    "calc/more.py": (
        b"def mul(a, b):\n    return OPTIONS['doubled'] * a\n\n\ndef neg(a):\n    return -a\n"
    ),
    "calc/__init__.py": b"from calc.core import add\nfrom calc.more import mul\n",
    "calc/cli.py": b"KNOWN = ['loud']\n",
    "tests/test_more.py": (
        b"def test_key():\n    assert run('doubled')\n\n\n"
        b"def test_known():\n    assert run('loud')\n\n\n"
        b"def test_name():\n    assert mul\n"
    ),
}


def test_a_word_that_only_the_feature_knew_tells_of_it(tmp_path: Path) -> None:
    write(tmp_path, OPTIONS)
    tests = [TestId(f"tests/test_more.py::test_{name}") for name in ("key", "known", "name")]
    assert tell_of(tmp_path, deletion(), tests) == {tests[0], tests[2]}
