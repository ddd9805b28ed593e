"""Views of databases and of what programs keep between runs."""

import pickle
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from looking import CODE, NAME, lines, of_files, views

ROW = "INSERT INTO a VALUES (?, ?, ?, ?)"


def seen(shown: dict[str, bytes], what: bytes = NAME) -> set[str]:
    return {where for where, content in shown.items() if what in content}


@pytest.fixture
def database(tmp_path: Path) -> sqlite3.Connection:
    """A database in its own file, open."""
    made = sqlite3.connect(tmp_path / "a.db")
    made.execute("CREATE TABLE a (text TEXT, blob BLOB, number, real)")
    made.commit()
    return made


def test_rows_are_read(database: sqlite3.Connection, tmp_path: Path) -> None:
    database.execute(ROW, ("short_text", b"short_blob", 7919, 2.7182))
    database.execute(ROW, (CODE, pickle.dumps({"zorptastic_merge": 1}) + b" " * 100, None, None))
    database.commit()
    database.close()
    shown = of_files(tmp_path)
    assert {b"short_text", b"short_blob", b"7919", b"2.7182"} <= lines(shown["a.db!a"])
    assert shown["a.db!a[1].text"] == CODE.encode()
    assert NAME in lines(shown["a.db!a[1].blob!values"])


def test_a_value_across_pages_is_read(database: sqlite3.Connection, tmp_path: Path) -> None:
    sentence = "x" * 3000 + "zorptastic_merge " * 2000
    database.execute(ROW, (sentence, None, None, None))
    database.commit()
    database.close()
    assert of_files(tmp_path)["a.db!a[0].text"] == sentence.encode()


def test_deleted_rows_are_seen_raw(database: sqlite3.Connection, tmp_path: Path) -> None:
    database.execute("PRAGMA secure_delete = OFF")
    database.execute(ROW, (CODE, None, None, None))
    database.commit()
    database.execute("DELETE FROM a")
    database.commit()
    database.close()
    assert seen(of_files(tmp_path)) == {"a.db"}


def test_rows_in_a_log_are_read(database: sqlite3.Connection, tmp_path: Path) -> None:
    database.execute("PRAGMA journal_mode = WAL")
    database.execute(ROW, (CODE, None, None, None))
    database.commit()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert {"a.db-wal", "a.db!a[0].text"} <= seen(of_files(tmp_path))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    database.close()


def test_a_damaged_database_is_seen_raw_and_does_not_end_the_scan() -> None:
    content = b"SQLite format 3\0" + bytes(100) + CODE.encode()
    assert seen(views(content)) == {"f"}


def test_a_virtual_table_is_not_run(database: sqlite3.Connection, tmp_path: Path) -> None:
    database.execute("CREATE VIRTUAL TABLE s USING fts5(text)")
    database.execute("INSERT INTO s VALUES (?)", (CODE,))
    database.commit()
    database.close()
    found = seen(of_files(tmp_path))
    assert "a.db!s_content[0].c0" in found
    assert not any(where.startswith("a.db!s[") for where in found)


class Trap:
    """Tells on whoever loads it."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (pytest.fail, ("it was loaded",))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_are_read_and_not_loaded(protocol: int) -> None:
    value = [CODE.splitlines(keepends=True), "zorptastic_merge", 7919, 2.7182, b"x" * 300, Trap()]
    shown = views(pickle.dumps(value, protocol), "f.pkl")["f.pkl!values"]
    assert {b"7919", b"2.7182", NAME} <= lines(shown)
    assert b"".join(CODE.encode().split()) in b"".join(shown.split())


def test_pickles_that_follow_each_other_are_read() -> None:
    content = pickle.dumps("first") + pickle.dumps("zorptastic_merge") + CODE.encode()
    shown = views(content)
    assert {b"first", NAME} <= lines(shown["f!values"])
    assert shown["f!after the end"] == CODE.encode()


def test_a_pickle_in_a_pickle_is_read() -> None:
    inner = pickle.dumps(["zorptastic_merge", "x" * 300])
    found = [c for where, c in views(pickle.dumps([inner])).items() if where.count("!") == 2]
    assert any(NAME in lines(content) for content in found)


@pytest.mark.parametrize("options", [[], ["--no-sqlite-cache"], ["--no-fixed-format-cache"]])
def test_caches_of_mypy_are_read(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "core.py").write_text(CODE)
    subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir=cache", "--config-file=", *options, "core.py"],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    shown = of_files(tmp_path / "cache")
    found = {where for where, content in shown.items() if NAME in content}
    assert found
    if "--no-fixed-format-cache" not in options:
        names = [lines(c) for where, c in shown.items() if where.endswith("!names")]
        assert any({b"zorptastic_merge", b"alpha_quux", b"gamma_wibble"} <= told for told in names)
