from collections.abc import Iterator
from pathlib import Path

import pytest
from solve_scene import SolveScene


@pytest.fixture(scope="session")
def toys(tmp_path_factory: pytest.TempPathFactory) -> SolveScene:
    return SolveScene(tmp_path_factory.mktemp("solve"))


@pytest.fixture
def scene(toys: SolveScene, tmp_path: Path) -> Iterator[SolveScene]:
    toys.out = tmp_path / "out"
    yield toys
