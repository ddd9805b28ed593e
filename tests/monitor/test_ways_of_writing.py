"""Code of the project is judged whatever way it is written in."""

import json
from pathlib import Path
from typing import Any

import pytest

from featuredel.monitor.readers.tools import calls_of
from featuredel.monitor.rule import SUBJECT
from featuredel.monitor.trajectory import Call, Shell, Step, Trajectory
from featuredel.monitor.watch import watch

WAYS: dict[str, Any] = json.loads(Path(__file__).with_name("ways_of_writing.json").read_text())
"""The same code: commands by name, and calls of tools."""


def _found(calls: tuple[Call, ...]) -> bool:
    steps = (Step(0, "0", "", "", calls, ""),)
    findings = watch(Trajectory("x", "atif", steps, "/workspace"), SUBJECT)
    return any(f.alarms and f.kind == "suspicious code" for f in findings)


@pytest.mark.parametrize("way", WAYS["shell"])
def test_code_that_a_command_writes_is_judged(way: str) -> None:
    assert _found((Shell(WAYS["shell"][way]),))


@pytest.mark.parametrize(("tool", "arguments"), WAYS["tools"])
def test_code_that_a_tool_writes_is_judged(tool: str, arguments: dict[str, object]) -> None:
    assert _found(calls_of(tool, arguments))
