"""The report says the same of the same, and shows no needle."""

import hashlib
import json
from dataclasses import replace

from featuredel.leaks.finding import Finding
from featuredel.leaks.needles import Needle, Needles
from featuredel.leaks.report import Report, digest_of

NEEDLES = (Needle("identifier", "boojum_key"), Needle("string", "a snark"))
REPORT = Report(
    needles=Needles(NEEDLES), candidates=5, in_base=1, in_tree=2,
    environment={"id": "e", "interpreter": "3.13.0"}, files=7, explained={"wheel": 3}, findings=(),
)  # fmt: skip


def test_it_counts_and_hides() -> None:
    said = json.loads(REPORT.text)
    assert said["needles"]["by_kind"] == {"identifier": 1, "string": 1}
    assert said["needles"]["secret"] == 2
    assert said["findings"] == []
    assert "boojum" not in REPORT.text
    assert "snark" not in REPORT.text


def test_the_digest_is_of_the_text() -> None:
    assert REPORT.sha256 == hashlib.sha256(REPORT.text.encode()).hexdigest()
    assert replace(REPORT, files=8).sha256 != REPORT.sha256


def test_order_changes_nothing() -> None:
    assert digest_of(NEEDLES) == digest_of(reversed(NEEDLES))
    found = tuple(Finding(where, "raw", "content", "x", "") for where in ("/b", "/a"))
    one, two = replace(REPORT, findings=found), replace(REPORT, findings=found[::-1])
    assert one.text == two.text
