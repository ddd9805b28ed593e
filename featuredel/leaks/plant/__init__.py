"""The plant test: deleted code is put where it is known to survive, and the scan has to find it.

A *making* is one run of a real tool on a tree that still has the deleted code: a type checker, a
test runner, git, a compiler. What it leaves holds one or more *vectors*, picked by their names.
Each vector is laid out twice: as the tool left it, and under neutral names, so that only reading
it can tell. The scan of both is the test of the detector; what cannot be made on a machine is
reported with its reason.

`answer.py` what is planted, `toys.py` the answers in other languages, `tools.py` where tools come
from, `workshop.py` where they run, `table.py` every making, `layout.py` the two layouts,
`measure.py` the test itself, `report.py` its table. All other files are a family of vectors each.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from featuredel.leaks.plant.answer import Answer
    from featuredel.leaks.plant.workshop import Workshop

Subject = Literal["task", "java", "typescript", "rust", "numeric"]
"""What is planted: the answer of a task, or a toy of another language."""

Renaming = Literal["files", "top", "never"]
"""How a vector gets neutral names: each file on its own, the uppermost folder only, not at all."""


@dataclass(frozen=True, slots=True)
class Vector:
    """One kind of artefact in which deleted code survives."""

    name: str
    picks: tuple[str, ...] = ("**/*",)
    """Glob patterns of the files that are it, among what the making left."""

    content: bool = True
    """Whether reading it must find the deleted code. Some reveal no more than names of files."""

    closed: bool = False
    """Whether the format cannot be read: it must be a finding for that very reason."""

    ruled: bool = False
    """Whether its name alone must be a finding."""

    renaming: Renaming = "files"

    carries: Callable[["Answer"], bool] = lambda _answer: True
    """Whether an answer has a needle that this format can hold; one without cannot be planted."""


@dataclass(frozen=True, slots=True)
class Making:
    """A run of a tool that leaves vectors in the folder it is given."""

    name: str
    family: str
    make: Callable[["Workshop", Path], None]
    vectors: tuple[Vector, ...]
    needs: tuple[str, ...] = ()  # see `tools.Tools.lack`
    subject: Subject = "task"
    sampled: bool = False
    """Whether it is quick enough for the sample that runs with the tests."""


class Unmade(Exception):  # noqa: N818 -- a result that is reported
    """A making did not come about; the message says why."""
