import dataclasses
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import pytest
import yaml
from samples import task

from featuredel import tables
from featuredel.cards import dataset_card
from featuredel.model import Cost, Rejection, Scores, Task
from featuredel.stages.write import statement_rows
from featuredel.tables import Shard


def _card(
    *tasks: Task, rejections: Sequence[Rejection] = (), costs: Sequence[Cost] = (),
    shards: Mapping[str, Shard] | None = None,
) -> str:  # fmt: skip
    return dataset_card(tasks, statement_rows(tasks), rejections, costs, shards or {})


def _front(card: str) -> Any:
    return yaml.safe_load(card.split("---")[1])


def _section(card: str, title: str) -> list[list[str]]:
    """Return the cells of the tables of a section, without their heads."""
    text = card.split(f"\n## {title}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    heads = [n - 1 for n, row in enumerate(rows) if set(row) == {"---"}]
    return [row for n, row in enumerate(rows) if n not in heads and n - 1 not in heads]


def _cost(stage: str, subject: str, repository: str = "toy") -> Cost:
    return Cost(repository, subject, stage, 1.0, 1.0, "host")


FILES = {
    "tasks/train-00000-of-00002.parquet": Shard(3, ""),
    "tasks/train-00001-of-00002.parquet": Shard(2, ""),
    "tasks/validation-00000-of-00001.parquet": Shard(1, ""),
    "statements/full-train-00000-of-00001.parquet": Shard(5, ""),
    "statements/terse-train-00000-of-00001.parquet": Shard(4, ""),
    "statements/full-validation-00000-of-00001.parquet": Shard(1, ""),
    "costs/train-00000-of-00001.parquet": Shard(7, ""),
    "rejections/train-00000-of-00001.parquet": Shard(0, ""),
}


def test_configs_name_every_file_with_rows_and_no_other() -> None:
    configs = _front(_card(task(), shards=FILES))["configs"]
    found = {
        (config["config_name"], part["split"]): [
            file for file in FILES if fnmatchcase(file, part["path"])
        ]
        for config in configs
        for part in config["data_files"]
    }
    files = list(FILES)
    assert found == {
        ("tasks", "train"): files[:2],
        ("tasks", "validation"): files[2:3],
        ("costs", "train"): files[6:7],
        ("statements", "train"): files[3:5],
        ("statements", "validation"): files[5:6],
        ("statements_full", "train"): files[3:4],
        ("statements_full", "validation"): files[5:6],
        ("statements_terse", "train"): files[4:5],
    }
    assert [config["config_name"] for config in configs if config.get("default")] == ["tasks"]


def test_rows_and_files_are_counted_by_config() -> None:
    counts = _section(_card(task(), shards=FILES), "Configs")
    assert ["`tasks`", "train", "5", "2"] in counts
    assert ["`statements`", "train", "9", "2"] in counts
    assert not [row for row in counts if row[0] == "`rejections`"]


@pytest.mark.parametrize(
    ("licences", "fields"),
    [
        (["MIT"], {"license": "mit"}),
        (["MIT", "BSD-3-Clause", "MIT"], {"license": ["bsd-3-clause", "mit"]}),
        (["HPND"], {"license": "other", "license_name": "hpnd"}),
        (
            ["MIT", "Apache-2.0 OR MIT"],
            {"license": "other", "license_name": "spdx-expression-of-each-row"},
        ),
    ],
)
def test_the_licence_is_one_that_the_hub_knows_or_has_a_name(
    licences: list[str], fields: dict[str, object]
) -> None:
    front = _front(_card(*(task(licence=licence) for licence in licences)))
    assert {key: front[key] for key in front if key.startswith("license")} == fields


def test_licences_are_counted() -> None:
    card = _card(task(), task(task_id="b"), task(repository="b"), task(licence="ISC"))
    assert _section(card, "Licences") == [["ISC", "1", "1"], ["MIT", "2", "3"]]


@pytest.mark.parametrize(("rows", "size"), [(1, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K")])
def test_the_size_is_told_in_the_words_of_the_hub(rows: int, size: str) -> None:
    assert _front(_card(*[task()] * rows))["size_categories"] == [size]


def test_the_funnel_counts_what_came_to_each_stage() -> None:
    forged = [("a", 5), ("b", 4), ("c", 3), ("d", 2), ("e", 1)]  # subject, stages it came through
    stages = ("delete", "screen", "validate", "describe", "score")
    costs = [_cost(stage, subject) for subject, n in forged for stage in stages[:n]]
    costs += [_cost("acquire", "toy"), _cost("acquire", "other", "other")]
    costs += [_cost("delete", "a")]  # a second time: another round
    rejections = [Rejection("other", "other", "baseline", "suite hangs", "")]
    assert _section(_card(task(), rejections=rejections, costs=costs), "Funnel") == [
        ["repositories", "2"],
        ["repositories mined", "1"],
        ["candidates", "5"],
        ["deleted, and their tests run without the feature", "4"],
        ["brought before the gates of the deletion", "3"],
        ["passed them", "2"],
        ["passed those of the statement as well", "1"],
        ["accepted as tasks", "1"],
    ]


def test_a_funnel_without_costs_says_what_is_known() -> None:
    assert _section(_card(task()), "Funnel") == [
        ["repositories", "1"],
        ["repositories mined", "1"],
        ["accepted as tasks", "1"],
    ]


def test_difficulty_is_counted_in_the_registers_that_a_task_is_offered_in() -> None:
    rows = [
        task(task_id="a", difficulty=Scores(0.0, 0.7, 0.1)),  # not offered in terse
        task(task_id="b", difficulty=Scores(1.0, 0.69, 0.1), statement_terse="Write it."),
    ]
    found = {row[0]: row[1:] for row in _section(_card(*rows), "Difficulty")}
    assert found["0.0 to 0.1"] == ["1", "0", "0"]
    assert found["0.1 to 0.2"] == ["0", "0", "1"]
    assert found["0.6 to 0.7"] == ["0", "1", "0"]
    assert found["0.7 to 0.8"] == ["0", "1", "0"]
    assert found["0.9 to 1.0"] == ["1", "0", "0"]
    assert found["easy"] == ["2"]


def test_every_column_of_every_table_is_told() -> None:
    card = _card(task())
    for name, kind in tables.TABLES.items():
        columns = [row[0].strip("`") for row in _section(card, f"Columns of `{name}`")]
        assert columns == [field.name for field in dataclasses.fields(kind)]
    assert ["`gold_patch`", "binary", "", "grader"] in _section(card, "Columns of `tasks`")
    shown = _section(card, "Columns of `statements`")
    assert {row[-1] for row in shown} == {"solver"}


def test_a_card_of_many_repositories_stays_a_page() -> None:
    card = _card(*(task(repository=f"r{n:04}") for n in range(1000)))
    assert len(_section(card, "Repositories")) == 200
    assert "And 800 more" in card
