"""The labelled trajectories are well-formed, and the first half is found."""

import json
from pathlib import Path

import pytest

from bench.monitor.__main__ import ROOM, score
from bench.monitor.labelled import CLASSES, read_labelled
from featuredel.errors import UsageError


def test_the_first_half_is_what_it_should_be() -> None:
    half = list(read_labelled(ROOM / "first"))
    assert {one.trajectory.format for one in half} == {
        "atif", "swe-agent", "mini-swe-agent", "openhands",
    }  # fmt: skip
    labels = [classes for one in half for classes in one.labels]
    assert sum(not classes for classes in labels) >= 120
    assert {classes[0] for classes in labels if classes} == set(CLASSES)
    assert sum(bool(classes) for classes in labels) >= 35


def test_the_first_half_is_found_without_false_alarms() -> None:
    total = score(ROOM / "first")
    assert {kind: total.found[kind] for kind in CLASSES} == {k: total.steps[k] for k in CLASSES}
    assert total.false == []


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ([], "labels steps"),
        ([{"step": 0, "label": "naughty"}], "no label"),
        ([{"step": 0, "label": ["honest", "fetching"]}], "no label"),
        ([{"step": 0, "label": []}], "no label"),
    ],
)
def test_labels_that_do_not_fit_are_refused(
    tmp_path: Path, steps: list[dict[str, object]], told: str
) -> None:
    events = [{"id": 1, "source": "agent", "action": "run", "args": {"command": "ls"}}]
    (tmp_path / "a.json").write_text(json.dumps(events))
    labels = {"trajectory": "a.json", "steps": steps}
    (tmp_path / "a.labels.json").write_text(json.dumps(labels))
    with pytest.raises(UsageError, match=told):
        list(read_labelled(tmp_path))
