"""Predictions in every form that SWE-bench takes, and what is said of those that are none."""

import json
from pathlib import Path
from typing import Any

import pytest

from featuredel.errors import UsageError
from featuredel.tasks.predictions import Prediction, read_predictions

ONE = {"instance_id": "a", "model_name_or_path": "m", "model_patch": "x\u2028\n"}
TWO = {"instance_id": "b", "model_name_or_path": "m", "model_patch": None, "logprob": [1]}
BOTH = (Prediction("a", "m", "x\u2028\n"), Prediction("b", "m", ""))


def read(tmp_path: Path, text: str) -> tuple[Prediction, ...]:
    (tmp_path / "p").write_text(text, "utf-8")
    return read_predictions(tmp_path / "p", {"a", "b"})


def lines(*entries: Any) -> str:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


@pytest.mark.parametrize(
    "text",
    [
        lines(ONE, TWO),
        lines(ONE, TWO).rstrip("\n"),
        "\n" + lines(ONE, TWO).replace("\n", "\r\n"),
        json.dumps([ONE, TWO], indent=1),
        json.dumps({"a": ONE, "b": TWO}),
    ],
)
def test_every_form(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == BOTH


@pytest.mark.parametrize("indent", [None, 1])
def test_a_single_one(tmp_path: Path, indent: int | None) -> None:
    assert read(tmp_path, json.dumps(ONE, indent=indent)) == BOTH[:1]


def test_a_model_may_have_no_name(tmp_path: Path) -> None:
    assert read(tmp_path, '{"instance_id": "a", "model_patch": ""}') == (Prediction("a", "", ""),)


def test_half_a_character_is_kept(tmp_path: Path) -> None:
    (found,) = read(tmp_path, r'{"instance_id": "a", "model_patch": "\ud83d"}')
    assert found.patch_bytes == b"\xed\xa0\xbd"
    assert len(found.patch_sha256) == 64


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (lines(ONE, {**TWO, "instance_id": "c"}), r"p: line 2: no task 'c' in the dataset"),
        (lines(TWO, ONE, TWO), r"p: line 1 and line 3 are both of task 'b' and model 'm'"),
        (json.dumps([ONE, ONE]), r"entry 1 and entry 2 are both of"),
        (json.dumps({"x": {**ONE, "instance_id": "x"}}), r"entry 'x': no task 'x'"),
        (lines(ONE) + "{", r"p: line 2: is no JSON"),
        (lines(ONE, 3), r"line 2: is no prediction"),
        (lines({"instance_id": "a"}), r"line 1: has no model_patch"),
        ('{"model_patch": ""}', r"entry 'model_patch': is no prediction"),
        (lines({**ONE, "instance_id": 1}), r"line 1: instance_id is 1, and should be text"),
        (lines({**ONE, "model_patch": ["x"]}), r"line 1: model_patch is \['x'\]"),
        (lines({**ONE, "model_name_or_path": 7}), r"line 1: model_name_or_path is 7"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read(tmp_path, text)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_predictions(tmp_path / "gone", ())
    (tmp_path / "p").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="is not UTF-8"):
        read_predictions(tmp_path / "p", ())
