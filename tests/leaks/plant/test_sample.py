"""The quick makings, each with the toy calculator: the scan finds every vector.

The whole, in tasks of real projects, is `make leaks-plant`.
"""

from collections.abc import Callable

import pytest

from featuredel.leaks.plant import Making
from featuredel.leaks.plant.answer import Answer
from featuredel.leaks.plant.measure import Recall
from featuredel.leaks.plant.table import MAKINGS
from featuredel.leaks.plant.tools import Tools

Planting = Callable[..., list[Recall]]


def marked(making: Making) -> object:
    from_registry = any(need.startswith(("pins", "npm")) for need in making.needs)
    marks = [pytest.mark.sandbox, pytest.mark.network] if from_registry else []
    return pytest.param(making, marks=marks, id=making.name)


@pytest.mark.parametrize("making", [marked(m) for m in MAKINGS if m.sampled])
def test_every_vector_is_found(
    making: Making, answer: Answer, plant: Planting, tools: Tools
) -> None:
    for lacking in filter(None, map(tools.lack, making.needs)):
        pytest.skip(lacking)
    recalls = plant(answer, making)
    assert [recall.vector for recall in recalls] == [vector.name for vector in making.vectors]
    assert [(r.vector, r.unmade) for r in recalls if r.broken] == []
    missed = [(r.vector, r.content, r.path, r.provenance) for r in recalls if r.missed]
    assert missed == []


def test_without_the_deleted_code_nothing_is_found(answer: Answer, plant: Planting) -> None:
    """Else what is found elsewhere would be the tools' own."""
    quick = [m for m in MAKINGS if m.sampled and m.family in ("plain files", "git", "images")]
    quick = [m for m in quick if m.name not in ("names", "file attributes")]  # these need a needle
    other = "src/calculator/units.py"
    innocent = Answer(
        "units", answer.root, {other: (answer.root / other).read_text()}, answer.needles
    )
    found = [r.vector for r in plant(innocent, *quick) if r.content and r.view != "names"]
    assert found == []
