"""The dataset that consumers read: toy tasks, or the one that FEATUREDEL_DATA names."""

import os
from pathlib import Path

import pytest
from toy_dataset import write_two_tasks


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> str:
    named = os.environ.get("FEATUREDEL_DATA")
    if named:
        return str(Path(named).resolve())
    return write_two_tasks(tmp_path_factory.mktemp("toys"))
