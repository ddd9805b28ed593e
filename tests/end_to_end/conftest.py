"""What the end-to-end tests share: packages without a network, and a place for a run."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from end_to_end import offline


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Return the variables that let environments be built from packages that are here."""
    if offline.choose_python() is None:
        pytest.skip(f"needs Python 3.12 or later, or {offline.TRACER} installed beside pytest")
    return offline.make_wheels(tmp_path_factory.mktemp("packages") / "wheels")


@pytest.fixture(scope="session")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for repositories, outside of any checkout."""
    return tmp_path_factory.mktemp("toys")
