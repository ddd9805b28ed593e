import dataclasses
from pathlib import Path
from typing import cast

from candidates import REACHED, TESTS, deletion, write

from featuredel import git, trees
from featuredel.languages import Language
from featuredel.languages.python import metrics
from featuredel.languages.python.index import build_index
from featuredel.model import DefinitionId, Deletion, Difficulty, Verdict
from featuredel.stages.score import score


class _Metrics:
    def code_lines(self, path: str, source: bytes) -> frozenset[int]:
        return metrics.code_lines(source)

    def branches(self, path: str, source: bytes, lines: frozenset[int]) -> int:
        return metrics.branches(source, lines)


def scored(folder: Path, made: Deletion, strength: float | None = 1.0) -> Difficulty:
    root = write(folder / "snapshot")
    trees.build_tree(root, made.edits, folder / "task")
    gold = git.diff(folder / "task", {p: trees.read(root, p) for p in made.gold_paths})
    verdict = Verdict((), REACHED, (), 4, strength)
    language = cast("Language", _Metrics())
    return score(root, build_index(root), made, gold, verdict, language)


def test_the_columns_count_what_the_gold_patch_adds(tmp_path: Path) -> None:
    found = scored(tmp_path, deletion())
    assert (found.gold_lines, found.gold_files, found.gold_definitions) == (3, 2, 1)
    assert found.branches == 0
    assert found.fan_in == 1  # the package's __init__ imports it


def test_registers_with_less_told_are_harder(tmp_path: Path) -> None:
    scores = scored(tmp_path, deletion()).scores
    assert 0 < scores.full < scores.terse < scores.interface < 1


def test_stronger_tests_make_it_harder(tmp_path: Path) -> None:
    weak = scored(tmp_path / "weak", deletion(), 0.0).scores.full
    strong = scored(tmp_path / "strong", deletion(), 1.0).scores.full
    unknown = scored(tmp_path / "unknown", deletion(), None).scores.full
    assert weak < unknown < strong


def test_a_larger_feature_is_harder(tmp_path: Path) -> None:
    made = deletion()
    more = (DefinitionId(f"calc/x.py::f{i}") for i in range(60))
    definitions = tuple(sorted([*made.feature.definitions, *more]))
    feature = dataclasses.replace(made.feature, definitions=definitions, tests=TESTS)
    small = scored(tmp_path / "small", made)
    large = scored(tmp_path / "large", dataclasses.replace(made, feature=feature))
    assert small.scores.full < large.scores.full
    assert small.tier == "trivial"
