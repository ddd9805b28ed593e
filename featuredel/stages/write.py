"""write: from forged candidates to a dataset on disk; the same in, the same bytes out."""

import dataclasses
import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar, get_args

from featuredel import tables, trees
from featuredel.cards import dataset_card
from featuredel.config import Settings
from featuredel.leaks.report import Report
from featuredel.model import (
    CalibrationRow,
    Cost,
    Deletion,
    Difficulty,
    EnvironmentRow,
    Mined,
    Register,
    Rejection,
    SnapshotRow,
    Statement,
    StatementRow,
    Task,
    TestId,
    TestRow,
    Verdict,
)
from featuredel.submission import allowed_paths

_Split = TypeVar("_Split", Task, StatementRow)


@dataclasses.dataclass(frozen=True, slots=True)
class Content:
    """The rows of a dataset, or of the part of it that a run adds."""

    tasks: tuple[Task, ...] = ()
    snapshots: tuple[SnapshotRow, ...] = ()
    environments: tuple[EnvironmentRow, ...] = ()
    tests: tuple[TestRow, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    costs: tuple[Cost, ...] = ()
    calibration: tuple[CalibrationRow, ...] = ()

    def __add__(self, other: "Content") -> "Content":
        """Return the rows of both."""
        names = [field.name for field in dataclasses.fields(self)]
        return Content(**{name: getattr(self, name) + getattr(other, name) for name in names})


# --- one task ------------------------------------------------------------------------------


def task_row(
    mined: Mined, deletion: Deletion, verdict: Verdict, statement: Statement,
    difficulty: Difficulty, report: Report, *, deletion_patch: bytes, gold_patch: bytes,
    task_tree: str, test_command: tuple[str, ...], settings: Settings,
) -> Task:  # fmt: skip
    """Put together the row of an accepted candidate; `select` fills in its relatives."""
    snapshot, environment, feature = mined.snapshot, mined.environment, deletion.feature
    neither = frozenset(verdict.f2p) | frozenset(verdict.p2p_excluded)
    return Task(
        schema_version=tables.SCHEMA_VERSION,
        task_id=_task_id(task_tree, deletion, environment.id),
        repository=snapshot.repository,
        source=snapshot.source,
        source_sha256=snapshot.source_sha256,
        snapshot_tree=snapshot.tree,
        task_tree=task_tree,
        environment_id=environment.id,
        language=snapshot.language,
        licence=snapshot.licence,
        split=split_of(snapshot.repository, settings),
        form=deletion.form,
        feature=feature.name,
        rank=feature.rank,
        seed_kind=feature.seed_kind,
        tier=difficulty.tier,
        leak_report_sha256=report.sha256,
        definitions=feature.definitions,
        parents=(),
        overlaps=(),
        statement_full=statement.full,
        statement_interface=statement.interface,
        statement_terse=statement.terse,
        deletion_patch=deletion_patch,
        gold_patch=gold_patch,
        hidden_files=deletion.hidden_files,
        controls=verdict.controls,
        allowed_paths=allowed_paths(snapshot.root, deletion),
        test_command=test_command,
        f2p=verdict.f2p,
        p2p_excluded=verdict.p2p_excluded,
        test_timeout_s=math.ceil(settings.test_timeout_s),
        f2p_count=len(verdict.f2p),
        p2p_count=sum(test not in neither for test in mined.baseline.tests),
        gold_lines=difficulty.gold_lines,
        gold_files=difficulty.gold_files,
        gold_definitions=difficulty.gold_definitions,
        branches=difficulty.branches,
        fan_in=difficulty.fan_in,
        fan_out=difficulty.fan_out,
        mutants=verdict.mutants,
        secret_needles=len(report.needles),
        reward_strength=verdict.reward_strength,
        gates=verdict.gates,
        difficulty=difficulty.scores,
    )


def _task_id(task_tree: str, deletion: Deletion, environment_id: str) -> str:
    digest = hashlib.sha256(f"{task_tree}\0{environment_id}\0{deletion.form}".encode())
    for file in sorted(deletion.hidden_files, key=lambda f: f.path):
        digest.update(f"\0{file.path}\0{file.mode:o}\0".encode("utf-8", "surrogateescape"))
        digest.update(hashlib.sha256(file.content).digest())
    return digest.hexdigest()[:16]


def split_of(repository: str, settings: Settings) -> str:
    """Return the split of a repository: all of its tasks go the same way, whatever the run."""
    draw = int(hashlib.sha256(repository.encode()).hexdigest()[:8], 16) / 2**32
    return "validation" if draw < settings.validation_share else "train"


# --- one repository ------------------------------------------------------------------------


def was_tried(rejection: Rejection | None) -> bool:
    """Return whether a tree was written for the candidate that this became of."""
    return rejection is None or rejection.stage != "delete"


def select(tasks: Sequence[Task], max_overlap: float) -> tuple[list[Task], list[Rejection]]:
    """Choose among the accepted candidates of one repository, given best first.

    One that shares `max_overlap` or more of its definitions (Jaccard) with a better one of its
    form is turned down. Parents and overlaps are filled in.
    """
    kept: list[Task] = []
    rejections: list[Rejection] = []
    for task in tasks:
        rival = next(
            (k for k in kept if k.form == task.form and _shared(k, task) >= max_overlap), None
        )
        if rival is None:
            kept.append(task)
        else:
            subject = f"{task.task_id} {task.form} {task.feature}"
            why = "overlaps a better task"
            rejections.append(Rejection(task.repository, subject, "write", why, rival.feature))
    return [_related(task, kept) for task in kept], rejections


def _shared(one: Task, other: Task) -> float:
    a, b = frozenset(one.definitions), frozenset(other.definitions)
    return 1.0 if one.task_id == other.task_id else len(a & b) / len(a | b)


def _related(task: Task, kept: Iterable[Task]) -> Task:
    own = frozenset(task.definitions)
    others = [k for k in kept if k.task_id != task.task_id]
    parents = (k.task_id for k in others if k.form == task.form and own < frozenset(k.definitions))
    overlaps = (k.task_id for k in others if not own <= frozenset(k.definitions))
    return dataclasses.replace(
        task, parents=tuple(sorted(parents)), overlaps=tuple(sorted(overlaps))
    )


def repository_rows(mined: Mined) -> Content:
    """Return the rows of the side tables that a repository with tasks needs."""
    snapshot, environment = mined.snapshot, mined.environment
    archive = trees.pack(snapshot.root)
    released = snapshot.released.isoformat() if snapshot.released else None
    return Content(
        snapshots=(
            SnapshotRow(
                snapshot.repository, snapshot.source, snapshot.source_sha256, snapshot.version,
                released, snapshot.licence, snapshot.tree, tables.compress(archive), len(archive),
            ),
        ),
        environments=(
            EnvironmentRow(
                environment.id, snapshot.repository, environment.interpreter, environment.lock,
                environment.build, environment.test_roots, environment.runner,
                json.dumps(dict(environment.variables), sort_keys=True),
            ),
        ),
        tests=tuple(_test_rows(mined)),
    )  # fmt: skip


def _test_rows(mined: Mined) -> Iterable[TestRow]:
    def row(test: TestId, status: str, reason: str) -> TestRow:
        snapshot = mined.snapshot
        return TestRow(
            snapshot.repository, snapshot.tree, mined.environment.id, test, status, reason
        )

    rows = [row(test, "passed", "") for test in mined.baseline.tests]
    rows += [row(aside.id, aside.kind, aside.reason) for aside in mined.baseline.set_aside]
    return sorted(rows, key=lambda r: r.id)


# --- the dataset ---------------------------------------------------------------------------


def write(url: str, new: Content) -> None:
    """Write `new` into the dataset at `url`, in place of what it held of the same repositories.

    Every file is written whole or not at all; the manifest comes last, and names each shard with
    its sha256, so a dataset without a matching manifest is one whose writing was interrupted.
    """
    _write(url, _merged(_existing(url, _stored()), new))


def write_tasks(url: str, tasks: Iterable[Task], calibration: Iterable[CalibrationRow]) -> None:
    """Write `tasks`, and what they were rated by, in place of those of the dataset at `url`.

    What follows from them, statements, card and manifest, is written with them. What was said of
    interruption at `write` holds here too.
    """
    new: dict[str, Any] = {"tasks": tuple(tasks), "calibration": tuple(calibration)}
    kept = _existing(url, [name for name in _stored() if name not in new])
    _write(url, dataclasses.replace(kept, **new))


def _write(url: str, content: Content) -> None:
    stale = set(tables.files_of(url))
    statements = statement_rows(content.tasks)
    shards: dict[str, tables.Shard] = {}
    for name, part, rows in _parts(content, statements):
        shards |= tables.write_shards(url, name, part, rows, tables.TABLES[name])
    card = dataset_card(content.tasks, statements, content.rejections, content.costs, shards)
    tables.write_bytes(f"{url}/README.md", card.encode())
    manifest = {
        "schema_version": tables.SCHEMA_VERSION,
        "shards": {path: dataclasses.asdict(shard) for path, shard in shards.items()},
    }
    tables.write_bytes(f"{url}/manifest.json", json.dumps(manifest, indent=1).encode())
    tables.remove(url, stale - set(shards))


def _parts(
    content: Content, statements: Sequence[StatementRow]
) -> Iterator[tuple[str, str, Sequence[Any]]]:
    """Yield table, part and rows of all that a dataset holds; a stored table always has a part.

    A part of the statements without rows is none: `datasets` fails on a file without any, and
    the config of all registers takes every file.
    """
    for split, tasks in _by_split(content.tasks).items():
        yield "tasks", split, tasks
    for register in get_args(Register):
        rows = [row for row in statements if row.register == register]
        for split, part in _by_split(rows).items():
            if part:
                yield "statements", f"{register}-{split}", part
    for name in _stored():
        if name != "tasks":
            yield name, "train", getattr(content, name)


def statement_rows(tasks: Iterable[Task]) -> tuple[StatementRow, ...]:
    """Return a row for each register that a task is offered in, those of a task together."""
    same = {field.name for field in dataclasses.fields(Task)} - {"difficulty"}
    copied = [field.name for field in dataclasses.fields(StatementRow) if field.name in same]
    return tuple(
        StatementRow(
            **{name: getattr(task, name) for name in copied},
            register=register,
            statement=statement,
            difficulty=getattr(task.difficulty, register),
        )
        for task in tasks
        for register in get_args(Register)
        if (statement := getattr(task, f"statement_{register}")) is not None
    )


def _stored() -> list[str]:
    """Return the names of the tables that are not derived from others."""
    return [field.name for field in dataclasses.fields(Content)]


def _existing(url: str, names: Iterable[str]) -> Content:
    """Return what these tables of a dataset hold, and nothing of the others."""
    rows: dict[str, Any] = {
        name: tuple(tables.read_rows(url, name, tables.TABLES[name])) for name in names
    }
    return Content(**rows)


def _merged(old: Content, new: Content) -> Content:
    """Replace what `old` says of the repositories of `new`, in canonical order."""
    again = {row.repository for name in _stored() for row in getattr(new, name)}
    merged: dict[str, Any] = {}
    for name in _stored():
        rows = [row for row in getattr(old, name) if row.repository not in again]
        rows += getattr(new, name)
        merged[name] = tuple(sorted(rows, key=lambda r: r.repository))  # stable within one
    return Content(**merged)


def _by_split(rows: Iterable[_Split]) -> dict[str, list[_Split]]:
    splits: dict[str, list[_Split]] = {"train": []}
    for row in rows:
        splits.setdefault(row.split, []).append(row)
    return dict(sorted(splits.items()))
