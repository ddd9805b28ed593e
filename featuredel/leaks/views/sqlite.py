"""Databases of SQLite by row; what was deleted from them still lies in their pages, seen raw.

A database is read in a copy, and in each state that its log or journal can bring it to. Only
tables are read, never a view, and nothing that the schema says is trusted.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import STEP_BYTES, Damaged, Unseen, View
from featuredel.scratch import scratch_directory

name = "sqlite"
claims = True

_MAGIC = b"SQLite format 3\0"
_BESIDE = ("-wal", "-journal")
_SMALL_BYTES = 64
_JOINED_BYTES = 1 << 20
_STEPS = 100_000
"""Of SQLite's machine between two looks at the clock."""


def applies(head: bytes, path: str) -> bool:
    """Return whether it begins like a database."""
    return head.startswith(_MAGIC)


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield the rows of each table: small values together, larger ones each by itself."""
    with scratch_directory() as directory:
        copy = directory / "db"
        with copy.open("wb") as file:
            for at in range(0, len(view.content), STEP_BYTES):
                file.write(view.content[at : at + STEP_BYTES])
        yield from _rows(view, copy, "immutable=1", budget)
        for suffix in _BESIDE:
            beside = view.file and view.file.with_name(view.file.name + suffix)
            # a link could lead to anything
            if beside and beside.is_file() and not beside.is_symlink():
                _copy(beside, copy.with_name(f"db{suffix}"), budget)
                yield from _rows(view, copy, "mode=rw", budget)
                copy.with_name(f"db{suffix}").unlink(missing_ok=True)


def _copy(source: Path, target: Path, budget: Budget) -> None:
    with source.open("rb") as reading, target.open("wb") as writing:
        while chunk := reading.read(STEP_BYTES):
            budget.spend(len(chunk))
            writing.write(chunk)


def _rows(view: View, path: Path, mode: str, budget: Budget) -> Iterator[View]:
    with closing(sqlite3.connect(f"file:{path}?{mode}", uri=True)) as database:
        database.text_factory = bytes
        database.set_progress_handler(lambda: budget.left_s() <= 0.001, _STEPS)
        try:
            database.execute("PRAGMA trusted_schema = OFF")
            database.execute("PRAGMA mmap_size = 0")
            schema = database.execute(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
            ).fetchall()
        except sqlite3.Error as error:
            raise Damaged(f"sqlite: {error}") from error
        for table, _ in schema:
            quoted = table.decode(errors="replace").replace('"', '""')
            try:
                yield from _table(view, database, quoted, budget)
            except sqlite3.Error as error:
                budget.tick()
                raise Damaged(f"sqlite, table {quoted}: {error}") from error


def _table(view: View, database: sqlite3.Connection, table: str, budget: Budget) -> Iterator[View]:
    small: list[bytes] = []
    size = 0
    cursor = database.execute(f'SELECT * FROM "{table}"')  # noqa: S608 -- quoted
    columns = [column[0] for column in cursor.description]
    for number, row in enumerate(cursor):
        for column, value in zip(columns, row, strict=True):
            if isinstance(value, bytes):
                budget.spend(len(value))
                if len(value) >= _SMALL_BYTES:
                    yield view.part(name, f"{table}[{number}].{column}", value)
                    continue
            elif value is None:
                continue
            else:
                value = repr(value).encode()
            small.append(value)
            size += len(value) + 1
        if size >= _JOINED_BYTES:
            yield view.part(name, table, b"\n".join(small), deeper=False)
            small, size = [], 0
    if small:
        yield view.part(name, table, b"\n".join(small), deeper=False)
