import dataclasses
from pathlib import Path

import pytest
from candidates import FILES, deletion, write

from featuredel.languages.python.describe import describe
from featuredel.languages.python.index import build_index
from featuredel.languages.python.interface import entries, module_name
from featuredel.languages.python.needs import gold_words, needs_of, removed_lines
from featuredel.languages.python.perturb import perturbed, untold_words
from featuredel.model import DefinitionId, Deletion, Form, HiddenFile, TestId

MORE = b'''\
class Scale:
    """Multiplies. Keeps count.

    More than once.
    """

    def __init__(self, factor, *, limit: int = 9) -> None:
        self.factor = factor
        self.uses_so_far = 0
        self._cap = limit

    def apply(self, value):
        """Return the product."""
        self.uses_so_far += 1
        if value > self._cap:
            raise ValueError("value %d is too large" % value)
        return _times(self.factor, value)


def _times(a, b):
    return a * b


def neg(a):
    return -a
'''
TESTS = b'''\
import pytest
from calc.more import neg
from calc import Scale


class TestScale:
    def test_counts_uses(self):
        scale = Scale(2, limit=5)
        assert scale.apply(3) == 6
        assert scale.uses_so_far == 1

    def test_limit(self):
        """What is too large is refused."""
        with pytest.raises(ValueError, match="value 7 is too large"):
            Scale(2, limit=5).apply(7)


def test_neg():
    assert neg(1) == -1
'''
F2P = (
    TestId("tests/test_more.py::TestScale::test_counts_uses"),
    TestId("tests/test_more.py::TestScale::test_limit"),
)


def candidate(root: Path, form: Form = "removal") -> Deletion:
    files = FILES | {
        "calc/__init__.py": b"from calc.core import add\nfrom calc.more import Scale\n",
        "calc/more.py": MORE,
        "tests/test_more.py": TESTS,
        "CHANGES.md": b"# 1.0\n\n- `Scale` keeps count\n",
    }
    write(root, files)
    made = deletion(
        "calc/more.py::Scale",
        "calc/more.py::_times",
        form=form,
        edits={
            "calc/__init__.py": b"from calc.core import add\n",
            "calc/more.py": b"def neg(a):\n    return -a\n",
            "CHANGES.md": b"# 1.0\n",
            "tests/test_more.py": b"",
        },
        gold_paths=("CHANGES.md", "calc/__init__.py", "calc/more.py"),
        hidden_files=(HiddenFile("tests/test_more.py", 0o100644, TESTS),),
        hidden_tests=F2P,
    )
    return dataclasses.replace(made, feature=dataclasses.replace(made.feature, name="calc.Scale"))


def test_what_only_gold_told_is_needed(tmp_path: Path) -> None:
    made = candidate(tmp_path)
    gold = gold_words(tmp_path, removed_lines(tmp_path, made))
    needs = needs_of(tmp_path, made, gold)
    assert set(needs.names) >= {"Scale", "apply", "limit", "uses_so_far"}
    assert "_cap" not in needs.names  # no test names it
    assert "neg" not in needs.names  # it is still in the tree
    assert "is too large" in needs.texts
    assert not needs.untold("Scale apply limit uses_so_far value is too large").texts


def test_every_register_tells_what_the_tests_need(tmp_path: Path) -> None:
    made = candidate(tmp_path)
    statement = describe(tmp_path, build_index(tmp_path), made, F2P)
    assert statement.gaps == {}
    gold = gold_words(tmp_path, removed_lines(tmp_path, made))
    needs = needs_of(tmp_path, made, gold)
    for text in (statement.full, statement.interface):
        assert text is not None
        assert not needs.untold(text)
        assert "def apply(self, value):" in text
        assert "_times" not in text  # private, and no test uses it
        assert "Importable as `calc.Scale`" in text


def test_full_explains(tmp_path: Path) -> None:
    full = describe(tmp_path, build_index(tmp_path), candidate(tmp_path), F2P).full or ""
    assert "Multiplies. Keeps count." in full
    assert "- What is too large is refused." in full  # a test's docstring
    assert "- scale: counts uses" in full  # a test's name
    assert "> - `Scale` keeps count" in full  # the project's own words
    assert "assert scale.apply(3) == 6" in full
    assert "raises ValueError" in full


def test_a_method_is_shown_in_the_class_that_stays(tmp_path: Path) -> None:
    made = candidate(tmp_path)
    left = MORE[: MORE.index(b"    def apply")] + MORE[MORE.index(b"def _times") :]
    feature = dataclasses.replace(
        made.feature, name="calc.more.Scale.apply",
        definitions=(DefinitionId("calc/more.py::Scale.apply"),),
    )  # fmt: skip
    edits = {"calc/more.py": left, "tests/test_more.py": b""}
    made = dataclasses.replace(made, feature=feature, edits=edits, gold_paths=("calc/more.py",))
    told = describe(tmp_path, build_index(tmp_path), made, F2P).interface
    assert told is not None
    assert "class Scale:  # it is there\n    def apply(self, value):\n" in told
    assert told.startswith("# Write calc.more.Scale.apply\n\n`calc.more.Scale.apply` is missing")
    assert "Hidden tests decide." in told


