import ast

import pytest

from featuredel.languages.python.examples import bindings_of, standing_alone

HEAD = """
import json, os.path
import numpy as np
from calc import add as plus, mul
from ..inner import odd
from . import near

LIMIT = 3

def helper():
    return LIMIT
"""
STAR = "from calc import *\n"


def shown(body: str, head: str = HEAD, arguments: str = "") -> str | None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    tree = ast.parse(f"{head}\n@helper\ndef test({arguments}):\n{lines}")
    (test,) = (n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "test")
    return standing_alone(test, bindings_of(tree, "pkg.tests.test_it"))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("x = [1]\nassert len(x) == 1", "x = [1]\nassert len(x) == 1"),
        (
            "assert mul(2, 3) == plus(3, 3)",
            "from calc import add as plus, mul\n\nassert mul(2, 3) == plus(3, 3)",
        ),
        ("assert os.path.sep", "import os.path\n\nassert os.path.sep"),
        (
            "def f(x):\n    return np.abs(x)\nassert odd(f(1), near)",
            "import numpy as np\nfrom pkg.inner import odd\nfrom pkg.tests import near\n\n"
            "def f(x):\n    return np.abs(x)\nassert odd(f(1), near)",
        ),
        ('"""What it is."""\nassert 1', "assert 1"),
    ],
)
def test_a_body_comes_with_its_imports(body: str, text: str) -> None:
    assert shown(body) == text


@pytest.mark.parametrize(
    "body", ["assert helper()", "assert LIMIT", "assert unknown", "assert [x for x in LIMIT]"]
)
def test_what_needs_the_rest_of_the_file_is_no_example(body: str) -> None:
    assert shown(body) is None


def test_nor_is_what_needs_a_fixture_or_a_case() -> None:
    assert shown("assert mul(1, case)", arguments="case") is None
    assert shown("def f():\n    return case\nassert f()", arguments="case") is None
    assert shown("assert self.client.get()", arguments="self") is None
    assert shown("self.assertEqual(1, 1)", arguments="self") == "self.assertEqual(1, 1)"


def test_a_star_may_bind_what_the_file_does_not() -> None:
    assert shown("assert div(4, 2)", HEAD + STAR) == "from calc import *\n\nassert div(4, 2)"
    assert shown("assert helper()", HEAD + STAR) is None
