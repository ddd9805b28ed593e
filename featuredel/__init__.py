"""featuredel: reinforcement-learning tasks from real repositories, by feature deletion.

    load(dataset) -> Dataset        its tasks, by id or one after the other
    Task.statement(register)        what a solver reads
    Task.materialize(directory)     the tree that a solver works in
    Task.grade(submission)          -> Reward

Errors are in `featuredel.errors`; those of the interface can be had from here.
"""

from typing import TYPE_CHECKING, Any

from featuredel.errors import (
    FeaturedelError,
    InfrastructureError,
    SandboxError,
    UsageError,
)
from featuredel.model import Register, Reward

if TYPE_CHECKING:
    from featuredel.api import Dataset, Task, load

__version__ = "0.1.0"

__all__ = [
    "Dataset",
    "FeaturedelError",
    "InfrastructureError",
    "Register",
    "Reward",
    "SandboxError",
    "Task",
    "UsageError",
    "__version__",
    "load",
]


def __getattr__(name: str) -> Any:
    """Import the interface when it is first asked for: it takes pyarrow along, and all of that."""
    if name in ("Dataset", "Task", "load"):
        from featuredel import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
