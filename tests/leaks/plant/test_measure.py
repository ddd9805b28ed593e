"""What the measurement says of vectors that are found, missed, not made, and broken."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from featuredel.leaks.plant import Making, Unmade, Vector, measure
from featuredel.leaks.plant.answer import Answer
from featuredel.leaks.plant.environment import furnish
from featuredel.leaks.plant.measure import Recall
from featuredel.leaks.plant.workshop import Workshop
from featuredel.leaks.provenance import Provenance, explain

Planting = Callable[..., list[Recall]]


def making(make: Callable[[Workshop, Path], None], *vectors: Vector, needs: str = "") -> Making:
    return Making("made up", "tests", make, vectors, (needs,) if needs else ())


def write_text(shop: Workshop, out: Path) -> None:
    (out / "kept.py").write_text(shop.answer.text)


def test_what_is_read_is_found(answer: Answer, plant: Planting) -> None:
    [recall] = plant(answer, making(write_text, Vector("text", ("kept.py",))))
    assert (recall.content, recall.path, recall.provenance) == (True, None, True)
    assert recall.view == "raw"
    assert "kept.py" not in recall.evidence, "it was found under a neutral name"
    assert not recall.missed


def test_what_cannot_be_read_is_missed(answer: Answer, plant: Planting) -> None:
    def garble(shop: Workshop, out: Path) -> None:
        (out / "kept").write_bytes(bytes(255 - byte for byte in shop.answer.text.encode()))

    [recall] = plant(answer, making(garble, Vector("garbled", ("kept",))))
    assert recall.content is False
    assert recall.missed


def test_a_name_without_a_rule_is_missed(answer: Answer, plant: Planting) -> None:
    [recall] = plant(answer, making(write_text, Vector("text", ("kept.py",), ruled=True)))
    assert (recall.content, recall.path) == (True, False)
    assert recall.missed


def test_a_name_with_a_rule_is_found_without_content(answer: Answer, plant: Planting) -> None:
    def leave(_shop: Workshop, out: Path) -> None:
        (out / ".mypy_cache").mkdir()
        (out / ".mypy_cache" / "empty").touch()

    vector = Vector("cache", (".mypy_cache/*",), content=False, ruled=True)
    [recall] = plant(answer, making(leave, vector))
    assert (recall.content, recall.path, recall.provenance) == (None, True, True)


def test_a_tool_that_fails_is_broken(answer: Answer, plant: Planting) -> None:
    def fail(_shop: Workshop, _out: Path) -> None:
        raise Unmade("it fell over")

    recalls = plant(answer, making(fail, Vector("one"), Vector("two")))
    assert [(r.vector, r.unmade, r.broken) for r in recalls] == [
        ("one", "it fell over", True),
        ("two", "it fell over", True),
    ]


def test_a_tool_that_leaves_nothing_is_broken(answer: Answer, plant: Planting) -> None:
    recalls = plant(answer, making(write_text, Vector("other", ("*.pyc",)), Vector("text")))
    assert [(r.broken, bool(r.content)) for r in recalls] == [(True, False), (False, True)]


def test_a_tool_that_is_not_there_is_said_so(answer: Answer, plant: Planting) -> None:
    lacking = making(write_text, Vector("text"), needs="program no-such-program")
    [recall] = plant(answer, lacking)
    assert (recall.unmade, recall.broken) == ("no-such-program is not installed", False)


def test_a_format_that_can_hold_nothing_of_the_answer(answer: Answer, plant: Planting) -> None:
    vector = Vector("numbers", carries=lambda _answer: False)
    [recall] = plant(answer, making(write_text, vector))
    assert "nothing that this format keeps" in recall.unmade
    assert not recall.broken


def test_what_must_be_closed_is_not_content(answer: Answer, plant: Planting) -> None:
    [recall] = plant(answer, making(write_text, Vector("text", closed=True)))
    assert recall.content is False, "the needle is found, but nobody says it cannot be read"


def test_all_else_in_the_environment_is_explained(tmp_path: Path) -> None:
    found = explain(furnish(tmp_path / "prefix"))
    assert (found.findings, found.files) == ((), {"build": 1, "wheel": 2})


def test_what_is_explained_is_missed(
    answer: Answer, plant: Planting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "explain", lambda _environment: Provenance({}, ()))
    [recall] = plant(answer, making(write_text, Vector("text")))
    assert (recall.content, recall.provenance) == (True, False)
    assert recall.missed


def test_nothing_is_left_in_the_work_directory(
    answer: Answer, plant: Planting, tmp_path: Path
) -> None:
    plant(replace(answer, name="other"), making(write_text, Vector("text")))
    assert list(tmp_path.iterdir()) == []
