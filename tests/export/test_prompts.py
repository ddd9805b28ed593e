"""The file of prompts: what its rows hold, what they do not, and which tasks are left out."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from candidates import HIDDEN
from click.testing import CliRunner
from toy_dataset import MUL, NEG, write_two_tasks

from featuredel import cli, tables
from featuredel.errors import UsageError
from featuredel.export.context import Context
from featuredel.export.prompts import prompt_text, write_prompts
from featuredel.model import Task


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_two_tasks(tmp_path_factory.mktemp("toys"))


def rows(file: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(file).to_pylist()
    return found


def test_a_row_has_what_trainers_look_for(dataset: str, tmp_path: Path) -> None:
    file = tmp_path / "prompts.parquet"
    done = write_prompts(dataset, str(file), "full", 1000)
    assert (done.prompts, done.not_offered, done.too_large) == (2, (), ())
    mul, neg = rows(file)
    ((message),) = mul.pop("prompt")
    assert message["role"] == "user" and message["content"].startswith("Write add.\n")
    assert mul.pop("extra_info").items() >= {
        "split": "train", "index": 0, "task_id": MUL, "register": "full", "dataset": dataset,
        "repository": "calc", "tier": "easy",
    }.items()  # fmt: skip
    assert mul == {
        "data_source": "featuredel/calc",
        "ability": "code",
        "reward_model": {"style": "rule", "ground_truth": MUL},
        "agent_name": "single_turn_agent",
    }
    assert neg["extra_info"]["index"] == 1 and neg["reward_model"]["ground_truth"] == NEG


def test_nothing_of_the_answer_and_the_hidden_tests_is_in_a_row(tmp_path: Path) -> None:
    dataset = write_two_tasks(tmp_path)
    named = [
        replace(task, statement_full="Write what is missing from calc/more.py.")
        for task in tables.read_tasks(dataset)
    ]
    tables.write_shards(dataset, "tasks", "train", named, Task)
    write_prompts(dataset, str(tmp_path / "a.parquet"), "full", 100_000)
    for task, row in zip(named, rows(tmp_path / "a.parquet"), strict=True):
        text = row["prompt"][0]["content"]
        assert "`calc/more.py`:" in text and "`calc/core.py`:" in text
        added = re.findall(r"^\+(?!\+\+)(.+)$", task.gold_patch.decode(), re.MULTILINE)
        assert added and not [line for line in added if f"{line}\n" in text]
        assert not [test for test in task.f2p if test.rpartition("::")[2] in str(row)]


def test_in_terse_the_tests_are_shown_as_the_contract(dataset: str, tmp_path: Path) -> None:
    file = tmp_path / "prompts.parquet"
    done = write_prompts(dataset, str(file), "terse", 100_000)
    assert (done.prompts, done.not_offered) == (1, (NEG,))
    (row,) = rows(file)
    assert HIDDEN.decode() in row["prompt"][0]["content"]
    assert "def mul(a, b)" not in row["prompt"][0]["content"]


def test_a_task_that_needs_more_than_may_be_shown_is_left_out(dataset: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"{len(HIDDEN)} characters would do"):
        write_prompts(dataset, str(tmp_path / "a.parquet"), "terse", len(HIDDEN) - 1)
    assert write_prompts(dataset, str(tmp_path / "b.parquet"), "terse", len(HIDDEN)).prompts == 1


def test_only_one_split(dataset: str, tmp_path: Path) -> None:
    file = tmp_path / "prompts.parquet"
    assert write_prompts(dataset, str(file), "full", 0, "test").prompts == 1
    assert rows(file)[0]["extra_info"]["split"] == "test"
    with pytest.raises(UsageError, match="no task of the split 'other'"):
        write_prompts(dataset, str(file), "full", 0, "other")


def test_for_a_shell_nothing_of_the_tree_is_shown(dataset: str, tmp_path: Path) -> None:
    file = tmp_path / "prompts.parquet"
    done = write_prompts(dataset, str(file), "terse", 0, shell=True)
    assert (done.prompts, done.too_large) == (1, ())
    (row,) = rows(file)
    assert row["agent_name"] == "tool_agent"
    assert row["prompt"][0]["content"].startswith("Write mul.\n\n## How to answer\n")
    assert "```" not in row["prompt"][0]["content"]


def test_the_dataset_is_named_as_others_find_it(
    dataset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(dataset).parent)
    write_prompts("data", str(tmp_path / "a.parquet"), "full", 0)
    assert rows(tmp_path / "a.parquet")[0]["extra_info"]["dataset"] == dataset
    write_prompts(f"file://{dataset}", str(tmp_path / "a.parquet"), "full", 0)
    assert rows(tmp_path / "a.parquet")[0]["extra_info"]["dataset"] == f"file://{dataset}"


def test_the_same_dataset_gives_the_same_file(dataset: str, tmp_path: Path) -> None:
    for name in ("a.parquet", "b.parquet"):
        write_prompts(dataset, str(tmp_path / name), "full", 1000)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_no_content_ends_the_block_that_it_stands_in() -> None:
    text = prompt_text("Write it.", Context(("a.md",), 2, {"a.md": "```\n`````\nx"}, 0))
    assert "\n``````\n```\n`````\nx\n``````\n" in text
    assert "a.md\nand 2 more\n```" in text


def test_as_a_command(dataset: str, tmp_path: Path) -> None:
    def run(*words: str) -> tuple[str, str]:
        done = CliRunner().invoke(
            cli.cli, ["export", "prompts", *words], standalone_mode=False, catch_exceptions=False
        )
        return done.stdout, done.stderr

    file = str(tmp_path / "prompts.parquet")
    assert run(dataset, file) == (f"{file}: 2 prompts\n", "")
    out, err = run(dataset, file, "--register", "terse")
    assert (out, err) == (f"{file}: 1 prompts\n", "left out: 1 tasks not offered in terse\n")
    with pytest.raises(UsageError, match=r"ends in \.parquet"):
        run(dataset, str(tmp_path / "prompts"))
