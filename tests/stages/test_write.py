import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from samples import task

from featuredel import tables
from featuredel.model import Cost, Rejection, Scores, SnapshotRow, StatementRow, Task
from featuredel.stages.write import Content, select, write, write_tasks


def _snapshot(repository: str, archive: bytes = b"x") -> SnapshotRow:
    return SnapshotRow(repository, "s", "", None, None, "MIT", "t", archive, len(archive))


def test_near_copies_of_a_better_task_are_turned_down() -> None:
    best = task(task_id="a", definitions=("m.py::A", "m.py::B"))
    near = task(task_id="b", definitions=("m.py::A", "m.py::B", "m.py::C"))
    other = task(task_id="c", definitions=("m.py::X",))
    kept, rejections = select([best, near, other], 0.5)
    assert [t.task_id for t in kept] == ["a", "c"]
    assert [(r.stage, r.reason) for r in rejections] == [("write", "overlaps a better task")]


def test_the_same_feature_in_another_form_stays() -> None:
    kept, _ = select([task(task_id="a"), task(task_id="b", form="stub")], 0.5)
    assert [t.task_id for t in kept] == ["a", "b"]


def test_parents_hold_a_task_and_overlaps_hold_its_answer() -> None:
    child = task(task_id="child", definitions=("m.py::A",))
    parent = task(task_id="parent", definitions=("m.py::A", "m.py::B", "m.py::C"))
    other = task(task_id="other", definitions=("m.py::X",))
    kept = {t.task_id: t for t in select([child, parent, other], 0.5)[0]}
    assert kept["child"].parents == ("parent",)
    assert kept["child"].overlaps == ("other",)  # the parent's tree lacks A as well
    assert kept["parent"].overlaps == ("child", "other")


def test_a_dataset_can_be_read_back_and_says_what_it_holds(tmp_path: Path) -> None:
    rejection = Rejection("toy", "f removal toy.x", "validate", "P2P fail", "tests/a.py::b")
    write(str(tmp_path), Content((task(),), (_snapshot("toy"),), rejections=(rejection,)))
    assert list(tables.read_tasks(str(tmp_path))) == [task()]
    card = (tmp_path / "README.md").read_text()
    front = yaml.safe_load(card.split("---")[1])
    assert front["configs"][0] == {
        "config_name": "tasks",
        "default": True,
        "data_files": [{"split": "train", "path": "tasks/train-*.parquet"}],
    }
    assert "| validate | P2P fail | 1 |" in card
    patterns = [part["path"] for config in front["configs"] for part in config["data_files"]]
    listed = {str(file.relative_to(tmp_path)) for path in patterns for file in tmp_path.glob(path)}
    shards = _manifest(tmp_path)["shards"]
    assert listed == {path for path, shard in shards.items() if shard["rows"]}
    assert sorted(shards) == tables.files_of(str(tmp_path))


def test_a_second_run_replaces_its_repositories_and_keeps_the_others(tmp_path: Path) -> None:
    def content(name: str, task_id: str) -> Content:
        return Content(
            (task(repository=name, task_id=task_id),),
            (_snapshot(name),),
            costs=(Cost(name, name, "baseline", 1.0, 1.0, "host"),),
        )

    write(str(tmp_path), content("b", "old") + content("a", "kept"))
    write(str(tmp_path), content("b", "new"))
    assert [t.task_id for t in tables.read_tasks(str(tmp_path))] == ["kept", "new"]
    snapshots = tables.read_rows(str(tmp_path), "snapshots", SnapshotRow)
    assert [row.repository for row in snapshots] == ["a", "b"]


def test_the_order_of_writing_does_not_show_in_the_bytes(tmp_path: Path) -> None:
    one = Content((task(repository="a"),)) + Content((task(repository="b"),))
    other = Content((task(repository="b"),)) + Content((task(repository="a"),))
    write(f"{tmp_path}/1", one)
    write(f"{tmp_path}/2", other)
    first = tables.files_of(f"{tmp_path}/1")
    assert first == tables.files_of(f"{tmp_path}/2")
    for name in first:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_what_is_read_back_and_written_again_is_the_same(tmp_path: Path) -> None:
    rows = tuple(task(task_id=f"{n}", difficulty=Scores(n / 10, n / 10, 0.5)) for n in range(10))
    write(str(tmp_path), Content(rows))
    files = ["README.md", "manifest.json", *tables.files_of(str(tmp_path))]
    before = [(tmp_path / name).read_bytes() for name in files]
    write_tasks(str(tmp_path), list(tables.read_tasks(str(tmp_path))), ())
    assert [(tmp_path / name).read_bytes() for name in files] == before


