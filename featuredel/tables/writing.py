"""Writing records as Parquet; the same in, the same bytes out."""

import dataclasses
import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from featuredel.tables.columns import Row
from featuredel.tables.files import write_bytes
from featuredel.tables.records import to_table

ROW_GROUP_ROWS = 1024  # readers take a group at a time: `datasets` as the size of its batches
WIDE_GROUP_ROWS = 16  # where a row holds patches and files: a single one is cheap to read
SHARD_BYTES = 400 << 20  # uncompressed; keeps shards below the 500 MB that readers handle well


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


def write_table(url: str, rows: Sequence[Any], row: type) -> None:
    """Write records of any one class as a Parquet file of its own, outside of a dataset."""
    write_bytes(url, parquet_bytes(to_table(rows, row)))


def parquet_bytes(table: pa.Table) -> bytes:
    """Return `table` as a Parquet file: zstd, page index, small row groups; same in, same out."""
    sink = pa.BufferOutputStream()
    wide = any(pa.types.is_binary(kind) for kind in table.schema.types)
    rows = WIDE_GROUP_ROWS if wide else ROW_GROUP_ROWS
    pq.write_table(table, sink, compression="zstd", row_group_size=rows, write_page_index=True)
    return bytes(sink.getvalue())


def _cut(table: pa.Table) -> Iterator[pa.Table]:
    count = max(1, -(-table.nbytes // SHARD_BYTES))
    size = max(1, -(-table.num_rows // count))
    for start in range(0, max(1, table.num_rows), size):
        yield table.slice(start, size)
