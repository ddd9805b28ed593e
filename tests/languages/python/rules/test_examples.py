"""Every rule keeps the promises of its examples, and cutting twice changes nothing more."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from featuredel.languages.python import cut
from featuredel.languages.python.bench import Bench
from featuredel.languages.python.index import build_index
from featuredel.languages.python.plan import Plan
from featuredel.languages.python.planner import make_plan
from featuredel.languages.python.rules import MODULES
from featuredel.languages.python.sites import Example
from featuredel.model import Baseline, DefinitionId, Lines, TestId

OURS, STAYS = 1, 2


def examples() -> Iterator[object]:
    for module in MODULES:
        name = module.__name__.rsplit(".", 1)[-1]
        for number, example in enumerate(module.EXAMPLES):
            yield pytest.param(example, id=f"{name}-{number}")


def baseline(path: str, source: str) -> Baseline:
    """Return a baseline of two tests: lines marked `# ours` are run by the feature's alone."""
    lines = source.splitlines()
    reached = {
        number: STAYS if text.endswith("# live") else OURS
        for number, text in enumerate(lines, 1)
        if text.endswith(("# live", "# ours"))
    }
    tests = (TestId("test_a.py::test_ours"), TestId("test_b.py::test_stays"))
    return Baseline(tests, (0.0, 0.0), (), Lines(tests, {path: reached}, {}))


def plan(root: Path, example: Example, source: str) -> Plan:
    path = root / example.path
    path.parent.mkdir(exist_ok=True)
    path.write_text(source)
    index = build_index(root)
    known = [DefinitionId(f"{example.path}::{name}") for name in example.dead]
    bench = Bench(root, index, baseline(example.path, source))
    return make_plan(bench, OURS, frozenset(), [d for d in known if d in index.definitions])


@pytest.mark.parametrize("example", list(examples()))
def test_a_rule_does_what_its_example_shows(example: Example, tmp_path: Path) -> None:
    made = plan(tmp_path, example, example.before)
    if example.after is None:
        assert made.blocked
        return
    assert not made.blocked
    after = cut.apply(example.before.encode(), made.cuts().get(example.path, [])).decode()
    assert after.strip("\n") == example.after.strip("\n")
    ast.parse(after)
    again = plan(tmp_path, example, after)
    assert not again.cuts()


def test_every_rule_has_an_example_or_is_about_stub_files() -> None:
    without = {m.__name__.rsplit(".", 1)[-1] for m in MODULES if not m.EXAMPLES}
    assert without == {"stubs"}
