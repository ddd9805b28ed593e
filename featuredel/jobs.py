"""The jobs of a run and of a batch. Those of a run leave checkpoints: none is done again.

A checkpoint is keyed by everything that its result depends on, featuredel's own code included, so
one that is found can be believed.
"""

import contextlib
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
from featuredel.api import load
from featuredel.config import RepositorySpec
from featuredel.errors import InfrastructureError, UsageError
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
from featuredel.tasks.rewards import Graded

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
    return _once(
        work / "mined" / f"{key}.pickle",
        lambda: mine(spec, _tools(spec, spec.name, work, tell)),
        lambda found: found.mined is None or _is_here(found.mined),
    )


def prepare_job(
    result: MineResult, spec: RepositorySpec, numbers: tuple[tuple[int, Form], ...], work: Path,
    tell: Tell,
) -> tuple[Candidate, ...]:  # fmt: skip
    """Prepare candidates of a mined repository, or return what an earlier run found."""
    mined = _mined(result)
    wanted = [(mined.features[number], form) for number, form in numbers]

    def work_now() -> tuple[Candidate, ...]:
        tools = _tools(spec, f"{len(wanted)} candidates", work, tell)
        _have_here(mined, spec, tools)
        return prepare(mined, wanted, tools)

    return _once(work / "prepared" / f"{_key(mined, spec, *wanted)}.pickle", work_now)


def forge_job(
    result: MineResult, prepared: tuple[Candidate, ...], spec: RepositorySpec, number: int,
    work: Path, tell: Tell,
) -> ForgeResult:  # fmt: skip
    """Forge one of some prepared candidates, or return what an earlier run found."""
    mined, candidate = _mined(result), prepared[number]
    key = _key(mined, spec, (candidate.feature, candidate.form))

    def work_now() -> ForgeResult:
        tools = _tools(spec, f"{candidate.feature.name} ({candidate.form})", work, tell)
        _have_here(mined, spec, tools)
        return forge(mined, candidate, tools)

    return _once(work / "forged" / f"{key}.pickle", work_now)


def _mined(result: MineResult) -> Mined:
    assert result.mined is not None  # a repository that was turned down has no candidates
    return result.mined


def _key(mined: Mined, spec: RepositorySpec, *wanted: tuple[Feature, Form]) -> str:
    return _digest(
        mined.snapshot.repository, mined.snapshot.tree, mined.environment.id,
        mined.baseline.tests, wanted, spec.settings,
    )  # fmt: skip


def _have_here(mined: Mined, spec: RepositorySpec, tools: Tools) -> None:
    if not _is_here(mined):  # it was mined on another machine
        mine(spec, tools)


def _once(
    checkpoint: Path, work: Callable[[], T], serves: Callable[[T], bool] = lambda _: True
) -> T:
    """Return what a checkpoint holds, if that serves; else do the work and leave one."""
    with contextlib.suppress(OSError):
        found: T = pickle.loads(checkpoint.read_bytes())  # noqa: S301 -- this program wrote it
        if serves(found):
            return found
    result = _patiently(work)
    tables.write_bytes(str(checkpoint), pickle.dumps(result))
    return result


def summary_job(result: MineResult) -> Summary:
    """Return what the client must know of a mined repository."""
    features = result.mined.features if result.mined else ()
    return Summary(features, result.rejection, result.costs)


def side_rows_job(result: MineResult) -> Content:
    """Return the side tables' rows of a mined repository."""
    return repository_rows(result.mined) if result.mined else Content()


def grade_job(
    dataset: str, task_id: str, patch: bytes, sandbox: str, base_image: str, work: Path | None
) -> Graded:
    """Grade a patch. Whatever goes wrong is returned: the others of a batch go on."""
    try:
        task = load(dataset, sandbox=sandbox, base_image=base_image, work=work)[task_id]
        return Graded(_patiently(lambda: task.grade(patch)))
    except UsageError as error:
        return Graded(None, str(error), usage=True)
    except InfrastructureError as error:
        return Graded(None, str(error))
    except Exception as error:
        return Graded(None, f"{type(error).__name__}: {error}")


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
    sandboxes: dict[tuple[str, str], Shared] = _own.__dict__.setdefault("sandboxes", {})
    name = spec.settings.sandbox, spec.settings.base_image
    if name not in sandboxes:
        sandboxes[name] = open_sandbox(*name)
    return Tools(
        sandboxes[name], spec.settings, work, lambda stage: tell(spec.name, subject, stage)
    )


def _is_here(mined: Mined) -> bool:
    return mined.snapshot.root.exists() and mined.environment.prefix.exists()


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
