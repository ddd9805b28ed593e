"""The test side of a deletion from a toy repository of one module and its tests."""

from collections.abc import Collection, Mapping
from pathlib import Path

from toy_index import baseline, index_of

from featuredel.languages.python.bench import Bench
from featuredel.languages.python.lint import faults
from featuredel.languages.python.testside import TestSide, remove_tests
from featuredel.model import DefinitionId, TestId

SOURCE = "def gone(x=0):\n    return x\n\n\ndef kept(x=0):\n    return x\n"
GONE = DefinitionId("pkg.py::gone")


def side(
    root: Path,
    files: Mapping[str, str | bytes],
    entered: Mapping[str, bool],
    dead: Collection[str] = (GONE,),
) -> TestSide:
    """Return the test side; `entered` tells of each test whether it is in T."""
    index = index_of(root, {"pkg.py": SOURCE, **files})
    reached = {test: [GONE] if ours else ["pkg.py::kept"] for test, ours in entered.items()}
    ours = [TestId(test) for test, it_is in entered.items() if it_is]
    bench = Bench(root, index, baseline(index, reached))
    found = remove_tests(bench, ours, [DefinitionId(d) for d in dead])
    visible = {p: c for p, c in found.edits.items() if c is not None and p.endswith(".py")}
    assert faults(visible) == (), "the visible files lint clean"
    return found


def after(
    root: Path, before: str, entered: Mapping[str, bool], more: Mapping[str, str] | None = None
) -> str:
    """Return the one test file after the deletion; tests are told by the part behind its path."""
    named = {f"tests/test_it.py::{name}": ours for name, ours in entered.items()}
    found = side(root, {"tests/test_it.py": before, **(more or {})}, named)
    assert not found.blocked
    text = found.edits["tests/test_it.py"]
    assert text is not None
    return text.decode()
