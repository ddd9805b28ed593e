"""The jobs of a run, each of which leaves a checkpoint: done once, it is never done again.

A checkpoint is keyed by everything that its result depends on, featuredel's own code included, so
one that is found can be believed.
"""

import hashlib
import pickle
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from featuredel import tables
from featuredel.config import RepositorySpec
from featuredel.errors import InfrastructureError
from featuredel.model import Cost, Feature, Form, Mined, Rejection
from featuredel.pipeline import (
    Candidate,
    ForgeResult,
    MineResult,
    Tools,
    forge,
    mine,
    prepare,
)
from featuredel.sandbox.shared import Shared
from featuredel.sandbox.table import open_sandbox
from featuredel.scratch import sweep
from featuredel.stages.write import Content, repository_rows

RETRY_AFTER_S = (1.0, 10.0)

T = TypeVar("T")

_own = threading.local()
"""What a thread keeps from job to job."""

Tell = Callable[[str, str, str], None]
"""Called with repository, subject and stage as each stage begins."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What the client must know of a mined repository; the rest stays with the workers."""

    features: tuple[Feature, ...]
    rejection: Rejection | None
    costs: tuple[Cost, ...]


def mine_job(spec: RepositorySpec, work: Path, tell: Tell) -> MineResult:
    """Mine a repository, or return what an earlier run found."""
    sweep(work)
    key = _digest(
        spec.name, spec.source, spec.origin, spec.install, spec.test, spec.python, spec.licence,
        spec.settings, spec.licences,
    )  # fmt: skip
    checkpoint = work / "mined" / f"{key}.pickle"
    found = _load(checkpoint)
    if isinstance(found, MineResult) and (found.mined is None or _is_here(found.mined)):
        return found
    tools = _tools(spec, spec.name, work, tell)
    result = _patiently(lambda: mine(spec, tools))
    _save(checkpoint, result)
    return result


def prepare_job(
    result: MineResult, spec: RepositorySpec, numbers: tuple[tuple[int, Form], ...], work: Path,
    tell: Tell,
) -> tuple[Candidate, ...]:  # fmt: skip
    """Prepare candidates of a mined repository, or return what an earlier run found."""
    mined = result.mined
    assert mined is not None  # a repository that was turned down has no candidates
    wanted = [(mined.features[number], form) for number, form in numbers]
    checkpoint = work / "prepared" / f"{_key(mined, spec, *wanted)}.pickle"
    found = _load(checkpoint)
    if isinstance(found, tuple):
        return found
    tools = _tools(spec, f"{len(wanted)} candidates", work, tell)
    _have_here(mined, spec, tools)
    prepared = _patiently(lambda: prepare(mined, wanted, tools))
    _save(checkpoint, prepared)
    return prepared


def forge_job(
    result: MineResult, prepared: tuple[Candidate, ...], spec: RepositorySpec, number: int,
    work: Path, tell: Tell,
) -> ForgeResult:  # fmt: skip
    """Forge one of some prepared candidates, or return what an earlier run found."""
    mined, candidate = result.mined, prepared[number]
    assert mined is not None
    key = _key(mined, spec, (candidate.feature, candidate.form))
    checkpoint = work / "forged" / f"{key}.pickle"
    found = _load(checkpoint)
    if isinstance(found, ForgeResult):
        return found
    tools = _tools(spec, f"{candidate.feature.name} ({candidate.form})", work, tell)
    _have_here(mined, spec, tools)
    forged = _patiently(lambda: forge(mined, candidate, tools))
    _save(checkpoint, forged)
    return forged


def _key(mined: Mined, spec: RepositorySpec, *wanted: tuple[Feature, Form]) -> str:
    return _digest(
        mined.snapshot.repository, mined.snapshot.tree, mined.environment.id,
        mined.baseline.tests, wanted, spec.settings,
    )  # fmt: skip


def _have_here(mined: Mined, spec: RepositorySpec, tools: Tools) -> None:
    if not _is_here(mined):  # it was mined on another machine
        _patiently(lambda: mine(spec, tools))


def summary_job(result: MineResult) -> Summary:
    """Return what the client must know of a mined repository."""
    features = result.mined.features if result.mined else ()
    return Summary(features, result.rejection, result.costs)


def side_rows_job(result: MineResult) -> Content:
    """Return the side tables' rows of a mined repository."""
    return repository_rows(result.mined) if result.mined else Content()


def _patiently(work: Callable[[], T]) -> T:
    """Do again what the machine or the network failed; a verdict is never asked for twice."""
    for pause_s in RETRY_AFTER_S:
        try:
            return work()
        except InfrastructureError:
            time.sleep(pause_s)
    return work()


def _tools(spec: RepositorySpec, subject: str, work: Path, tell: Tell) -> Tools:
    work.mkdir(parents=True, exist_ok=True)
    sandboxes: dict[str, Shared] = _own.__dict__.setdefault("sandboxes", {})
    name = spec.settings.sandbox
    if name not in sandboxes:
        sandboxes[name] = open_sandbox(name)
    return Tools(
        sandboxes[name], spec.settings, work, lambda stage: tell(spec.name, subject, stage)
    )


def _is_here(mined: Mined) -> bool:
    return mined.snapshot.root.exists() and mined.environment.prefix.exists()


def _load(checkpoint: Path) -> object:
    try:
        return pickle.loads(checkpoint.read_bytes())  # noqa: S301 -- this program wrote it
    except OSError:
        return None


def _save(checkpoint: Path, result: object) -> None:
    tables.write_bytes(str(checkpoint), pickle.dumps(result))


def _digest(*parts: object) -> str:
    digest = hashlib.sha256(_code_fingerprint())
    for part in parts:
        digest.update(repr(part).encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()[:32]


@cache
def _code_fingerprint() -> bytes:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()
