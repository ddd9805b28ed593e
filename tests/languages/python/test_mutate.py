import ast
from pathlib import Path

from candidates import deletion

from featuredel.languages.python.gold import GoldFile, functions
from featuredel.languages.python.mutate import mutants, mutations

SOURCE = b'''\
"""Doc == doc."""
LIMIT = 10


def keep(a):
    return a == 1


def grade(score: "int == 3", scale=5):
    """Say 1 < 2."""
    if not score:
        raise ValueError(f"no {score + 1}")
    log(score, scale)
    total = score + scale * 2
    total += 1
    return "high" if total >= LIMIT and score != 3 else items[:total]
'''


def changed(function: bytes, name: str = "f") -> set[tuple[str, str]]:
    """Return kind and text of every mutation of a function's one line."""
    file = GoldFile("m.py", function, [name])
    (node,) = (f for d in file.deleted for f in functions(d))
    found = set()
    for mutation in mutations(file, node):
        spliced = file.spliced([mutation.splice])
        assert spliced is not None
        found.add((mutation.kind, spliced.decode().split("    ", 1)[1].strip()))
    return found


def test_operators() -> None:
    assert ("comparison", "return a is not b") in changed(b"def f(a, b):\n    return a is b\n")
    assert ("comparison", "return (a) not in b") in changed(b"def f(a, b):\n    return (a) in b\n")
    assert ("boolean", "return a or b and c") in changed(b"def f():\n    return a and b and c\n")
    assert ("arithmetic", "return a // b") in changed(b"def f(a, b):\n    return a % b\n")
    assert ("negation", "return x") in changed(b"def f(x):\n    return not x\n")


def test_values_statements_and_arguments() -> None:
    assert ("constant", "return (4)") in changed(b"def f():\n    return 3\n")
    assert ("constant", 'return ""') in changed(b"def f():\n    return 'x'\n")
    assert ("constant", "return False") in changed(b"def f():\n    return True\n")
    assert ("return", "return None") in changed(b"def f(x):\n    return x\n")
    assert ("statement", "pass") in changed(b"def f(x):\n    x.go()\n")
    assert ("arguments", "g(b, a)") in changed(b"def f(a, b):\n    g(a, b)\n")
    assert ("off by one", "return x[(n) + 1:]") in changed(b"def f(x, n):\n    return x[n:]\n")


def test_strings_are_not_arithmetic_and_f_strings_stay() -> None:
    kinds = {kind for kind, _ in changed(b"def f(x):\n    return 'a' + f'{x + 1}'\n")}
    assert kinds == {"constant", "return"}


def test_columns_count_bytes() -> None:
    assert ("comparison", "return 'é' != x") in changed("def f(x):\n    return 'é' == x\n".encode())


def test_latin_1_and_crlf_survive(tmp_path: Path) -> None:
    source = "# -*- coding: latin-1 -*-\r\ndef f(x):\r\n    return 'é', x < 1\r\n".encode("latin-1")
    (tmp_path / "m.py").write_bytes(source)
    for mutant in mutants(tmp_path, deletion("m.py::f"), 20, 0):
        assert mutant.files["m.py"].startswith(b"# -*- coding: latin-1 -*-\r\n")
        assert mutant.files["m.py"].endswith(b"\r\n")


def test_only_deleted_functions_change_and_all_parse(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_bytes(SOURCE)
    found = mutants(tmp_path, deletion("m.py::grade"), 100, 0)
    assert len(found) > 12
    for mutant in found:
        text = mutant.files["m.py"]
        ast.parse(text)
        assert text != SOURCE
        assert text.startswith(SOURCE[: SOURCE.index(b"    if not")])


def test_the_same_seed_gives_the_same_sample(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_bytes(SOURCE)
    one, two = (mutants(tmp_path, deletion("m.py::grade"), 5, 7) for _ in range(2))
    assert one == two and len(one) == 5
    assert one != mutants(tmp_path, deletion("m.py::grade"), 5, 8)


def test_the_sample_is_spread_over_the_functions(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "def long(x):\n" + "    x += 1\n" * 50 + "    return x\n\n\ndef short(x):\n    return x\n"
    )
    found = mutants(tmp_path, deletion("m.py::long", "m.py::short"), 2, 0)
    assert {(m.first_line, m.last_line) for m in found} == {(2, 52), (56, 56)}
    assert any(b"return None" in m.files["m.py"].rpartition(b"short")[2] for m in found)


def test_nothing_to_mutate(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f():\n    ...\n\n\nX = 3\n")
    assert mutants(tmp_path, deletion("m.py::f", "m.py::X", "gone.py::g"), 5, 0) == ()
