import json
from pathlib import Path

import yaml
from samples import task

from featuredel import tables
from featuredel.model import Cost, Rejection, SnapshotRow
from featuredel.stages.write import Content, select, write


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
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert sorted(manifest["shards"]) == tables.files_of(str(tmp_path))


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


def test_splits_go_by_repository(tmp_path: Path) -> None:
    write(str(tmp_path), Content((task(split="validation"), task(repository="b", task_id="b"))))
    files = [name for name in tables.files_of(str(tmp_path)) if name.startswith("tasks/")]
    assert [name.split("/")[1].split("-")[0] for name in files] == ["train", "validation"]
