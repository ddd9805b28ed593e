"""The dataset that consumers read: toy tasks, or the one that FEATUREDEL_DATA names."""

import os
from pathlib import Path

import pytest
from toy_dataset import have_environment, write_two_tasks


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> str:
    named = os.environ.get("FEATUREDEL_DATA")
    if named:
        return str(Path(named).resolve())
    return write_two_tasks(tmp_path_factory.mktemp("toys"))


@pytest.fixture(scope="session")
def grading(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the variables with which a program finds the environments of the dataset's tasks."""
    if os.environ.get("FEATUREDEL_DATA"):
        return {}  # they are built, or found in the cache folder
    cache = tmp_path_factory.mktemp("cache")
    have_environment(cache / "featuredel")
    return {"XDG_CACHE_HOME": str(cache)}
