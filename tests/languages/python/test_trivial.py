import ast
from pathlib import Path

from candidates import deletion

from featuredel.languages.python.trivial import trivial_solutions

SOURCE = '''\
BASE = 10
FLOOR: int = 0


def keep_add(a, b):
    return a + b


def keep_log(message):
    print(message)


def mul_add(a, b):
    """Multiply."""
    total = a * b
    return total + BASE


class Gone:
    LIMIT = 3

    def __init__(self, x):
        self.x = x

    @property
    def double(self):
        return self.x * 2

    def plus(self, n): return self.x + n
'''


def solve(tmp_path: Path, *names: str) -> dict[str, str]:
    (tmp_path / "m.py").write_text(SOURCE)
    solutions = trivial_solutions(tmp_path, deletion(*(f"m.py::{name}" for name in names)))
    for files in solutions.values():
        ast.parse(files["m.py"])
    return {name: files["m.py"].decode() for name, files in solutions.items()}


def function(source: str, name: str) -> str:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return ast.unparse(node.body[-1])
    raise AssertionError(name)


def test_bodies(tmp_path: Path) -> None:
    solved = solve(tmp_path, "mul_add")
    assert function(solved["return None"], "mul_add") == "return None"
    assert function(solved["identity"], "mul_add") == "return a"
    assert function(solved["raise NotImplementedError"], "mul_add") == "raise NotImplementedError"
    assert '"""Multiply."""' in solved["return None"]


def test_what_is_kept_is_untouched(tmp_path: Path) -> None:
    solved = solve(tmp_path, "mul_add")
    for text in solved.values():
        assert text.startswith(SOURCE[: SOURCE.index("def mul_add")])


def test_the_nearest_sibling_lends_its_body(tmp_path: Path) -> None:
    solved = solve(tmp_path, "mul_add")
    assert function(solved["copy of the nearest sibling"], "mul_add") == "return a + b"


def test_a_class_keeps_its_shape_and_loses_its_values(tmp_path: Path) -> None:
    solved = solve(tmp_path, "Gone", "BASE", "FLOOR")
    text = solved["identity"]
    assert "LIMIT = None" in text
    assert "BASE = None" in text
    assert "FLOOR: int = None" in text
    assert "@property" in text
    assert function(text, "double") == "return self"
    assert function(text, "plus") == "return n"
    assert function(text, "__init__") == "return None"


def test_the_wiring_comes_along(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("from m import mul_add\n")
    (tmp_path / "m.py").write_text(SOURCE)
    removed = deletion("m.py::mul_add", gold_paths=("__init__.py", "m.py"))
    for files in trivial_solutions(tmp_path, removed).values():
        assert files["__init__.py"] == b"from m import mul_add\n"


def test_equal_solvers_are_tried_once(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f():\n    return 3\n")
    names = list(trivial_solutions(tmp_path, deletion("m.py::f")))
    assert names == ["raise NotImplementedError", "return None"]
