"""Where tasks are used on this machine: a sandbox, and a work folder with the environments."""

from dataclasses import dataclass
from pathlib import Path

import platformdirs

from featuredel.config import Settings
from featuredel.errors import UsageError
from featuredel.model import Environment, EnvironmentRow, Snapshot
from featuredel.sandbox.shared import Shared
from featuredel.sandbox.table import open_sandbox
from featuredel.scratch import sweep
from featuredel.stages.environment import rebuild


def work_directory(asked: Path | None = None) -> Path:
    """Return the folder that was asked for, or the user's own for caches."""
    return (asked or Path(platformdirs.user_cache_dir("featuredel"))).resolve()


def prepared(asked: Path | None = None) -> Path:
    """Return the work directory, made, and swept of what killed processes have left.

    Raises `UsageError` if it cannot be made.
    """
    place = work_directory(asked)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--work {place}: {error.strerror}; name another folder") from error
    sweep(place)
    return place


@dataclass(frozen=True, slots=True)
class Workplace:
    """A sandbox and a work folder. For one thread; `shared_out` gives another thread its own."""

    sandbox: Shared
    work: Path

    @classmethod
    def open(
        cls, sandbox: str = "auto", base_image: str = "", work: Path | None = None
    ) -> "Workplace":
        """Try the sandbox and prepare the folder. Raises `UsageError` if either is of no use."""
        return cls(open_sandbox(sandbox, base_image), prepared(work))

    def shared_out(self) -> "Workplace":
        """Return one for another thread."""
        return Workplace(Shared(self.sandbox.inner), self.work)

    def ensure(self, row: EnvironmentRow, snapshot: Snapshot) -> Environment:
        """Return a recorded environment, built again from its lock where this machine lacks it.

        Raises `InfrastructureError` if that fails: what was built once can be built again.
        """
        return rebuild(row, snapshot, self.sandbox, self.work, Settings())
