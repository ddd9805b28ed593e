from pathlib import Path

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


def test_what_was_joined_is_one_thing_if_its_tests_enter_all_of_it(tmp_path: Path) -> None:
    tests = ["tests/test_m.py::test_one", "tests/test_m.py::test_other"]
    both = {test: [ONE, OTHER] for test in tests}
    assert single(tmp_path / "together", {t: [*ds] for t, ds in both.items()}) == 1.0
    assert single(tmp_path / "apart", {tests[0]: [ONE], tests[1]: [OTHER]}) == 0.0
