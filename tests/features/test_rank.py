from pathlib import Path

import pytest
from toy_index import baseline, index_of

from featuredel.features.cut import Cutter, Seed
from featuredel.features.rank import Ranker
from featuredel.model import DefinitionId as Id
from featuredel.relation import Relation

SOURCE = """\
def one():
    return 1
def other():
    return one
"""
TESTS = "import m\ndef test_one(): m.one()\ndef test_other(): m.other()\n"
ONE, OTHER = Id("m.py::one"), Id("m.py::other")


def single(root: Path, entered: dict[str, list[str]]) -> float:
    """Return the mark of `one` and `other`, joined."""
    index = index_of(root, {"m.py": SOURCE, "tests/test_m.py": TESTS})
    relation = Relation(index, baseline(index, entered))
    cutter = Cutter(relation)
    piece = cutter.cut(Seed(ONE, "joined", (ONE, OTHER), relation.tests_of((ONE, OTHER))))
    assert piece is not None and piece.chosen == {ONE, OTHER}
    ranker, tops = Ranker(relation, cutter), cutter.tops(piece.chosen)
    return ranker.marks(piece, tops, ranker.entry(piece, tops)).single


def alone(root: Path, entry: str, *others: str) -> float:
    """Return the mark of a piece of functions, the first of which calls the others."""
    calls = " + ".join(f"{other}()" for other in others) or "1"
    source = "".join(f"def {other}():\n    return 1\n" for other in others)
    source += f"def {entry}():\n    return {calls}\n"
    test = f"import m\ndef test_{entry}(): m.{entry}()\n"
    index = index_of(root, {"m.py": source, "tests/test_m.py": test})
    ids = [Id(f"m.py::{name}") for name in (entry, *others)]
    relation = Relation(index, baseline(index, {f"tests/test_m.py::test_{entry}": [*ids]}))
    cutter = Cutter(relation)
    piece = cutter.cut(Seed(ids[0], "definition", (ids[0],), relation.tests(ids[0])))
    assert piece is not None and piece.chosen == set(ids)
    return Ranker(relation, cutter).marks(piece, cutter.tops(piece.chosen), ids[0]).alone


def test_a_second_public_name_speaks_against_it_unless_it_is_about_the_same(tmp_path: Path) -> None:
    assert alone(tmp_path / "1", "navigate") == 1.0
    assert alone(tmp_path / "2", "navigate", "_resolve") == 1.0
    assert alone(tmp_path / "3", "set_nested", "update_nested") == 1.0
    assert alone(tmp_path / "4", "navigate", "from_parts") == 0.5
    assert alone(tmp_path / "5", "navigate", "from_parts", "quote") == pytest.approx(1 / 3)


def test_what_was_joined_is_one_thing_if_its_tests_enter_all_of_it(tmp_path: Path) -> None:
    tests = ["tests/test_m.py::test_one", "tests/test_m.py::test_other"]
    both = {test: [ONE, OTHER] for test in tests}
    assert single(tmp_path / "together", {t: [*ds] for t, ds in both.items()}) == 1.0
    assert single(tmp_path / "apart", {tests[0]: [ONE], tests[1]: [OTHER]}) == 0.0
