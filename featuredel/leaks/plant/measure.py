"""The test itself: make, lay out, scan, and say of each vector what found it."""

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from featuredel.leaks.finding import Finding
from featuredel.leaks.needles import Needles
from featuredel.leaks.plant import Making, Subject, Unmade, Vector
from featuredel.leaks.plant.answer import Answer
from featuredel.leaks.plant.environment import BUILT, PACKAGE, furnish
from featuredel.leaks.plant.layout import lay
from featuredel.leaks.plant.tools import Tools
from featuredel.leaks.plant.workshop import Workshop
from featuredel.leaks.provenance import explain
from featuredel.leaks.scan import scan
from featuredel.sandbox import Sandbox
from featuredel.scratch import scratch_directory


@dataclass(frozen=True, slots=True)
class Recall:
    """What became of one vector with one answer.

    `content`, `path` and `provenance` tell whether that part found it, None where that part need
    not: `content` reads the vector under neutral names (or says that it cannot be read), `path`
    looks at the names it was left by, `provenance` asks whether anything explains its files.
    """

    vector: str
    family: str
    answer: str
    content: bool | None = None
    path: bool | None = None
    provenance: bool | None = None
    view: str = ""
    """In which view the content was seen first."""

    evidence: str = ""
    """One finding: the first of the content, else of the name."""

    unmade: str = ""
    """Why it was not made, "" if it was."""

    broken: bool = False
    """Whether that is a fault of the making: what it needs is there, and it failed."""

    @property
    def missed(self) -> bool:
        """Whether a part that had to find it did not."""
        return False in (self.content, self.path, self.provenance)


def measure(
    makings: Iterable[Making], answers: Mapping[Subject, Iterable[Answer]], tools: Tools,
    sandbox: Sandbox, work: Path, told: Callable[[str, float], None] = lambda _name, _s: None,
) -> Iterator[Recall]:  # fmt: skip
    """Plant every making with every answer of its subject, and yield what found its vectors.

    `told` hears of each making's name and seconds. Nothing is kept in `work`.
    """
    for making in makings:
        lacking = next(filter(None, map(tools.lack, making.needs)), None)
        started = time.monotonic()
        for answer in answers.get(making.subject, ()):
            if lacking:
                yield from _unmade(making, answer, lacking, broken=False)
                continue
            with scratch_directory(work) as scratch:
                yield from _planted(making, answer, tools, sandbox, scratch)
        told(making.name, time.monotonic() - started)


def _planted(
    making: Making, answer: Answer, tools: Tools, sandbox: Sandbox, scratch: Path
) -> Iterator[Recall]:
    own, made = scratch / "own", scratch / "made"
    own.mkdir()
    made.mkdir()
    try:
        making.make(Workshop(answer, tools, sandbox, own), made)
    except (Unmade, OSError, ValueError) as error:
        yield from _unmade(making, answer, str(error), broken=True)
        return
    for number, vector in enumerate(making.vectors):
        if not vector.carries(answer):
            nothing = "the deleted code and its tests have nothing that this format keeps"
            yield Recall(vector.name, making.family, answer.name, unmade=nothing)
            continue
        try:
            yield _found(making, vector, answer, made, scratch / str(number))
        except Unmade as error:
            yield Recall(vector.name, making.family, answer.name, unmade=str(error), broken=True)


def _found(making: Making, vector: Vector, answer: Answer, made: Path, place: Path) -> Recall:
    plain, neutral = place / "planted", place / "neutral"
    lay(made, vector, plain, neutral if vector.content else None)
    by_name = _first(plain, Needles(()), "path")
    kinds = ("opaque", "bounds") if vector.closed else ("content",)
    by_content = _first(neutral, answer.needles, *kinds) if vector.content else None
    evidence = by_content or by_name
    return Recall(
        vector.name, making.family, answer.name,
        content=by_content is not None if vector.content else None,
        path=by_name is not None if vector.ruled else None,
        provenance=_is_unexplained(place / "prefix", plain),
        view=by_content.view if by_content else "",
        evidence=str(evidence).replace(str(place), "") if evidence else "",
    )  # fmt: skip


def _first(root: Path, needles: Needles, *kinds: str) -> Finding | None:
    found = scan([root], needles).findings
    return next((finding for finding in found if finding.kind in kinds), None)


def _is_unexplained(prefix: Path, plain: Path) -> bool:
    """Return whether in an environment nothing explains any file of `plain`, but all else.

    The files lie in the package of a wheel that is in the lock, and in a folder that a build left.
    """
    environment = furnish(prefix)
    places = [folder / "planted" for folder in (prefix / PACKAGE, prefix / BUILT)]
    for place in places:
        shutil.copytree(plain, place, symlinks=True)
    planted = {
        str(path) for place in places for path in place.rglob("*") if _is_something(path, prefix)
    }
    return planted == {finding.where for finding in explain(environment).findings}


def _is_something(path: Path, prefix: Path) -> bool:
    """Tell whether it is a file, or a link that leads out of the environment.

    What another link leads to is looked at itself.
    """
    if path.is_symlink():
        return not Path(os.path.normpath(path.parent / path.readlink())).is_relative_to(prefix)
    return path.is_file()


def _unmade(making: Making, answer: Answer, reason: str, *, broken: bool) -> Iterator[Recall]:
    for vector in making.vectors:
        yield Recall(vector.name, making.family, answer.name, unmade=reason, broken=broken)
