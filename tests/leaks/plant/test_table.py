"""The table of makings."""

import re
from collections import Counter
from pathlib import Path

import pytest

from featuredel.errors import UsageError
from featuredel.leaks import plant
from featuredel.leaks.plant.table import MAKINGS, chosen_makings
from featuredel.leaks.plant.toys import toys

PINS = Path(plant.__file__).parent / "pins"
NPM = Path(plant.__file__).parent / "npm"
VECTORS = [vector for making in MAKINGS for vector in making.vectors]
ENOUGH = 45  # content vectors that must be there at the least


def test_names_are_unique() -> None:
    assert [name for name, n in Counter(v.name for v in VECTORS).items() if n > 1] == []
    assert [name for name, n in Counter(m.name for m in MAKINGS).items() if n > 1] == []


def test_there_are_enough_vectors_of_tasks() -> None:
    of_tasks = [v for m in MAKINGS if m.subject == "task" for v in m.vectors if v.content]
    assert len(of_tasks) >= ENOUGH


def test_every_vector_must_be_found_by_something() -> None:
    silent = [v.name for v in VECTORS if not v.content and not v.ruled]
    # their files say nothing of the code; only provenance can tell
    assert silent == ["editable-install", "tsc-declaration-map"]


def test_every_toy_has_needles_that_prove_something() -> None:
    assert {m.subject for m in MAKINGS} - {"task"} == set(toys())
    for subject, answers in toys().items():
        for answer in answers:
            assert len(answer.needles) >= 5, subject


@pytest.mark.parametrize("path", sorted(PINS.glob("*.txt")), ids=lambda path: path.stem)
def test_every_pin_has_a_hash(path: Path) -> None:
    requirements = re.split(r"\n(?=\S)", path.read_text().strip())
    assert requirements
    assert [r for r in requirements if not re.search(r"--hash=sha256:[0-9a-f]{64}", r)] == []
    assert [r for r in requirements if "==" not in r.splitlines()[0]] == []


def test_sets_of_tools_are_those_that_are_needed() -> None:
    needed = {need for making in MAKINGS for need in making.needs}
    pins = {f"pins {path.stem}" for path in PINS.glob("*.txt")}
    npm = {f"npm {path.name}" for path in NPM.iterdir()}
    assert {need for need in needed if need.startswith("pins")} == pins
    assert {need for need in needed if need.startswith("npm")} == npm


def test_makings_are_chosen_by_family_or_name() -> None:
    assert {m.family for m in chosen_makings(["git"])} == {"git"}
    assert [m.name for m in chosen_makings(["mypy 2"])] == ["mypy 2"]
    assert all(m.sampled for m in chosen_makings(sampled=True))
    assert chosen_makings() == MAKINGS


def test_an_unknown_family_is_said_so() -> None:
    with pytest.raises(UsageError, match="--only cobol: no making or family"):
        chosen_makings(["cobol"])
