"""The one home of pyarrow: the dataset's tables, their schema, and reading and writing them.

A dataset is a folder (a path or an fsspec URL):

    README.md  manifest.json
    tasks/train-00000-of-00002.parquet ...   one row per deletion and form
    statements/full-train-00000-of-00001.parquet ...   one row per task and register it has
    snapshots/ environments/ tests/ rejections/ costs/ calibration/   the side tables, each in
                                                                      shards of train

Each column of `tasks` and `statements` says in its field metadata who may see it: `audience:
solver | grader`.

    columns    which tables there are, and their schemas
    records    records to Arrow and back
    files      what lies where, and files that are there whole or not at all
    writing    shards, and Parquet files of their own
    reading    rows, columns, and what is wrong with a file
    frames     bytes that are kept in a column
"""

from featuredel.tables.columns import SCHEMA_VERSION, TABLES, Row, schema
from featuredel.tables.files import (
    check_destination,
    check_file,
    files_of,
    is_of_machine,
    local_folder,
    located,
    remove,
    write_bytes,
)
from featuredel.tables.frames import compress, decompress
from featuredel.tables.reading import (
    check_has_tasks,
    read_arrays,
    read_columns,
    read_filled,
    read_mappings,
    read_rows,
    read_table,
    read_tasks,
    repositories,
)
from featuredel.tables.records import jsonable, to_table
from featuredel.tables.writing import Shard, parquet_bytes, write_shards, write_table

__all__ = [
    "SCHEMA_VERSION",
    "TABLES",
    "Row",
    "Shard",
    "check_destination",
    "check_file",
    "check_has_tasks",
    "compress",
    "decompress",
    "files_of",
    "is_of_machine",
    "jsonable",
    "local_folder",
    "located",
    "parquet_bytes",
    "read_arrays",
    "read_columns",
    "read_filled",
    "read_mappings",
    "read_rows",
    "read_table",
    "read_tasks",
    "remove",
    "repositories",
    "schema",
    "to_table",
    "write_bytes",
    "write_shards",
    "write_table",
]
