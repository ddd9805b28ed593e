"""Cutting: what goes, what stays byte for byte, and agreement with the same cuts on an ast tree."""

import ast

import pytest

from featuredel.languages.python.cut import apply
from featuredel.languages.python.cuts import Action, Cut
from featuredel.languages.python.prune import prune


def place(source: str, marked: str) -> tuple[int, int]:
    """Return line and column (in bytes) of the only place where `marked` begins."""
    assert source.count(marked) == 1, marked
    at = source.index(marked)
    start = source.rfind("\n", 0, at) + 1
    return source.count("\n", 0, at) + 1, len(source[start:at].encode())


def cut(source: str, *cuts: tuple[Action, str]) -> str:
    made = [Cut("m.py", *place(source, marked), action) for action, marked in cuts]
    after = apply(source.encode(), made)
    assert ast.dump(ast.parse(after)) == ast.dump(prune(ast.parse(source.encode()), made))
    return after.decode()


CASES: dict[str, tuple[str, list[tuple[Action, str]], str]] = {
    "function with its comments": (
        "import a\n\n# section\n\n# about f\n@b\ndef f():\n    pass\n\n\ndef g():\n    pass\n",
        [("statement", "def f")],
        "import a\n\n# section\n\n\ndef g():\n    pass\n",
    ),
    "last of a module": ("a = 1\n\n\ndef f():\n    pass\n", [("statement", "def f")], "a = 1\n"),
    "first of a class": (
        "class A:\n    def f(self):\n        pass\n\n    def g(self):\n        pass\n",
        [("statement", "def f")],
        "class A:\n    def g(self):\n        pass\n",
    ),
    "all of a class": ("class A:\n    x = 1\n", [("statement", "x = 1")], "class A:\n    pass\n"),
    "all but the docstring": (
        'class A:\n    """Doc."""\n\n    x = 1\n',
        [("statement", "x = 1")],
        'class A:\n    """Doc."""\n',
    ),
    "between paragraphs": ("a()\n\nb()\n\nc()\n", [("statement", "b()")], "a()\n\nc()\n"),
    "start of a paragraph": ("a()\n\nb()\nc()\n", [("statement", "b()")], "a()\n\nc()\n"),
    "after a semicolon": ("a(); b()\n", [("statement", "b()")], "a()\n"),
    "before a semicolon": ("a(); b()\n", [("statement", "a()")], "b()\n"),
    "no newline at the end": ("a = 1\nb = 2", [("statement", "b = 2")], "a = 1"),
    "crlf": (
        "a = 1\r\nb = [1,\r\n    2]\r\nc = 3\r\n",
        [("statement", "a = 1")],
        "b = [1,\r\n    2]\r\nc = 3\r\n",
    ),
    "tabs": ("if a:\n\tb()\n\tc()\n", [("statement", "b()")], "if a:\n\tc()\n"),
    "import": ("from a import b, c\n", [("alias", "c")], "from a import b\n"),
    "import in brackets": (
        "from a import (\n    b,  # of b\n    # of c\n    c,  # of c\n    d,\n)\n",
        [("alias", "c,")],
        "from a import (\n    b,  # of b\n    d,\n)\n",
    ),
    "star import": ("from a import *\nb = 1\n", [("alias", "*")], "b = 1\n"),
    "import as": ("import a.b as c, d\n", [("alias", "a.b as c")], "import d\n"),
    "last element": (
        "x = [\n    1,  # one\n    2,  # two\n]\n",
        [("element", "2,")],
        "x = [\n    1,  # one\n]\n",
    ),
    "first element": (
        "x = [\n    # one\n    1,\n    # two\n    2,\n]\n",
        [("element", "1,")],
        "x = [\n    # two\n    2,\n]\n",
    ),
    "only element": ("x = [\n    1,\n]\n", [("element", "1,")], "x = []\n"),
    "tuple of two": ("x = (1, 2)\n", [("element", "2)")], "x = (1,)\n"),
    "set of one": ("x = {1}\n", [("element", "1}")], "x = set()\n"),
    "item of a dict": ("x = {'é': 1, 'b': 2}\n", [("element", "'b'")], "x = {'é': 1}\n"),
    "argument": ("f(a, k=b)\n", [("element", "b)")], "f(a)\n"),
    "isinstance": ("isinstance(x, (A, B))\n", [("element", "B")], "isinstance(x, A)\n"),
    "base": ("class A(B):\n    pass\n", [("element", "B")], "class A:\n    pass\n"),
    "metaclass stays": (
        "class A(B, metaclass=M):\n    pass\n",
        [("element", "B")],
        "class A(metaclass=M):\n    pass\n",
    ),
    "decorator": ("@a\n@b(1)\ndef f(): ...\n", [("decorator", "b(1)")], "@a\ndef f(): ...\n"),
    "annotations": (
        "def f(a: X = 1, b: Y = 2) -> Z:\n    c: W = 3\n",
        [("annotation", "X"), ("annotation", "Z"), ("annotation", "W")],
        "def f(a=1, b: Y = 2):\n    c = 3\n",
    ),
    "if to else": (
        "if a:\n    b()\nelse:\n    # why\n    c()\n    d()\ne()\n",
        [("body", "if a")],
        "# why\nc()\nd()\ne()\n",
    ),
    "if to elif": (
        "# why\nif a:\n    b()\nelif c:\n    d()\nelse:\n    e()\n",
        [("body", "if a")],
        "# why\nif c:\n    d()\nelse:\n    e()\n",
    ),
    "elif": (
        "if a:\n    b()\nelif c:\n    d()\nelse:\n    e()\n",
        [("body", "if c")],
        "if a:\n    b()\nelse:\n    e()\n",
    ),
    "only handler": (
        "try:\n    a()\nexcept X:\n    b()\nelse:\n    c()\n",
        [("handler", "except X")],
        "a()\nc()\n",
    ),
    "handler before finally": (
        "try:\n    a()\nexcept X:\n    b()\nfinally:\n    c()\n",
        [("handler", "except X")],
        "try:\n    a()\nfinally:\n    c()\n",
    ),
    "with": ("with a as b, c:\n    d()\n", [("element", "a as")], "with c:\n    d()\n"),
    "only item of with": ("with a:\n    d()\n", [("element", "a:")], "d()\n"),
    "stub": (
        'def f(a):\n    """Doc."""\n    return a\n',
        [("stub", "def f")],
        'def f(a):\n    """Doc."""\n    raise NotImplementedError\n',
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_cut(name: str) -> None:
    source, cuts, after = CASES[name]
    if name == "elif":  # ast says that an elif begins at its keyword
        line, column = place(source, "elif c")
        made = [Cut("m.py", line, column, "body")]
        assert apply(source.encode(), made).decode() == after
        return
    assert cut(source, *cuts) == after


def test_columns_count_bytes() -> None:
    assert cut('f("é", a, b)\n', ("element", "a,")) == 'f("é", b)\n'


def test_a_declared_encoding_survives() -> None:
    source = "# coding: latin-1\na = 'é'\nb = 1\n".encode("latin-1")
    after = apply(source, [Cut("m.py", 3, 0, "statement")])
    assert after == "# coding: latin-1\na = 'é'\n".encode("latin-1")


def test_replace_keeps_brackets_around() -> None:
    made = [Cut("m.py", 1, 5, "replace", (1, 11), "a")]
    assert apply(b"x = (a or b)\n", made) == b"x = (a)\n"


def test_nothing_to_cut_is_the_same_object() -> None:
    source = b"a  =  1\n"
    assert apply(source, []) is source
