import dataclasses
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from samples import task

from featuredel import tables
from featuredel.errors import UsageError
from featuredel.model import (
    Attempt,
    Control,
    Rejection,
    SolveRate,
    Task,
    TestId,
)


def test_tasks_survive_the_way_through_parquet(tmp_path: Path) -> None:
    rows = [task(task_id=f"{i:016x}", repository="ab"[i % 2]) for i in range(40)]
    shards = tables.write_shards(str(tmp_path), "tasks", "train", rows, Task)
    assert list(shards) == ["tasks/train-00000-of-00001.parquet"] == tables.files_of(str(tmp_path))
    assert list(tables.read_tasks(str(tmp_path))) == rows
    assert list(tables.read_tasks(str(tmp_path), repository="b")) == rows[1::2]
    assert list(tables.read_tasks(str(tmp_path), task_id=rows[17].task_id)) == [rows[17]]


def test_same_rows_give_the_same_bytes() -> None:
    rows = [task(task_id=f"{i:016x}") for i in range(20)]
    one = tables.parquet_bytes(tables.to_table(rows, Task))
    assert one == tables.parquet_bytes(tables.to_table(list(rows), Task))


def test_groups_of_rows_are_small_only_where_rows_are_large(tmp_path: Path) -> None:
    rejections = [Rejection("toy", f"{n}", "validate", "P2P fail", "") for n in range(40)]
    tables.write_shards(str(tmp_path), "rejections", "train", rejections, Rejection)
    tables.write_shards(str(tmp_path), "tasks", "train", [task() for _ in range(40)], Task)
    groups = {
        file.split("/")[0]: pq.ParquetFile(tmp_path / file).num_row_groups
        for file in tables.files_of(str(tmp_path))
    }
    assert groups == {"rejections": 1, "tasks": 3}


def test_large_tables_are_cut_into_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [task(task_id=f"{i:016x}", gold_patch=b"x" * 1000) for i in range(10)]
    monkeypatch.setattr(tables.writing, "SHARD_BYTES", 4000)
    names = list(tables.write_shards(str(tmp_path), "tasks", "train", rows, Task))
    assert len(names) > 2
    assert names[-1] == f"tasks/train-{len(names) - 1:05d}-of-{len(names):05d}.parquet"
    assert list(tables.read_tasks(str(tmp_path))) == rows


def test_every_column_of_tasks_says_who_may_see_it() -> None:
    audiences = {f.name: f.metadata[b"audience"].decode() for f in tables.schema(Task)}
    assert set(audiences.values()) == {"solver", "grader"}
    for column in ("gold_patch", "hidden_files", "controls", "definitions", "f2p", "gates"):
        assert audiences[column] == "grader"


@pytest.mark.parametrize("row", tables.TABLES.values())
def test_an_empty_table_keeps_its_schema(tmp_path: Path, row: type) -> None:
    tables.write_shards(str(tmp_path), "t", "train", [], row)
    found = pq.read_schema(tmp_path / "t" / "train-00000-of-00001.parquet")
    assert found.equals(tables.schema(row))


def test_a_newer_schema_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(tables.columns, "SCHEMA_VERSION", 99)
        tables.write_shards(str(tmp_path), "tasks", "train", [task()], Task)
    with pytest.raises(UsageError, match="schema version 99"):
        list(tables.read_tasks(str(tmp_path)))


def test_rows_of_version_1_are_read_as_of_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class First:  # as version 1 had it
        kind: str
        path: str
        patch: bytes

    now = tables.schema(Task)
    place = now.get_field_index("controls")
    element = tables.schema(First)
    then = now.set(place, pa.field("controls", pa.list_(pa.struct(element)), nullable=False))
    rows = tables.to_table([task(schema_version=1, controls=())], Task).cast(then)
    old = rows.replace_schema_metadata({b"featuredel.schema_version": b"1"})
    tables.write_bytes(f"{tmp_path}/tasks/train.parquet", tables.parquet_bytes(old))
    assert list(tables.read_tasks(str(tmp_path))) == [task(controls=())]
    assert task().schema_version == tables.SCHEMA_VERSION


