"""A toy task with controls, whose tests take milliseconds, as a dataset of its own."""

import contextlib
import datetime
from collections.abc import Mapping
from pathlib import Path

from candidates import baseline, this_environment, write
from samples import task as sample
from toy_dataset import write_tables

from bench.redteam.trial import Ground, open_ground
from featuredel import git, trees
from featuredel.config import Settings
from featuredel.gates.controls import controls
from featuredel.gates.trial import Trial, lay_out
from featuredel.languages.python.front_end import Python
from featuredel.model import (
    Control,
    Deletion,
    Environment,
    Feature,
    HiddenFile,
    Snapshot,
    TestId,
)
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.sandbox.shared import Shared
from featuredel.submission import allowed_paths
from featuredel.tasks.read import read

CORE = """def add(a, b):
    return a + b


def sub(a, b):
    return a - b
"""
CHECKS = '''"""For tests of what uses this."""


def check_equal(found, expected):
    """Fail unless both are equal."""
    assert found == expected, (found, expected)
'''
NEG = """

def neg(a):
    return -a
"""
LEFT = f'"""More of it."""\n{NEG}'
MORE = f'''"""More of it."""

import operator
{NEG}

def _checked(value):
    if not isinstance(value, int):
        raise TypeError("not a number: %r" % (value,))
    return value


def mul(a, b):
    """Return the product of two numbers."""
    return operator.mul(_checked(a), _checked(b))


class Power:
    """Powers of a number."""

    def __init__(self, base):
        self.base = base

    def of(self, exponent):
        """Return the power with that exponent."""
        result = 1
        for _ in range(exponent):
            result = mul(result, self.base)
        return result
'''
STAYS = """

def test_neg():
    assert neg(1) == -1


def test_sub():
    assert sub(5, 3) == 2
"""
COUNTS = """

def test_mul():
    assert mul(2, 3) == 6
    assert mul(4, 5) == 20


def test_mul_zero():
    assert mul(2, 0) == 0


def test_mul_of_negative_numbers():
    assert mul(-2, 3) == -6
    assert mul(-2, -2) == 4


@pytest.mark.parametrize("factor, expected", [(1, 7), (2, 14)])
def test_table(factor, expected):
    assert mul(7, factor) == expected


def test_mul_refuses_texts():
    with pytest.raises(TypeError):
        mul("2", 3)


def test_power():
    assert Power(2).of(3) == 8


def test_high_power():
    check_equal(Power(3).of(4), 81)
"""
NEEDED = (
    "from calc.checks import check_equal\nfrom calc.core import sub\nfrom calc.more import neg\n"
)
PLACEHOLDERS = """import pytest

try:
    from calc import Power, mul
except ImportError:

    def mul(*_):
        raise ImportError("calc.mul is not implemented")

    Power = mul
"""
FILES = {
    "calc/__init__.py": '__version__ = "1.0"\nfrom calc.core import add\n'
    "from calc.more import Power, mul\n",
    "calc/checks.py": CHECKS,
    "calc/core.py": CORE,
    "calc/more.py": MORE,
    "tests/test_core.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    "tests/test_more.py": f"import pytest\nfrom calc import Power, mul\n{NEEDED}{COUNTS}{STAYS}",
}
EDITS = {
    "calc/__init__.py": '__version__ = "1.0"\nfrom calc.core import add\n',
    "calc/more.py": LEFT,
    "tests/test_more.py": f"{NEEDED}{STAYS}",
}
HIDDEN = f"{PLACEHOLDERS}\n{NEEDED}{COUNTS}{STAYS}"
F2P = tuple(
    TestId(f"tests/test_more.py::{name}")
    for name in (
        "test_mul", "test_mul_zero", "test_mul_of_negative_numbers", "test_table[1-7]",
        "test_table[2-14]", "test_mul_refuses_texts", "test_power", "test_high_power",
    )
)  # fmt: skip
P2P = tuple(
    TestId(test)
    for test in (
        "tests/test_core.py::test_add",
        "tests/test_more.py::test_neg",
        "tests/test_more.py::test_sub",
    )
)


def toy_ground(place: Path) -> Ground:
    """Write the dataset of the task below `place`, and set the task up."""
    origin, deletion, environment = _snapshot(place / "snapshot"), _deletion(), this_environment()
    task = place / "task"
    edits = _bytes(EDITS)
    trees.build_tree(origin.root, edits, task)
    pool = _controls(origin, deletion, environment, place)
    gold = {path: content for path, content in _bytes(FILES).items() if path in deletion.gold_paths}
    row = sample(
        task_id="feed" * 4, repository="calc", snapshot_tree=origin.tree,
        task_tree=trees.tree_hash(task), environment_id=environment.id,
        definitions=deletion.feature.definitions, controls=pool,
        statement_full="Write mul and Power.", statement_interface=None,
        statement_terse="Write mul and Power.", deletion_patch=git.diff(origin.root, edits),
        gold_patch=git.diff(task, gold), hidden_files=deletion.hidden_files,
        allowed_paths=allowed_paths(origin.root, deletion), f2p=F2P, p2p_excluded=(),
        f2p_count=len(F2P), p2p_count=len(P2P),
    )  # fmt: skip
    dataset = str(place / "data")
    write_tables(dataset, origin, [row], (*P2P, *F2P))
    work = place / "work"
    work.mkdir()
    return open_ground(
        read(dataset, row.task_id), dataset, Bubblewrap(), work, lambda *_: environment
    )


def _snapshot(root: Path) -> Snapshot:
    write(root, _bytes(FILES))
    return Snapshot(
        repository="calc", source="pkg:pypi/calc@1.0", source_sha256="ab" * 32, version="1.0",
        released=datetime.date(2024, 1, 1), licence="MIT", tree=trees.tree_hash(root), root=root,
    )  # fmt: skip


def _deletion() -> Deletion:
    names = ("calc/more.py::Power", "calc/more.py::_checked", "calc/more.py::mul")
    feature = Feature(
        id="0" * 16, name="calc.more", seed=names[2], seed_kind="definition", definitions=names,  # type: ignore[arg-type]
        tests=F2P, code_lines=15, density=1.0, component_share=1.0, rank=1.0,
    )  # fmt: skip
    return Deletion(
        feature=feature, form="removal", edits=_bytes(EDITS),
        gold_paths=("calc/__init__.py", "calc/more.py"),
        hidden_files=(HiddenFile("tests/test_more.py", 0o100644, HIDDEN.encode()),),
        hidden_tests=F2P, retreats=(), collateral_lines=1,
    )  # fmt: skip


def _controls(
    origin: Snapshot, deletion: Deletion, environment: Environment, place: Path
) -> tuple[Control, ...]:
    """Return the controls of the task, proven with the reference."""
    scratch = place / "gates"
    scratch.mkdir()
    with contextlib.closing(Shared(Bubblewrap())) as sandbox:
        trial = Trial(
            origin, environment, baseline((*P2P, *F2P)), deletion, Python(), sandbox, Settings(),
            task=scratch / "task", hidden=scratch / "hidden", gold=scratch / "gold", work=scratch,
        )  # fmt: skip
        lay_out(trial)
        return controls(trial, F2P, ()).controls


def _bytes(files: Mapping[str, str]) -> dict[str, bytes]:
    return {path: content.encode() for path, content in files.items()}
