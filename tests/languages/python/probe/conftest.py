import pytest
from python_environments import make_environment

from featuredel.languages.python.interpreters import interpreters
from featuredel.model import Environment


@pytest.fixture(scope="session", params=["monitoring", "tracing"])
def environment(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    """Return an environment whose interpreter watches lines in this way."""
    found = [
        interpreter
        for interpreter in interpreters()
        if interpreter.minor >= (3, 11)
        and (interpreter.minor >= (3, 12)) == (request.param == "monitoring")
    ]
    if not found:
        pytest.skip("no interpreter for it")
    return make_environment(found[0], tmp_path_factory.mktemp("environment") / "env")