def test_full_says_where_it_was_used(tmp_path: Path) -> None:
    made = candidate(tmp_path)
    (tmp_path / "calc/shown.py").write_text("from calc.more import Scale\n\nprint(Scale)\n")
    full = describe(tmp_path, build_index(tmp_path), made, F2P).full or ""
    assert "It was used by the module itself in `calc/shown.py`." in full


def test_full_says_what_lost_lines_and_what_went_with_it_elsewhere(tmp_path: Path) -> None:
    made = candidate(tmp_path)
    shown = b"""import calc


class Shown:
    def show(self, thing):
        print(thing)
        return thing.uses_so_far()

    def _show_scale(self, thing):
        return thing.limit
"""
    (tmp_path / "calc/shown.py").write_bytes(shown)
    feature = dataclasses.replace(
        made.feature,
        definitions=(
            *made.feature.definitions, DefinitionId("calc/shown.py::Shown._show_scale"),
        ),
    )  # fmt: skip
    left = b"class Shown:\n    def show(self, thing):\n        print(thing)\n"
    made = dataclasses.replace(
        made, feature=feature, edits={**made.edits, "calc/shown.py": left},
        gold_paths=(*made.gold_paths, "calc/shown.py"),
    )  # fmt: skip
    statement = describe(tmp_path, build_index(tmp_path), made, F2P)
    for text in (statement.full or "", statement.interface or ""):
        assert "It was used by `Shown.show` in `calc/shown.py`." in text
        assert "Gone with it: `Shown._show_scale` in `calc/shown.py`." in text


def test_terse_is_a_sentence_or_two(tmp_path: Path) -> None:
    made = candidate(tmp_path)
    terse = describe(tmp_path, build_index(tmp_path), made, F2P).terse or ""
    assert terse.startswith("Add `calc.more.Scale`. Multiplies.")
    assert terse.count("\n") == 1


def test_a_stub_is_filled_in(tmp_path: Path) -> None:
    made = candidate(tmp_path, "stub")
    terse = describe(tmp_path, build_index(tmp_path), made, F2P).terse or ""
    assert terse.startswith("Fill in")


def test_what_cannot_be_told_rejects_the_register(tmp_path: Path) -> None:
    made = candidate(tmp_path)
    endless = "x y " * 400
    (tmp_path / "calc/more.py").write_bytes(MORE.replace(b"too large", endless.encode()))
    tests = TESTS.replace(b"too large", endless.encode())
    (tmp_path / "tests/test_more.py").write_bytes(tests)
    made = dataclasses.replace(
        made, hidden_files=(HiddenFile("tests/test_more.py", 0o100644, tests),)
    )
    statement = describe(tmp_path, build_index(tmp_path), made, F2P)
    assert statement.interface is None
    assert set(statement.gaps) == {"interface"}
    assert endless in (statement.full or "")  # an example shows it
    assert statement.terse is not None  # its tests are visible


def test_extra_words_are_told(tmp_path: Path) -> None:
    index, made = build_index(tmp_path), candidate(tmp_path)
    text = describe(tmp_path, index, made, F2P, ("_cap", "a text of two lines")).interface or ""
    assert "`_cap`" in text
    assert "a text of two lines" in text


def test_entries_are_what_users_see(tmp_path: Path) -> None:
    (scale, times) = entries(tmp_path, candidate(tmp_path))
    assert (scale.name, scale.signature, scale.public) == ("calc.more.Scale", "class Scale", True)
    assert [m.qualname for m in scale.members] == ["Scale.__init__", "Scale.apply"]
    assert scale.members[0].signature == "def __init__(self, factor, *, limit: int=9) -> None"
    assert scale.members[1].raises == ("ValueError",)
    assert not times.public


@pytest.mark.parametrize(
    ("path", "name"),
    [("calc/more.py", "calc.more"), ("calc/__init__.py", "calc"), ("alone.py", "alone")],
)
def test_modules_are_named_as_they_are_imported(tmp_path: Path, path: str, name: str) -> None:
    write(tmp_path, FILES | {"alone.py": b""})
    assert module_name(tmp_path, path) == name


def test_untold_names_and_messages_are_changed_all_at_once(tmp_path: Path) -> None:
    made = candidate(tmp_path)
    words = untold_words(tmp_path, made, "class Scale: factor limit apply uses_so_far value")
    assert set(words) == {"_cap", "_times", "is too large"}
    changed = perturbed(tmp_path, made, words)
    assert list(changed) == ["calc/more.py"]
    text = changed["calc/more.py"].decode()
    assert "self._cap_fd = limit" in text
    assert "_times_fd(self.factor, value)" in text
    assert "def _times_fd(a, b):" in text
    assert "IS TOO LARGE" in text
    assert perturbed(tmp_path, made, ()) == {}
