"""From records to Arrow and back."""

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from featuredel.model import Rejection, Task
from featuredel.tables.columns import schema

_PART_ROWS = 1024


def plain(value: Any) -> Any:
    """Turn records into dictionaries and tuples into lists, all the way down."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    if isinstance(value, str):  # ids may hold lone surrogates from bytes that are not UTF-8
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return value


def jsonable(row: Task | Rejection) -> Any:
    """Return a row as JSON takes it; bytes become text, what is not UTF-8 in it backslashed."""
    return json.loads(
        json.dumps(plain(row), default=lambda b: b.decode("utf-8", "backslashreplace"))
    )


def record(kind: Any, value: Any) -> Any:
    """Undo `plain` for a value of annotated type `kind`."""
    if value is None:
        return None
    if isinstance(kind, types.UnionType):
        kind = next(k for k in typing.get_args(kind) if k is not type(None))
    if typing.get_origin(kind) is tuple:
        return tuple(record(typing.get_args(kind)[0], v) for v in value)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        # a field that an earlier version had not is left at its default
        return kind(**{name: record(k, value[name]) for name, k in hints.items() if name in value})
    return value


@functools.cache
def _hints(kind: type) -> Mapping[str, Any]:
    return typing.get_type_hints(kind)


def to_table(rows: Sequence[Any], row: type) -> pa.Table:
    """Return `rows` as an Arrow table with the explicit schema of `row`, a record class."""
    form = schema(row)
    # not all at once: as dictionaries rows take many times the room that they take in Arrow
    parts = [
        pa.Table.from_pylist([plain(r) for r in rows[n : n + _PART_ROWS]], schema=form)
        for n in range(0, len(rows), _PART_ROWS)
    ]
    return pa.concat_tables(parts) if parts else form.empty_table()
