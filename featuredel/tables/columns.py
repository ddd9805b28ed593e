"""The tables of a dataset and their columns: schemas derived from the records."""

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

import pyarrow as pa

from featuredel.model import (
    CalibrationRow,
    Cost,
    EnvironmentRow,
    Rejection,
    SnapshotRow,
    StatementRow,
    Task,
    TestRow,
)

SCHEMA_VERSION = 2

TABLES: Mapping[str, type[Any]] = {
    "tasks": Task,
    "statements": StatementRow,
    "snapshots": SnapshotRow,
    "environments": EnvironmentRow,
    "tests": TestRow,
    "rejections": Rejection,
    "costs": Cost,
    "calibration": CalibrationRow,
}

Row = TypeVar("Row")

_SOLVER_COLUMNS = frozenset(
    {
        "schema_version", "task_id", "repository", "snapshot_tree", "task_tree", "environment_id",
        "language", "licence", "split", "form", "tier", "statement_full", "statement_interface",
        "statement_terse", "test_timeout_s", "f2p_count", "p2p_count", "difficulty", "register",
        "statement",
    }
)  # fmt: skip
_NARROW = {
    "schema_version": pa.int16(), "reward_strength": pa.float32(),
    "rank": pa.float32(), "full": pa.float32(), "interface": pa.float32(), "terse": pa.float32(),
    "difficulty": pa.float32(),
}  # fmt: skip


def schema(row: type) -> pa.Schema:
    """Return the Arrow schema of a record class, derived from its annotations."""
    fields = [
        _field(name, kind, audience=row in (Task, StatementRow))
        for name, kind in typing.get_type_hints(row).items()
    ]
    return pa.schema(fields, metadata={"featuredel.schema_version": str(SCHEMA_VERSION)})


def _field(name: str, kind: Any, *, audience: bool = False) -> pa.Field:
    optional = isinstance(kind, types.UnionType) and type(None) in typing.get_args(kind)
    if optional:
        kind = next(k for k in typing.get_args(kind) if k is not type(None))
    metadata = {"audience": "solver" if name in _SOLVER_COLUMNS else "grader"} if audience else None
    narrow = _NARROW.get(name) if kind in (int, float) else None
    return pa.field(name, narrow or _arrow_type(kind), nullable=optional, metadata=metadata)


def _arrow_type(kind: Any) -> pa.DataType:
    while isinstance(kind, typing.NewType):
        kind = kind.__supertype__
    if typing.get_origin(kind) is typing.Literal or kind is str:
        return pa.string()
    if kind is int:
        return pa.int32()
    if kind is float:
        return pa.float64()
    if kind is bool:
        return pa.bool_()
    if kind is bytes:
        return pa.binary()
    if typing.get_origin(kind) is tuple:
        return pa.list_(pa.field("element", _arrow_type(typing.get_args(kind)[0]), nullable=False))
    if dataclasses.is_dataclass(kind):
        return pa.struct([_field(n, k) for n, k in typing.get_type_hints(kind).items()])
    raise TypeError(f"no Arrow type for {kind!r}")
