from featuredel.languages.python.collection import arguments, read
from featuredel.languages.python.pytest_options import PytestOptions


def test_counts_and_what_is_missing() -> None:
    found = read(
        b"""tests/test_a.py: 12
tests/sub dir/test_b.py: 3

__________________ ERROR collecting tests/test_c.py __________________
ImportError while importing test module '/workspace/tests/test_c.py'.
E   ModuleNotFoundError: No module named 'yaml'
SKIPPED [1] tests/test_d.py:3: could not import 'trio': No module named 'trio'
E   ModuleNotFoundError: No module named 'os.nothing'
""",
        b"",
    )
    assert found.tests == 15
    assert found.broken == ("tests/test_c.py",)
    assert found.missing == ("PyYAML", "trio")
    assert not found.sound


def test_the_summary_counts_where_ids_are_listed() -> None:
    assert read(b"tests/test_a.py::test_a\n1865 tests collected in 3.1s\n", b"").tests == 1865


def test_a_broken_conftest() -> None:
    found = read(
        b"",
        b"ImportError while loading conftest '/workspace/tests/conftest.py'.\n"
        b"E   ModuleNotFoundError: No module named 'attr'\n",
    )
    assert found.broken == ("/workspace/tests/conftest.py",)
    assert found.missing == ("attrs",)
    assert found.tests == 0


def test_plugins_and_marks() -> None:
    found = read(
        b"E   pytest.PytestUnknownMarkWarning: Unknown pytest.mark.asyncio - is this a typo?\n",
        b"ERROR: Missing required plugins: pytest-env, pytest-mock\n",
    )
    assert found.missing == ("pytest-asyncio", "pytest-env", "pytest-mock")


def test_the_projects_options_are_those_that_the_runner_keeps() -> None:
    options = PytestOptions("setup.cfg", {"addopts": "-x --cov=p --strict-config -m 'not slow'"})
    found = arguments(("tests",), options)
    assert "addopts=-m 'not slow'" in found
    assert found[found.index("-c") + 1] == "/workspace/setup.cfg"
    assert found[-1] == "tests"
