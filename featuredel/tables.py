"""The one home of pyarrow: the dataset's tables, their schema, and reading and writing them.

A dataset is a folder (a path or an fsspec URL):

    README.md  manifest.json
    tasks/train-00000-of-00002.parquet ...   one row per deletion and form
    statements/full-train-00000-of-00001.parquet ...   one row per task and register it has
    snapshots/ environments/ tests/ rejections/ costs/ calibration/   the side tables, each in
                                                                      shards of train

Each column of `tasks` and `statements` says in its field metadata who may see it: `audience:
solver | grader`.
"""

import contextlib
import dataclasses
import functools
import hashlib
import json
import os
import tempfile
import types
import typing
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import fsspec
import fsspec.implementations.local
import pyarrow as pa
import pyarrow.parquet as pq

from featuredel.errors import UsageError
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
ROW_GROUP_ROWS = 1024  # readers take a group at a time: `datasets` as the size of its batches
WIDE_GROUP_ROWS = 16  # where a row holds patches and files: a single one is cheap to read
SHARD_BYTES = 400 << 20  # uncompressed; keeps shards below the 500 MB that readers handle well

TABLES: Mapping[str, type] = {
    "tasks": Task,
    "statements": StatementRow,
    "snapshots": SnapshotRow,
    "environments": EnvironmentRow,
    "tests": TestRow,
    "rejections": Rejection,
    "costs": Cost,
    "calibration": CalibrationRow,
}

Row = TypeVar(
    "Row", Task, StatementRow, SnapshotRow, EnvironmentRow, TestRow, Rejection, Cost, CalibrationRow
)

AnyRow = TypeVar("AnyRow")

