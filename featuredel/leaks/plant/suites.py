"""What test tools keep: pytest, coverage, hypothesis, monkeytype, joblib."""

import ast
import shlex
from collections.abc import Iterator
from pathlib import Path

from featuredel.leaks.plant import Making, Vector
from featuredel.leaks.plant.answer import Answer
from featuredel.leaks.plant.workshop import Workshop

_TEST = """
import inspect

from hypothesis import given, settings, strategies

{imports}

MODULES = [{modules}]


@settings(max_examples=20)
@given(strategies.integers() | strategies.text() | strategies.floats())
def test_with_constants(value):
    assert all(module.__name__ != value for module in MODULES)


@settings(max_examples=20)
@given(strategies.integers())
def test_example_is_kept(value):
    assert value < 1000


def test_source_is_shown():
    sources = [inspect.getsource(module) for module in MODULES]
    print("".join(sources))
    assert sources == []
"""
_JUNIT = "-o junit_logging=all --junitxml=junit.xml"
_PICKLES = """
import importlib, inspect, sys, types

import cloudpickle, joblib

memory = joblib.Memory("cachedir", verbose=0)


@memory.cache
def source_of(name):
    return inspect.getsource(importlib.import_module(name))


modules = [importlib.import_module(name) for name in sys.argv[1:]]
for module in modules:
    source_of(module.__name__)
    cloudpickle.register_pickle_by_value(module)
own = [
    value
    for module in modules
    for value in vars(module).values()
    if isinstance(value, (types.FunctionType, type)) and value.__module__ == module.__name__
]
with open("functions.pkl", "wb") as file:
    for value in own:
        try:
            file.write(cloudpickle.dumps(value))
        except Exception as error:  # some classes cannot be taken by value
            print(value, error)
sources = [source_of(module.__name__) for module in modules]
for suffix in ("z", "gz", "bz2", "xz", "lzma"):
    joblib.dump(sources, f"sources.pkl.{suffix}")
"""


def _tests(shop: Workshop, out: Path) -> None:
    layer = shop.layer({"test_planted.py": _test(shop)})
    files = shlex.join(["test_planted.py", *shop.answer.tests])
    script = (
        f"coverage run --source=. -m pytest -q {_JUNIT} {files} || test $? -le 2\n"
        "for form in html json xml lcov; do coverage $form -q -i; done\n"
        f"coverage annotate -i --include={shlex.quote(','.join(shop.answer.paths))}"
    )
    shop.shell("tests", script, out, layers=(layer,))


def _types(shop: Workshop, out: Path) -> None:
    layer = shop.layer({"test_planted.py": _test(shop)})
    files = shlex.join(["test_planted.py", *shop.answer.tests])
    script = f"monkeytype run -m pytest -q {files} || test $? -le 2"
    shop.shell("tests", script, out, layers=(layer,))


def _pickles(shop: Workshop, out: Path) -> None:
    layer = shop.layer({"keep.py": _PICKLES})
    shop.sandboxed("tests", ("python", "keep.py", *shop.answer.modules), out, layers=(layer,))


def _test(shop: Workshop) -> str:
    imports = "\n".join(f"import {name}" for name in shop.answer.modules)
    names = ", ".join(shop.answer.modules)
    # a package may hold a function that is called like its module
    found = f"__import__('sys').modules[name] for name in {names.split(', ')!r}"
    return _TEST.format(imports=imports, modules=f"*({found})")


def _calls(answer: Answer) -> bool:
    """Tell whether tests call the deleted code: without a call there is no type to keep."""
    return bool(answer.tests)


def _constants(answer: Answer) -> bool:
    """Tell whether a secret is among what hypothesis keeps: numbers, and short whole strings."""
    secrets = {n.text for n in answer.needles.secret if n.kind in ("string", "number")}
    kept = [value for path in answer.paths for value in _kept((answer.root / path).read_text())]
    return any(secret in value for secret in secrets for value in kept)


def _kept(source: str) -> Iterator[str]:
    tree = ast.parse(source)
    parts = {v for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for v in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node not in parts:
            value = node.value
            if isinstance(value, str | bytes) and len(value) >= (
                20 if isinstance(value, str) else 50
            ):
                continue
            yield str(value)


MAKINGS = (
    Making(
        "pytest, coverage and hypothesis", "test runs", _tests,
        (
            Vector("pytest-cache", (".pytest_cache/v/**/*",), content=False, ruled=True),
            Vector("pytest-rewritten", ("**/*-pytest-*.pyc",), content=False, ruled=True),
            Vector("pytest-junit", ("junit.xml",)),
            Vector("coverage-database", (".coverage",), content=False, ruled=True),
            Vector("coverage-html", ("htmlcov/*.html",), ruled=True),
            Vector("coverage-json", ("coverage.json",), ruled=True),
            Vector("coverage-xml", ("coverage.xml",), content=False, ruled=True),
            Vector("coverage-lcov", ("coverage.lcov",)),
            Vector("coverage-annotated", ("**/*,cover",), ruled=True),
            Vector(
                "hypothesis-constants", (".hypothesis/constants/*",), ruled=True, carries=_constants
            ),
            Vector("hypothesis-examples", (".hypothesis/examples/*/*",), content=False, ruled=True),
            Vector("bytecode-of-a-run", ("**/*.cpython-*[0-9].pyc",), ruled=True),
        ),
        needs=("pins tests",),
        sampled=True,
    ),
    Making(
        "monkeytype", "test runs", _types,
        (Vector("monkeytype-database", ("monkeytype.sqlite3*",), ruled=True, carries=_calls),),
        needs=("pins tests",),
    ),
    Making(
        "joblib and cloudpickle", "test runs", _pickles,
        (
            Vector("joblib-memory", ("cachedir/**/*",)),
            Vector("cloudpickle-functions", ("functions.pkl",)),
            Vector("joblib-compressed", ("sources.pkl.*",)),
        ),
        needs=("pins tests",),
    ),
)  # fmt: skip