def test_controls_come_back_as_they_were(tmp_path: Path) -> None:
    control = Control("raise", "tests/test_a.py", b"@@\xff", (TestId("tests/test_a.py::test_a"),))
    tables.write_shards(str(tmp_path), "tasks", "train", [task(controls=(control,))], Task)
    assert next(tables.read_tasks(str(tmp_path))).controls == (control,)


def test_a_damaged_shard_is_told(tmp_path: Path) -> None:
    tables.write_shards(str(tmp_path), "tasks", "train", [task()], Task)
    (file,) = (tmp_path / "tasks").iterdir()
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(UsageError, match=f"{file.name}: damaged"):
        list(tables.read_tasks(str(tmp_path)))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("file", "is a file"),
        ("used", "holds other things"),
        ("file/below", "Not a directory; name another"),
        ("", "is empty"),
        ("bogus://x", "bogus"),
    ],
)
def test_a_place_for_a_dataset_is_looked_at_before(tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "README.md").write_text("mine")
    with pytest.raises(UsageError, match=told):
        tables.check_destination(name if ":" in name or not name else str(tmp_path / name))


def test_a_new_an_empty_and_a_datasets_own_folder_will_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "manifest.json").write_text("{}")
    tables.write_shards(str(tmp_path / "interrupted"), "tasks", "train", [task()], Task)
    for name in ("new/deep", "empty", "set", "interrupted"):
        tables.check_destination(str(tmp_path / name))
    tables.check_destination("memory://somewhere")


def test_a_folder_without_tasks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no dataset here"):
        list(tables.read_tasks(str(tmp_path)))


def test_nothing_half_written_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="no space"):
        tables.write_bytes(f"{tmp_path}/a.parquet", b"data")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError) as told:
        tables.write_bytes(f"{tmp_path}/folder", b"data")
    assert told.value.filename == f"{tmp_path}/folder"
    (tmp_path / "file").touch()
    for name, reason in (("folder", "is a folder"), ("file/x", "Not a directory; name another")):
        with pytest.raises(UsageError, match=reason):
            tables.check_file(f"{tmp_path}/{name}")
    for url in (f"{tmp_path}/new/deep/file", f"file://{tmp_path}/file", "memory://file"):
        tables.check_file(url)


def test_columns_of_another_kind_are_damage(tmp_path: Path) -> None:
    tables.write_shards(str(tmp_path), "tasks", "train", [task()], Task)
    (file,) = (tmp_path / "tasks").iterdir()
    good = pq.read_table(file)
    strange = good.set_column(1, "task_id", pa.array([{"a": 1}]))
    empty = good.set_column(1, "task_id", pa.nulls(1, pa.string()))
    for table, reason in (
        (strange, "damaged"), (empty, "damaged"), (good.drop(["task_id"]), "lacks the columns"),
    ):  # fmt: skip
        pq.write_table(table, file)
        for read in (
            lambda: list(tables.read_columns(str(tmp_path), "tasks", ["repository", "task_id"])),
            lambda: tables.read_arrays(str(tmp_path), "tasks", ["task_id"]),
        ):
            with pytest.raises(UsageError, match=f"{file.name}: {reason}"):
                read()
    with pytest.raises(UsageError, match="lacks the columns"):
        list(tables.read_filled(str(tmp_path), "tasks", ["task_id"]))


def test_what_is_no_compressed_data_is_told() -> None:
    with pytest.raises(OSError, match="ZSTD"):
        tables.decompress(b"not zstd", 10)


def test_no_character_of_a_name_is_a_pattern(tmp_path: Path) -> None:
    for name in ("set1", "set[1]", "set*"):
        rows = [task(repository=name)]
        tables.write_shards(f"{tmp_path}/{name}", "tasks", "train", rows, Task)
    for name in ("set1", "set[1]", "set*"):
        (row,) = tables.read_tasks(f"{tmp_path}/{name}")
        assert row.repository == name
        assert tables.repositories(f"{tmp_path}/{name}") == [name]
    with pytest.raises(UsageError, match="no dataset here"):
        list(tables.read_tasks(f"{tmp_path}/set?"))


@pytest.mark.parametrize("version", [b"abc", b"-1", b"99"])
def test_an_odd_version_is_told(tmp_path: Path, version: bytes) -> None:
    odd = tables.to_table([task()], Task).replace_schema_metadata(
        {b"featuredel.schema_version": version}
    )
    tables.write_bytes(f"{tmp_path}/tasks/train.parquet", tables.parquet_bytes(odd))
    with pytest.raises(UsageError, match=r"train\.parquet"):
        list(tables.read_tasks(str(tmp_path)))


