"""Reading Parquet back: rows as records, columns, or no more than whether there is a value."""

import contextlib
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from featuredel.errors import UsageError
from featuredel.model import Task
from featuredel.tables.columns import SCHEMA_VERSION, TABLES, Row, schema
from featuredel.tables.files import files_of, is_of_machine, opened, shards_of
from featuredel.tables.records import plain, record

# --- rows ----------------------------------------------------------------------------------


def read_tasks(dataset: str, **where: str) -> Iterator[Task]:
    """Yield the tasks of a dataset; `where` picks rows by column, as in `repository="h11"`."""
    check_has_tasks(dataset)
    return read_rows(dataset, "tasks", Task, where)


def check_has_tasks(dataset: str) -> None:
    """Raise `UsageError` if there is no table of tasks."""
    if not any(file.startswith("tasks/") for file in files_of(dataset)):
        raise UsageError(f"{dataset}: no dataset here; it needs a folder tasks/ with Parquet files")


def read_rows(
    dataset: str, name: str, row: type[Row], where: Mapping[str, str] | None = None
) -> Iterator[Row]:
    """Yield the rows of a table of `dataset` in file order, those with the values of `where`."""
    fs, root = opened(dataset)
    for file in shards_of(fs, root, name):
        with _parquet(fs, file) as parquet:
            for value in _values(parquet, file, row, where or {}):
                yield record(row, _migrated(value))


def read_table(url: str, row: type[Row]) -> list[Row]:
    """Return the records of a file that `write_table` wrote. Raises `UsageError` if it is none."""
    with _given(url) as parquet:
        return [record(row, value) for value in _values(parquet, url, row, {})]


def read_mappings(url: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file of any columns. Raises `UsageError` if it is none."""
    with _given(url) as parquet:
        for batch in parquet.iter_batches(use_threads=False):
            yield from batch.to_pylist()


def _migrated(value: dict[str, Any]) -> dict[str, Any]:
    """Return what a row of an earlier version is in this one.

    In version 1 a control said nothing of its tests, and no row had any.
    """
    return {**value, "schema_version": SCHEMA_VERSION} if "schema_version" in value else value


def _values(
    parquet: pq.ParquetFile, file: str, row: type, where: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows with the values of `where`; what holds none is not read whole."""
    _check_version(parquet, file)
    _check_columns(parquet, file, schema(row).names)
    for group in range(parquet.num_row_groups):
        if where and not _picked(_group(parquet, group, list(where)), where).num_rows:
            continue
        for batch in _picked(_group(parquet, group), where).to_batches():
            yield from batch.to_pylist()


def _picked(rows: pa.Table, where: Mapping[str, str]) -> pa.Table:
    masks = [pc.equal(rows[key], plain(value)) for key, value in where.items()]
    return rows.filter(functools.reduce(pc.and_, masks)) if masks else rows


# --- columns -------------------------------------------------------------------------------


def read_columns(dataset: str, name: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the values of some columns of a table of `dataset`, row by row in file order."""
    for part in _parts(dataset, name, columns):
        yield from zip(*(part[column].to_pylist() for column in columns), strict=True)


def read_arrays(dataset: str, name: str, columns: Sequence[str]) -> dict[str, Any]:
    """Return some columns of a table of `dataset` as numpy arrays, in file order; needs numpy."""
    parts = list(_parts(dataset, name, columns))
    whole = pa.concat_tables(parts) if parts else schema(TABLES[name]).empty_table()
    return {column: whole[column].to_numpy() for column in columns}


def repositories(dataset: str) -> list[str]:
    """Return the names of the repositories that a dataset tells of, sorted."""
    tables = ("tasks", "rejections")
    return sorted(
        {row[0] for name in tables for row in read_columns(dataset, name, ["repository"])}
    )


def _parts(dataset: str, name: str, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Yield some columns of each file of a table, with the types that the table has now."""
    form = schema(TABLES[name])
    now = pa.schema([form.field(column) for column in columns])
    fs, root = opened(dataset)
    for file in shards_of(fs, root, name):
        with _parquet(fs, file) as parquet:
            _check_version(parquet, file)
            _check_columns(parquet, file, columns)
            found = parquet.read(columns=list(columns), use_threads=False)
            yield found.select(columns).cast(now)


def read_filled(dataset: str, name: str, columns: Sequence[str]) -> Iterator[tuple[bool, ...]]:
    """Yield for each row of a table which of these columns have a value.

    The values themselves, which may be long texts, are read only where the statistics of a row
    group leave it open.
    """
    fs, root = opened(dataset)
    for file in shards_of(fs, root, name):
        with _parquet(fs, file) as parquet:
            _check_version(parquet, file)
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
            yield _group(parquet, group, [column])[column].is_valid().to_pylist()


# --- files ---------------------------------------------------------------------------------


@contextlib.contextmanager
def _parquet(fs: fsspec.AbstractFileSystem, file: str) -> Iterator[pq.ParquetFile]:
    """Open a file; what is found wrong with its bytes in the context is a `UsageError`."""
    try:
        with fs.open(file, "rb") as stream:
            yield pq.ParquetFile(stream, pre_buffer=False)
    except (pa.ArrowException, OSError, TypeError, ValueError) as error:
        if is_of_machine(error):
            raise
        raise UsageError(f"{file}: damaged: {' '.join(str(error).split())}") from error


@contextlib.contextmanager
def _given(url: str) -> Iterator[pq.ParquetFile]:
    """Open a file that a user named: one that cannot be read is a `UsageError` as well."""
    fs, path = opened(url)
    try:
        with _parquet(fs, path) as parquet:
            yield parquet
    except OSError as error:
        raise UsageError(f"{url}: {error.strerror or error}; give another file") from error


def _group(parquet: pq.ParquetFile, number: int, columns: list[str] | None = None) -> pa.Table:
    # without threads, of which a process that ends now and then dies; groups are small
    return parquet.read_row_group(number, columns, use_threads=False)


def _check_version(parquet: pq.ParquetFile, file: str) -> None:
    told = parquet.schema_arrow.metadata or {}
    version = int(told.get(b"featuredel.schema_version", b"0"))
    if version > SCHEMA_VERSION or version < 1:
        raise UsageError(
            f"{file}: schema version {version} is not one that this featuredel reads"
            f" (1 to {SCHEMA_VERSION}); use the featuredel that wrote it, or a newer one"
        )


def _check_columns(parquet: pq.ParquetFile, file: str, columns: Iterable[str]) -> None:
    if missing := set(columns) - set(parquet.schema_arrow.names):
        raise UsageError(f"{file}: lacks the columns {sorted(missing)}; write it anew")
