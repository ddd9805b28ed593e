"""The answer that the tests plant: a class of the toy calculator, and where tools are kept."""

import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from featuredel import trees
from featuredel.leaks.needles import needles_of
from featuredel.leaks.plant import Making
from featuredel.leaks.plant.answer import Answer
from featuredel.leaks.plant.measure import Recall, measure
from featuredel.leaks.plant.tools import Tools
from featuredel.leaks.plant.toys import toys
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.tasks.workplace import work_directory

TOY = Path(__file__).parent.parent.parent / "toys" / "calculator"
MODULE = "src/calculator/expressions.py"
KEPT = ("src/calculator/history.py", "src/calculator/units.py", "src/calculator/statistics.py")
Planting = Callable[..., list[Recall]]


@pytest.fixture(scope="session")
def answer() -> Answer:
    """Return the toy of which a whole module was deleted."""
    deleted = {MODULE: (TOY / MODULE).read_text()}
    held = [trees.read(TOY, path).decode() for path in trees.files(TOY) if path in KEPT]
    library = Path(sysconfig.get_path("stdlib"))
    common = [path.read_text(errors="replace") for path in sorted(library.glob("*.py"))]
    needles = needles_of(deleted, [*held, *common, MODULE])
    return Answer("calculator", TOY, deleted, needles, ("tests/test_expressions.py",))


@pytest.fixture(scope="session")
def tools() -> Tools:
    """Return tools that are kept from one run of the tests to the next."""
    return Tools(work_directory() / "plant-tools")


@pytest.fixture
def plant(tools: Tools, tmp_path: Path) -> Planting:
    """Return a function that plants makings with an answer, and with the toys of languages."""

    def planted(answer: Answer, *makings: Making) -> list[Recall]:
        answers = {**toys(), "task": (answer,)}
        return list(measure(makings, answers, tools, Bubblewrap(), tmp_path))

    return planted