def test_a_place_of_an_unknown_kind_is_told() -> None:
    with pytest.raises(UsageError, match="foo://x"):
        list(tables.read_tasks("foo://x"))


def test_compression_is_reversible() -> None:
    data = b"tree" * 5000
    assert tables.decompress(tables.compress(data), len(data)) == data


def test_a_memory_filesystem_works_as_a_dataset() -> None:
    tables.write_shards("memory://set", "tasks", "train", [task()], Task)
    assert list(tables.read_tasks("memory://set")) == [task()]


def attempt(**more: Any) -> Attempt:
    fields: dict[str, Any] = {
        "task_id": "feed", "repository": "calc", "register": "full", "model": "m", "attempt": 1,
        "ended": "submitted", "error": "", "reward": 1.0, "resolved": True, "tampered": False,
        "f2p_rate": 1.0, "p2p_rate": 1.0, "turns": 3, "prompt_tokens": 100, "completion_tokens": 9,
        "blocks": 0, "flags": 0, "notes": 1, "wall_s": 2.5,
    }  # fmt: skip
    return Attempt(**{**fields, **more})


def test_a_table_of_its_own_comes_back(tmp_path: Path) -> None:
    file = f"{tmp_path}/outcomes.parquet"
    nothing = dict.fromkeys(("reward", "resolved", "tampered", "f2p_rate", "p2p_rate"))
    rows = [attempt(), attempt(attempt=2, ended="error", error="no server", **nothing)]
    tables.write_table(file, rows, Attempt)
    assert tables.read_table(file, Attempt) == rows
    tables.write_table(file, [], Attempt)
    assert tables.read_table(file, Attempt) == []


def test_what_is_no_such_table_is_told(tmp_path: Path) -> None:
    file = f"{tmp_path}/outcomes.parquet"
    with pytest.raises(UsageError, match="No such file"):
        tables.read_table(file, Attempt)
    Path(file).write_bytes(b"no Parquet")
    with pytest.raises(UsageError, match="damaged"):
        tables.read_table(file, Attempt)
    tables.write_table(file, [attempt()], Attempt)
    with pytest.raises(UsageError, match="lacks the columns"):
        tables.read_table(file, SolveRate)


def test_columns_are_read_as_arrays(tmp_path: Path) -> None:
    rows = [task(task_id=f"{n:016x}", gold_lines=n, reward_strength=None) for n in range(40)]
    tables.write_shards(str(tmp_path), "tasks", "train", rows[:30], Task)
    tables.write_shards(str(tmp_path), "tasks", "validation", rows[30:], Task)
    found = tables.read_arrays(str(tmp_path), "tasks", ["task_id", "gold_lines", "reward_strength"])
    assert found["task_id"].tolist() == [row.task_id for row in rows]
    assert found["gold_lines"].tolist() == list(range(40))
    assert all(value != value for value in found["reward_strength"].tolist())  # not a number
    assert len(tables.read_arrays(str(tmp_path), "calibration", ["task_id"])["task_id"]) == 0


def test_which_cells_are_filled(tmp_path: Path) -> None:
    """Whether all rows of a group have a value, none, or some."""
    there = [(n < 20, n >= 16, n % 2 == 0) for n in range(50)]
    rows = [
        task(statement_full="x" if one else None, statement_interface="y" if two else None,
             statement_terse="z" if three else None)
        for one, two, three in there
    ]  # fmt: skip
    tables.write_shards(str(tmp_path), "tasks", "train", rows, Task)
    columns = ["statement_full", "statement_interface", "statement_terse"]
    assert list(tables.read_filled(str(tmp_path), "tasks", columns)) == there


def test_any_parquet_file_is_read_as_mappings(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, None], "b": ["x", "y"]}), tmp_path / "any.parquet")
    found = list(tables.read_mappings(str(tmp_path / "any.parquet")))
    assert found == [{"a": 1, "b": "x"}, {"a": None, "b": "y"}]
    (tmp_path / "no.parquet").write_bytes(b"no")
    with pytest.raises(UsageError, match="damaged"):
        list(tables.read_mappings(str(tmp_path / "no.parquet")))
