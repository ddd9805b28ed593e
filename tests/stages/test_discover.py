import os
import subprocess
import sys
from pathlib import Path

import pytest
from toy_index import baseline, index_of

from featuredel.config import Settings
from featuredel.errors import Rejected
from featuredel.model import Baseline, Feature, Index
from featuredel.stages.discover import discover

CORE = "def core(x):\n    return x\n"
SHAPES = '''\
from pkg.core import core
PI = 3
class Circle:
    """A round one."""
    def __init__(self, r):
        self.r = core(r)
    def area(self):
        return PI * _square(self.r)
def _square(x):
    y = x
    return y * y
def perimeter(shape):
    """Around."""
    r = shape
    if r:
        return 2 * r
    return 0
'''
FILES = {
    "pkg/__init__.py": "",
    "pkg/core.py": CORE,
    "pkg/shapes.py": SHAPES,
    "pkg/cli.py": "def main():\n    a = 1\n    b = 2\n    return a + b\n",
    "pyproject.toml": '[project.scripts]\nx = "pkg.cli:main"\n',
    "tests/test_shapes.py": (
        "from pkg.shapes import Circle, perimeter\nfrom pkg.cli import main\n"
        + "".join(f"def test_circle_{n}():\n    Circle({n}).area()\n" for n in range(3))
        + "".join(f"def test_perimeter_{n}():\n    perimeter({n})\n" for n in range(3))
        + "".join(f"def test_main_{n}():\n    main()\n" for n in range(2))
        + "".join(f"def test_core_{n}():\n    pass\n" for n in range(6))
    ),
}


def subject(root: Path) -> tuple[Index, Baseline]:
    index = index_of(root, FILES)
    test = "tests/test_shapes.py::test_"
    circle = (
        "pkg/shapes.py::Circle.__init__",
        "pkg/shapes.py::Circle.area",
        "pkg/shapes.py::_square",
    )
    core = "pkg/core.py::core"
    entered = {f"{test}circle_{n}": [*circle, core] for n in range(3)}
    entered |= {f"{test}perimeter_{n}": ["pkg/shapes.py::perimeter"] for n in range(3)}
    entered |= {f"{test}main_{n}": ["pkg/cli.py::main"] for n in range(2)}
    entered |= {f"{test}core_{n}": [core] for n in range(6)}
    return index, baseline(index, entered)


def found(root: Path) -> dict[str, Feature]:
    return {f.name: f for f in discover(*subject(root), Settings(min_lines=3))}


def test_features_are_named_after_their_entry_points(tmp_path: Path) -> None:
    features = found(tmp_path)
    assert {"pkg.shapes.Circle", "pkg.shapes.perimeter"} <= features.keys()
    circle = features["pkg.shapes.Circle"]
    assert circle.definitions == (
        "pkg/shapes.py::Circle",
        "pkg/shapes.py::PI",
        "pkg/shapes.py::_square",
    )
    assert circle.tests == tuple(f"tests/test_shapes.py::test_circle_{n}" for n in range(3))
    assert circle.code_lines == 9
    assert circle.seed_kind == "class"


def test_neither_infrastructure_nor_entry_points_of_the_build(tmp_path: Path) -> None:
    taken = {d for f in found(tmp_path).values() for d in f.definitions}
    assert "pkg/core.py::core" not in taken  # most tests hang on it
    assert "pkg/cli.py::main" not in taken
    assert not any(d.startswith("tests/") for d in taken)


def test_limits_are_kept(tmp_path: Path) -> None:
    index, base = subject(tmp_path)
    assert len(discover(index, base, Settings(max_candidates=1, min_lines=3))) <= 2
    assert all(len(f.tests) >= 3 for f in discover(index, base, Settings(min_tests=3, min_lines=3)))
    with pytest.raises(Rejected, match="no feature found"):
        discover(index, base, Settings(min_lines=1000))


def test_the_same_whatever_the_hash_seed(tmp_path: Path) -> None:
    here = Path(__file__).parent
    code = (
        f"import sys; sys.path[:0] = {[str(here), str(here.parent)]!r}\n"
        "from pathlib import Path\nfrom test_discover import subject\n"
        "from featuredel.config import Settings\nfrom featuredel.stages.discover import discover\n"
        "print(discover(*subject(Path(sys.argv[1])), Settings(min_lines=3)))\n"
    )
    seen = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(run.stdout)
    assert len(seen) == 1
