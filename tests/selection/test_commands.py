"""featuredel calibrate and featuredel select, as they are typed."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from click import BadParameter
from click.testing import CliRunner
from selection.datasets import LARGE, OTHER, SMALL, solved, write_outcomes, write_tasks

from featuredel import cli, tables
from featuredel.errors import UsageError
from featuredel.selection.choose import Pick

ROWS = (solved(SMALL, 90, 90), solved(LARGE, 90, 40), {"task_id": OTHER, "error": "no sandbox"})


@pytest.fixture
def dataset(tmp_path: Path) -> str:
    return write_tasks(tmp_path)


@pytest.fixture
def outcomes(tmp_path: Path) -> str:
    return str(write_outcomes(tmp_path, *ROWS))


def run(*words: str) -> str:
    result = CliRunner().invoke(cli.cli, words, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    assert result.exit_code == 0
    return result.output


def test_calibrate_tells_what_it_did(dataset: str, outcomes: str) -> None:
    told = json.loads(run("calibrate", dataset, "--outcomes", outcomes, "--json"))
    assert (told["attempts"], told["tried"], told["tasks"], told["errors"]) == (180, 2, 4, 1)
    text = run("calibrate", dataset, "--outcomes", outcomes, "--half-life", "100")
    assert "180 outcomes of 2 of 4 tasks; 1 errors, 0 of other tasks" in text
    assert "gold_lines -" in text


def test_select_prints_a_batch_and_what_is_too_easy(dataset: str, outcomes: str) -> None:
    run("calibrate", dataset, "--outcomes", outcomes)
    words = ["select", dataset, "--target", "0.2..0.8", "--register", "full", "--seed", "1"]
    text = run(*words, "--n", "3", "--explore", "0")
    assert text.count(" in band ") + text.count(" nearest ") == 3
    assert f"too easy: {SMALL} full" in text
    assert f"{LARGE} full 0.45 (more deleted)" in text
    assert run(*words, "--n", "3") == run(*words, "--n", "3")


def test_a_batch_goes_to_a_file(dataset: str, outcomes: str, tmp_path: Path) -> None:
    words = ["select", dataset, "--target", "0.2..0.8", "--n", "2", "--seed", "1", "--json",
             "--outcomes", outcomes]  # fmt: skip
    told = json.loads(run(*words, "--out", str(tmp_path / "batch.jsonl")))
    lines = (tmp_path / "batch.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == told["picks"]
    run(*words, "--out", str(tmp_path / "batch.parquet"))
    assert list(tables.read_mappings(str(tmp_path / "batch.parquet"))) == told["picks"]
    assert set(told["picks"][0]) == set(Pick.__dataclass_fields__)
    assert told["seed"] == 1


def test_a_seed_that_was_drawn_is_told(dataset: str) -> None:
    words = ["select", dataset, "--target", "0.2..0.8", "--n", "2", "--json"]
    told = json.loads(CliRunner().invoke(cli.cli, words).stdout)
    again = json.loads(CliRunner().invoke(cli.cli, [*words, "--seed", str(told["seed"])]).stdout)
    assert again == told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--target", "0.8..0.2"], "give two rates from 0 to 1"),
        (["--target", "0.2"], "give two rates from 0 to 1"),
        (["--target", "0.2..1.8"], "give two rates from 0 to 1"),
        (["--target", "nan..0.8"], "give two rates from 0 to 1"),
        (["--target", "0.2..0.8", "--out", "batch.csv"], "ends in .jsonl or .parquet"),
        (["--target", "0.2..0.8", "--outcomes", "nowhere"], "nowhere: No such file"),
    ],
)
def test_what_cannot_be_selected(dataset: str, words: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        run("select", dataset, "--n", "2", *words)


def test_numbers_are_finite(dataset: str, outcomes: str) -> None:
    target = ["--target", "0.2..0.8", "--outcomes", outcomes]
    for words in (
        ["select", dataset, *target, "--n", "2", "--explore", "nan"],
        ["select", dataset, *target, "--n", str(10**400)],
        ["calibrate", dataset, "--outcomes", outcomes, "--half-life", "nan"],
        ["calibrate", dataset, "--outcomes", outcomes, "--half-life", "inf"],
    ):
        with pytest.raises(BadParameter, match=r"is no finite number|is not in the range"):
            run(*words)


def test_where_a_batch_goes_is_looked_at_before(dataset: str, tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    for out, told in (("folder.jsonl", "is a folder"), ("folder.jsonl/x", "ends in")):
        with pytest.raises(UsageError, match=told):
            run("select", dataset, "--n=2", "--target=0.2..0.8", "--out", str(tmp_path / out))


def test_options_that_mean_nothing_without_outcomes(dataset: str) -> None:
    for words in (["--model", "m"], ["--half-life", "5"]):
        with pytest.raises(Exception, match="give --outcomes"):
            run("select", dataset, "--n", "2", "--target", "0.2..0.8", *words)
    with pytest.raises(Exception, match="give the files of --outcomes"):
        run("calibrate", dataset)


def test_without_the_extra_it_is_named(dataset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec

    def find(name: str, *more: Any) -> Any:
        return None if name == "scipy" else found(name, *more)

    monkeypatch.setattr(importlib.util, "find_spec", find)
    for words in (["calibrate", dataset, "--outcomes", "x"],
                  ["select", dataset, "--target", "0.2..0.8", "--n", "1"]):  # fmt: skip
        with pytest.raises(UsageError, match=r"pip install 'featuredel\[calibrate\]'"):
            run(*words)