def _statements(url: Path, **where: str) -> list[StatementRow]:
    return list(tables.read_rows(str(url), "statements", StatementRow, where))


def test_statements_are_the_registers_that_a_task_is_offered_in(tmp_path: Path) -> None:
    write(str(tmp_path), Content((task(),)))
    found = [(row.register, row.statement, row.difficulty) for row in _statements(tmp_path)]
    assert found == [("full", "Write add.", 0.25), ("interface", "def add(a, b)", 0.5)]
    (row,) = _statements(tmp_path, register="full")
    for field in ("task_id", "repository", "licence", "split", "tier", "test_timeout_s"):
        assert getattr(row, field) == getattr(task(), field)


def test_statements_show_a_solver_only_what_a_task_does() -> None:
    shown = {field.name: field.metadata[b"audience"] for field in tables.schema(Task)}
    for field in tables.schema(StatementRow):
        assert field.metadata == {b"audience": b"solver"}
        assert shown.get(field.name, b"solver") == b"solver"


def test_a_second_run_keeps_statements_in_step(tmp_path: Path) -> None:
    old, kept = task(repository="b", task_id="old"), task(repository="a", task_id="kept")
    write(str(tmp_path), Content((old, kept)))
    new = task(repository="b", task_id="new", statement_full=None, split="validation")
    write(str(tmp_path), Content((new,)))
    assert [(row.task_id, row.register) for row in _statements(tmp_path)] == [
        ("kept", "full"),
        ("kept", "interface"),
        ("new", "interface"),
    ]
    assert tables.files_of(str(tmp_path)) == sorted(_manifest(tmp_path)["shards"])


def test_a_dataset_of_an_earlier_version_gets_its_statements(tmp_path: Path) -> None:
    tables.write_shards(str(tmp_path), "tasks", "train", [task(repository="a")], Task)
    assert _statements(tmp_path) == []
    assert [t.repository for t in tables.read_tasks(str(tmp_path))] == ["a"]
    write(str(tmp_path), Content((task(repository="b", task_id="b"),)))
    assert {row.repository for row in _statements(tmp_path)} == {"a", "b"}


def test_statements_are_cut_into_shards_like_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tuple(task(task_id=f"{i:016x}", statement_full="x" * 1000) for i in range(10))
    monkeypatch.setattr(tables.writing, "SHARD_BYTES", 4000)
    write(str(tmp_path), Content(rows))
    files = [f for f in tables.files_of(str(tmp_path)) if f.startswith("statements/full-train-")]
    assert len(files) > 2
    assert [row.task_id for row in _statements(tmp_path, register="full")] == [
        row.task_id for row in rows
    ]


def test_tasks_are_written_anew_with_what_follows_from_them(tmp_path: Path) -> None:
    cost = Cost("toy", "toy", "baseline", 1.0, 1.0, "host")
    write(str(tmp_path), Content((task(),), (_snapshot("toy"),), costs=(cost,)))
    before = _manifest(tmp_path)["shards"]
    harder = dataclasses.replace(task(), tier="extreme", difficulty=Scores(0.9, 0.95, 0.9))
    write_tasks(str(tmp_path), [harder], ())
    assert [t.tier for t in tables.read_tasks(str(tmp_path))] == ["extreme"]
    assert [round(row.difficulty, 4) for row in _statements(tmp_path)] == [0.9, 0.95]
    assert "| extreme | 1 |" in (tmp_path / "README.md").read_text()
    after = _manifest(tmp_path)["shards"]
    changed = {path.split("/")[0] for path in after if after[path] != before[path]}
    assert changed == {"tasks", "statements"}
    for path, shard in after.items():
        assert hashlib.sha256((tmp_path / path).read_bytes()).hexdigest() == shard["sha256"]


def _manifest(url: Path) -> Any:
    return json.loads((url / "manifest.json").read_text())


def test_splits_go_by_repository(tmp_path: Path) -> None:
    write(str(tmp_path), Content((task(split="validation"), task(repository="b", task_id="b"))))
    files = [name for name in tables.files_of(str(tmp_path)) if name.startswith("tasks/")]
    assert [name.split("/")[1].split("-")[0] for name in files] == ["train", "validation"]
