import pytest

from featuredel.languages.python.distributions import distribution_of, for_testing, heavy


@pytest.mark.parametrize(
    ("module", "distribution"),
    [
        ("yaml", "PyYAML"),
        ("dateutil.parser", "python-dateutil"),
        ("google.protobuf.message", "protobuf"),
        ("trio", "trio"),
        *((name, None) for name in ("os.path", "urllib2", "pytest", "_pytest.x", "_private")),
        *((name, None) for name in ("test_load", "tests", "helpers_test", "conftest")),
    ],
)
def test_distribution_of_an_import(module: str, distribution: str | None) -> None:
    assert distribution_of(module) == distribution


@pytest.mark.parametrize("name", ["mock", "pytest-cov", "pytest_mock", "hypothesis", "numpy"])
def test_what_tests_may_want_stays(name: str) -> None:
    assert for_testing(name)


@pytest.mark.parametrize(
    "name", ["Sphinx", "flake8-bugbear", "types-PyYAML", "pre_commit", "mypy", "pytest-randomly"]
)
def test_what_is_for_other_work_goes(name: str) -> None:
    assert not for_testing(name)


def test_heavy() -> None:
    assert heavy("Torch")
    assert not heavy("numpy")
