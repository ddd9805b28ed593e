"""A dataset folder in the hands of `datasets`, DuckDB and Polars, each in an own environment."""

import dataclasses
import json
import shutil
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml
from consumers.digests import digest
from consumers.environments import LOCKS, consumer
from consumers.programs import run
from samples import task as sample

from featuredel import tables
from featuredel.model import Cost, Rejection, Task
from featuredel.stages.write import Content, write

HERE = Path(__file__).parent
Rows = dict[str, dict[str, list[str]]]


@pytest.fixture(scope="module")
def folder(dataset: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a dataset as a run leaves it: with a card, and with rows in every table."""
    if (Path(dataset) / "README.md").exists():
        return dataset
    copy = tmp_path_factory.mktemp("loaded") / "data"
    shutil.copytree(dataset, copy)
    # bytes of all kinds, and a statement in no register but one
    odd = sample(repository="odd", gold_patch=bytes(range(256)), statement_interface=None)
    rejection = Rejection("odd", "f removal odd.x", "validate", "P2P fail", "tests/a.py::ü")
    costs = (Cost("odd", "f removal odd.x", "validate", 0.1, 0.2, "host"),)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables.writing, "SHARD_BYTES", 1)  # a file for each row
        write(str(copy), Content((odd,), rejections=(rejection,), costs=costs))
    return str(copy)


@pytest.fixture(scope="module")
def expected(folder: str) -> Rows:
    """Return the digests of the rows that featuredel reads, by config and split, sorted."""
    rows: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, kind in tables.TABLES.items():
        for record in tables.read_rows(folder, name, kind):
            row = dataclasses.asdict(record)
            split = row["split"] if name in ("tasks", "statements") else "train"
            rows[name][split].append(digest(row))
            if name == "statements":
                rows[f"statements_{row['register']}"][split].append(digest(row))
    return _sorted(rows)


def _sorted(rows: Any) -> Rows:
    return {
        config: {split: sorted(found) for split, found in by_split.items()}
        for config, by_split in rows.items()
    }


def _said(lock: str, script: str, home: Path, *arguments: str) -> Any:
    """Return what a script of this folder says, run offline by the Python of an environment."""
    offline = {"HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    strict = ("-W", "error::UserWarning")
    done = run([consumer(lock), *strict, HERE / script, *arguments], offline, home)
    return json.loads(done.stdout)


@pytest.fixture(scope="module", params=["datasets-3", "datasets"])
def loaded(
    request: pytest.FixtureRequest, folder: str, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    home = tmp_path_factory.mktemp(request.param)
    return _said(request.param, "load_datasets.py", home, folder, _repository(folder)) | {
        "lock": request.param
    }


def _repository(folder: str) -> str:
    return next(task for task in tables.read_tasks(folder) if task.split == "train").repository


@pytest.mark.network
def test_the_version_is_the_locked_one(loaded: Any) -> None:
    assert f"\ndatasets=={loaded['version']} " in (LOCKS / f"{loaded['lock']}.txt").read_text()


@pytest.mark.network
@pytest.mark.parametrize("how", ["plain", "streaming"])
def test_every_config_loads_with_every_row_as_it_was(loaded: Any, how: str, expected: Rows) -> None:
    assert {"tasks", "statements", "statements_full", "rejections", "costs"} <= set(loaded[how])
    assert _sorted(loaded[how]) == expected


@pytest.mark.network
def test_the_tasks_load_without_a_name(loaded: Any, expected: Rows) -> None:
    assert _sorted({"tasks": loaded["default"]})["tasks"] == expected["tasks"]


@pytest.mark.network
@pytest.mark.parametrize("how", ["filtered", "filtered streaming"])
def test_a_filter_picks_rows(loaded: Any, how: str, folder: str) -> None:
    wanted = [
        digest(dataclasses.asdict(task))
        for task in tables.read_tasks(folder, repository=_repository(folder), split="train")
    ]
    assert wanted
    assert sorted(loaded[how]["train"]) == sorted(wanted)


@pytest.mark.network
def test_a_task_comes_back_from_a_copy_that_datasets_wrote(loaded: Any) -> None:
    before, after = loaded["round trip"]
    assert before == after


@pytest.mark.network
def test_the_hub_library_reads_the_whole_header_of_the_card(loaded: Any, folder: str) -> None:
    front = yaml.safe_load((Path(folder) / "README.md").read_text().split("---")[1])
    assert loaded["card"] == front
    assert [config["config_name"] for config in front["configs"]] == list(loaded["plain"])


@pytest.mark.network
def test_statements_hold_what_a_solver_may_see_and_no_more(loaded: Any) -> None:
    grader = {f.name for f in tables.schema(Task) if f.metadata[b"audience"] == b"grader"}
    assert not grader & set(loaded["columns"])
    assert {"task_id", "statement", "register", "difficulty"} <= set(loaded["columns"])


@pytest.mark.network
def test_duckdb_and_polars_read_every_table(folder: str, expected: Rows, tmp_path: Path) -> None:
    names = {file.split("/")[0] for file in tables.files_of(folder)}
    said = _said("datasets", "open_parquet.py", tmp_path, folder, *sorted(names))
    whole = {
        name: sorted(seen for part in expected.get(name, {}).values() for seen in part)
        for name in names
    }
    for reader in ("duckdb", "polars"):
        assert {name: sorted(rows) for name, rows in said[reader].items()} == whole, reader
    count = Counter(task.repository for task in tables.read_tasks(folder))
    assert said["counted"] == said["scanned"] == [[name, count[name]] for name in sorted(count)]
