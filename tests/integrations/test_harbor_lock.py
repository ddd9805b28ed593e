"""The lock of Harbor's environment has what featuredel needs, which runs in it."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_dependency_is_asked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = (ROOT / "tests" / "consumers" / "locks" / "harbor.in").read_text().splitlines()
    assert set(project["dependencies"]) <= set(asked)
