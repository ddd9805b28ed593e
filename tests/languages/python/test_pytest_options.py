import shlex
from collections.abc import Mapping

import pytest

from featuredel.languages.python.pytest_options import PytestOptions, neutral, pytest_options


def options(files: Mapping[str, str]) -> PytestOptions:
    return pytest_options(lambda path: files[path].encode() if path in files else None)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("-ra -q --tb=short -vv -xvs -l", ""),
        ("-x --maxfail=1 --maxfail 3 --exitfirst -p no:doctest", "-p no:doctest"),
        ("--cov --cov=a --cov b --cov-report term --cov-fail-under=99 --no-cov", ""),
        ("--cov --doctest-modules", "--doctest-modules"),
        ("-n auto -n4 --dist loadfile --numprocesses=2", ""),
        ("-p randomly -prandom_order -p xdist.looponfail -p own.plugin", "-p own.plugin"),
        ("--strict --strict-markers --strict-config --pyargs", "--pyargs"),
        ("--doctest-glob='*.rst' -m 'not slow'", "--doctest-glob=*.rst -m 'not slow'"),
        ("-k 'not x' --import-mode=importlib", "-k 'not x' --import-mode=importlib"),
        ("--ignore=docs --deselect a.py::b tests", "--ignore=docs --deselect a.py::b tests"),
        ("-W error -o xfail_strict=true", "-W error -o xfail_strict=true"),
        ("--junitxml=junit.xml -o junit_family=legacy -v", "-o junit_family=legacy"),
        ("-W", "-W"),
        ("'unbalanced", ""),
    ],
)  # fmt: skip
def test_keeps_what_the_suite_means_and_drops_the_rest(given: str, kept: str) -> None:
    found = options({"pytest.ini": f"[pytest]\naddopts = {given}\n"}).addopts
    assert found == shlex.split(kept)


def test_neutral_is_idempotent() -> None:
    once = neutral(["-x", "--cov", "a", "-m", "not slow", "tests"])
    assert once == neutral(once) == ["-m", "not slow", "tests"]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("pytest.toml", '[pytest]\naddopts = ["--pyargs"]'),
        (".pytest.ini", "[pytest]\naddopts = --pyargs"),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "--pyargs"'),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = ["--pyargs"]'),
        ("pyproject.toml", '[tool.pytest]\naddopts = ["--pyargs"]'),
        ("tox.ini", "[tox]\n[pytest]\naddopts =\n    # why\n    --pyargs\n"),
        ("setup.cfg", "[metadata]\nname = %(x)s\n[tool:pytest]\naddopts = --pyargs"),
    ],
)
def test_reads_every_kind_of_file(path: str, content: str) -> None:
    found = options({path: content})
    assert (found.file, found.addopts) == (path, ["--pyargs"])


def test_takes_the_first_file_with_a_section_as_pytest_does() -> None:
    files = {
        "pyproject.toml": "[tool.other]\n",
        "tox.ini": "[tox]\n",
        "setup.cfg": "[tool:pytest]\naddopts = --pyargs\n",
    }
    assert options(files).file == "setup.cfg"
    assert options({**files, "pytest.ini": ""}) == PytestOptions("pytest.ini", {})


@pytest.mark.parametrize("content", ["[tool.pytest", "\udcff", "tool = 1", "[tool]\npytest = 3"])
def test_a_file_that_says_nothing_counts_as_none(content: str) -> None:
    raw = content.encode(errors="surrogateescape")
    found = pytest_options(lambda path: raw if path == "pyproject.toml" else None)
    assert found == PytestOptions(None, {})