_SOLVER_COLUMNS = frozenset(
    {
        "schema_version", "task_id", "repository", "snapshot_tree", "task_tree", "environment_id",
        "language", "licence", "split", "form", "tier", "statement_full", "statement_interface",
        "statement_terse", "test_timeout_s", "f2p_count", "p2p_count", "difficulty", "register",
        "statement",
    }
)  # fmt: skip
_NARROW = {
    "schema_version": pa.int16(), "mode": pa.int32(), "reward_strength": pa.float32(),
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


def _plain(value: Any) -> Any:
    """Turn records into dictionaries and tuples into lists, all the way down."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, str):  # ids may hold lone surrogates from bytes that are not UTF-8
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return value


def jsonable(row: Task | Rejection) -> Any:
    """Return a row as JSON takes it; bytes become text, what is not UTF-8 in it backslashed."""
    return json.loads(
        json.dumps(_plain(row), default=lambda b: b.decode("utf-8", "backslashreplace"))
    )


def _record(kind: Any, value: Any) -> Any:
    """Undo `_plain` for a value of annotated type `kind`."""
    if value is None:
        return None
    if isinstance(kind, types.UnionType):
        kind = next(k for k in typing.get_args(kind) if k is not type(None))
    if typing.get_origin(kind) is tuple:
        return tuple(_record(typing.get_args(kind)[0], v) for v in value)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        # a field that an earlier version had not is left at its default
        return kind(**{name: _record(k, value[name]) for name, k in hints.items() if name in value})
    return value


@functools.cache
def _hints(kind: type) -> Mapping[str, Any]:
    return typing.get_type_hints(kind)


def to_table(rows: Sequence[Any], row: type) -> pa.Table:
    """Return `rows` as an Arrow table with the explicit schema of `row`, a record class."""
    form = schema(row)
    # not all at once: as dictionaries rows take many times the room that they take in Arrow
    parts = [
        pa.Table.from_pylist([_plain(r) for r in rows[n : n + ROW_GROUP_ROWS]], schema=form)
        for n in range(0, len(rows), ROW_GROUP_ROWS)
    ]
    return pa.concat_tables(parts) if parts else form.empty_table()


def write_table(url: str, rows: Sequence[Any], row: type) -> None:
    """Write records of any one class as a Parquet file of its own, outside of a dataset."""
    write_bytes(url, parquet_bytes(to_table(rows, row)))


def read_table(url: str, row: type[AnyRow]) -> list[AnyRow]:
    """Return the records of a file that `write_table` wrote. Raises `UsageError` if it is none."""
    fs, path = _opened(url)
    try:
        with _damage(url), fs.open(path, "rb") as stream:
            return [
                _record(row, value)
                for batch in _batches(stream, url, row, {})
                for value in batch.to_pylist()
            ]
    except OSError as error:
        raise UsageError(f"{url}: {error.strerror or error}; give another file") from error


# --- files ---------------------------------------------------------------------------------


def _opened(url: str) -> tuple[fsspec.AbstractFileSystem, str]:
    """Return the file system and the path that a path or URL means. Raises `UsageError`."""
    try:
        fs, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise UsageError(f"{url}: {error}") from error
    return fs, path.rstrip("/") or path


def located(dataset: str | os.PathLike[str]) -> str:
    """Return the place of a dataset as every process finds it: an absolute path, or the URL."""
    place = os.fspath(dataset)
    return place if "://" in place else str(Path(place).resolve())


def local_folder(dataset: str) -> Path | None:
    """Return the folder that a dataset is on this machine, None if it is elsewhere."""
    fs, path = _opened(dataset)
    local = isinstance(fs, fsspec.implementations.local.LocalFileSystem)
    return Path(path) if local else None


def _shards(fs: fsspec.AbstractFileSystem, root: str, name: str) -> list[str]:
    """Return the Parquet files of a table; no name of a folder is taken for a pattern."""
    try:
        found = fs.ls(f"{root}/{name}", detail=False)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(file for file in found if file.endswith(".parquet"))


def write_bytes(url: str, data: bytes) -> None:
    """Write a file so that it is either there whole or not at all."""
    fs, path = _opened(url)
    if not isinstance(fs, fsspec.implementations.local.LocalFileSystem):
        fs.pipe_file(path, data)  # object stores show an object only when it is complete
        return
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        with partial.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(target)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, url) from error  # not by a name of a moment
    finally:
        partial.unlink(missing_ok=True)


def check_file(url: str) -> None:
    """See that a file can be written: before the work, not after it. Raises `UsageError`."""
    file = local_folder(url)
    if file is None:
        return
    if file.is_dir():
        raise UsageError(f"{url}: is a folder; name a file in it")
    _check_room(url, file.parent)


def _check_room(name: str, folder: Path) -> None:
    above = next(p for p in (folder, *folder.parents) if p.exists())
    try:
        with tempfile.TemporaryFile(dir=above):
            pass
    except OSError as error:
        raise UsageError(f"{name}: {above}: {error.strerror}; name another") from error


def check_destination(dataset: str) -> None:
    """See that a dataset can be written: before the work, not after it. Raises `UsageError`."""
    if not dataset:
        raise UsageError("--out: is empty; name a folder or a URL")
    folder = local_folder(dataset)
    if folder is None:
        return
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {dataset}: is a file; name a folder")
    # its writing may have been interrupted before there was a manifest
    own = (folder / "manifest.json").exists() or any(
        file.split("/")[0] in TABLES for file in files_of(dataset)
    )
    if folder.exists() and any(folder.iterdir()) and not own:
        raise UsageError(f"--out {dataset}: holds other things; name a new folder or a dataset's")
    _check_room(f"--out {dataset}", folder)


def parquet_bytes(table: pa.Table) -> bytes:
    """Return `table` as a Parquet file: zstd, page index, small row groups; same in, same out."""
    sink = pa.BufferOutputStream()
    wide = any(pa.types.is_binary(kind) for kind in table.schema.types)
    rows = WIDE_GROUP_ROWS if wide else ROW_GROUP_ROWS
    pq.write_table(table, sink, compression="zstd", row_group_size=rows, write_page_index=True)
    return bytes(sink.getvalue())


@dataclasses.dataclass(frozen=True, slots=True)
class Shard:
    """What the manifest says of a file."""

    rows: int
    sha256: str


def write_shards(
    dataset: str, name: str, part: str, rows: Sequence[Row], row: type[Row]
) -> dict[str, Shard]:
    """Write `rows` as `<name>/<part>-00000-of-0000N.parquet` in `dataset`; return the shards.

    A part is a split, or for statements a register and a split, `full-train`.
    """
    shards = list(_cut(to_table(rows, row)))
    entries: dict[str, Shard] = {}
    for number, table in enumerate(shards):
        path = f"{name}/{part}-{number:05d}-of-{len(shards):05d}.parquet"
        data = parquet_bytes(table)
        write_bytes(f"{dataset}/{path}", data)
        entries[path] = Shard(table.num_rows, hashlib.sha256(data).hexdigest())
    return entries


def files_of(dataset: str) -> list[str]:
    """Return the Parquet files of `dataset`, relative to it."""
    fs, root = _opened(dataset)
    return sorted(
        f"{name}/{file.rpartition('/')[2]}" for name in TABLES for file in _shards(fs, root, name)
    )


def remove(dataset: str, files: Iterable[str]) -> None:
    """Remove files of `dataset`, given relative to it."""
    fs, root = _opened(dataset)
    for file in files:
        fs.rm_file(f"{root}/{file}")


def _cut(table: pa.Table) -> Iterator[pa.Table]:
    count = max(1, -(-table.nbytes // SHARD_BYTES))
    size = max(1, -(-table.num_rows // count))
    for start in range(0, max(1, table.num_rows), size):
        yield table.slice(start, size)


def read_rows(
    dataset: str, name: str, row: type[Row], where: Mapping[str, str] | None = None
) -> Iterator[Row]:
    """Yield the rows of a table of `dataset` in file order, those with the values of `where`."""
    fs, root = _opened(dataset)
    for file in _shards(fs, root, name):
        with _damage(file), fs.open(file, "rb") as stream:
            for batch in _batches(stream, file, row, where or {}):
                for value in batch.to_pylist():
                    yield _record(row, _migrated(value))


@contextlib.contextmanager
def _damage(file: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, TypeError, ValueError) as error:
        if is_of_machine(error):
            raise
        raise UsageError(f"{file}: damaged: {' '.join(str(error).split())}") from error


def _migrated(value: dict[str, Any]) -> dict[str, Any]:
    """Return what a row of an earlier version is in this one.

    In version 1 a control said nothing of its tests, and no row had any.
    """
    return {**value, "schema_version": SCHEMA_VERSION} if "schema_version" in value else value


def is_of_machine(error: Exception) -> bool:
    """Tell a full disk or a file that may not be read from what pyarrow says of its content."""
    return isinstance(error, OSError) and error.errno is not None


def _batches(
    stream: Any, file: str, row: type, where: Mapping[str, str]
) -> Iterator[pa.RecordBatch]:
    # without threads, of which a process that ends now and then dies; groups are small
    parquet = pq.ParquetFile(stream, pre_buffer=False)
    _check_version(parquet.schema_arrow, file)
    _check_columns(parquet, file, schema(row).names)
    for group in range(parquet.num_row_groups):
        if where and not _matches(parquet, group, where):
            continue
        for batch in parquet.read_row_group(group, use_threads=False).to_batches():
            yield from _filtered(batch, where)


def _matches(parquet: pq.ParquetFile, group: int, where: Mapping[str, str]) -> bool:
    """Read only the columns of `where` to see whether a row group holds a row of interest."""
    columns = parquet.read_row_group(group, list(where), use_threads=False).to_pydict()
    return any(
        all(columns[key][i] == value for key, value in where.items())
        for i in range(len(next(iter(columns.values()))))
    )


def _filtered(batch: pa.RecordBatch, where: Mapping[str, str]) -> Iterator[pa.RecordBatch]:
    mask = [
        all(batch.column(key)[i].as_py() == value for key, value in where.items())
        for i in range(batch.num_rows)
    ]
    yield batch.filter(pa.array(mask, pa.bool_())) if where else batch


def _check_version(found: pa.Schema, file: str) -> None:
    version = int((found.metadata or {}).get(b"featuredel.schema_version", b"0"))
    if version > SCHEMA_VERSION or version < 1:
        raise UsageError(
            f"{file}: schema version {version} is not one that this featuredel reads"
            f" (1 to {SCHEMA_VERSION}); use the featuredel that wrote it, or a newer one"
        )


def read_tasks(dataset: str, **where: str) -> Iterator[Task]:
    """Yield the tasks of a dataset; `where` picks rows by column, as in `repository="h11"`."""
    check_has_tasks(dataset)
    return read_rows(dataset, "tasks", Task, where)


def check_has_tasks(dataset: str) -> None:
    """Raise `UsageError` if there is no table of tasks."""
    if not any(file.startswith("tasks/") for file in files_of(dataset)):
        raise UsageError(f"{dataset}: no dataset here; it needs a folder tasks/ with Parquet files")


def read_columns(dataset: str, name: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the values of some columns of a table of `dataset`, row by row in file order."""
    fs, root = _opened(dataset)
    for file in _shards(fs, root, name):
        with _damage(file), fs.open(file, "rb") as stream:
            parquet = pq.ParquetFile(stream, pre_buffer=False)
            _check_version(parquet.schema_arrow, file)
            found = _read(parquet, file, name, columns)
            yield from zip(*(found[column].to_pylist() for column in columns), strict=True)


def _read(parquet: pq.ParquetFile, file: str, name: str, columns: Sequence[str]) -> pa.Table:
    """Return some columns of a file with the types that the table has now."""
    _check_columns(parquet, file, columns)
    form = schema(TABLES[name])
    found = parquet.read(columns=list(columns), use_threads=False).select(columns)
    return found.cast(pa.schema([form.field(column) for column in columns]))


def _check_columns(parquet: pq.ParquetFile, file: str, columns: Iterable[str]) -> None:
    if missing := set(columns) - set(parquet.schema_arrow.names):
        raise UsageError(f"{file}: lacks the columns {sorted(missing)}; write it anew")


def read_arrays(dataset: str, name: str, columns: Sequence[str]) -> dict[str, Any]:
    """Return some columns of a table of `dataset` as numpy arrays, in file order; needs numpy."""
    fs, root = _opened(dataset)
    parts = []
    for file in _shards(fs, root, name):
        with _damage(file), fs.open(file, "rb") as stream:
            parquet = pq.ParquetFile(stream, pre_buffer=False)
            _check_version(parquet.schema_arrow, file)
            parts.append(_read(parquet, file, name, columns))
    whole = pa.concat_tables(parts) if parts else schema(TABLES[name]).empty_table()
    return {column: whole[column].to_numpy() for column in columns}


def read_filled(dataset: str, name: str, columns: Sequence[str]) -> Iterator[tuple[bool, ...]]:
    """Yield for each row of a table which of these columns have a value.

    The values themselves, which may be long texts, are read only where the statistics of a row
    group leave it open.
    """
    fs, root = _opened(dataset)
    for file in _shards(fs, root, name):
        with _damage(file), fs.open(file, "rb") as stream:
            parquet = pq.ParquetFile(stream, pre_buffer=False)
            _check_version(parquet.schema_arrow, file)
            _check_columns(parquet, file, columns)
            places = {name: place for place, name in enumerate(_leaves(parquet))}
            wanted = {column: places[column] for column in columns}
            for group in range(parquet.num_row_groups):
                yield from zip(*_filled(parquet, group, wanted), strict=True)


def _leaves(parquet: pq.ParquetFile) -> Iterator[str]:
    """Yield the paths of the columns of a file as its statistics count them."""
    return (parquet.schema.column(place).path for place in range(len(parquet.schema)))


def _filled(
    parquet: pq.ParquetFile, group: int, columns: Mapping[str, int]
) -> Iterator[list[bool]]:
    told = parquet.metadata.row_group(group)
    for column, place in columns.items():
        statistics = told.column(place).statistics
        nulls = statistics.null_count if statistics else None
        if nulls in (0, told.num_rows):
            yield [nulls == 0] * told.num_rows
        else:
            found = parquet.read_row_group(group, [column], use_threads=False)[column]
            yield found.is_valid().to_pylist()


def read_mappings(url: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file of any columns. Raises `UsageError` if it is none."""
    fs, path = _opened(url)
    try:
        with _damage(url), fs.open(path, "rb") as stream:
            for batch in pq.ParquetFile(stream, pre_buffer=False).iter_batches(use_threads=False):
                yield from batch.to_pylist()
    except OSError as error:
        raise UsageError(f"{url}: {error.strerror or error}; give another file") from error


def repositories(dataset: str) -> list[str]:
    """Return the names of the repositories that a dataset tells of, sorted."""
    tables = ("tasks", "rejections")
    return sorted(
        {row[0] for name in tables for row in read_columns(dataset, name, ["repository"])}
    )


def compress(data: bytes) -> bytes:
    """Return `data` as one zstd frame."""
    return bytes(pa.Codec("zstd", compression_level=10).compress(data, asbytes=True))


def decompress(data: bytes, size: int) -> bytes:
    """Return the `size` bytes that `compress` was given. Raises `OSError` if it was not."""
    return bytes(pa.Codec("zstd").decompress(data, size, asbytes=True))
