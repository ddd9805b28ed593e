"""The four formats, read to the same records; what is none of them is one line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from featuredel.errors import UsageError
from featuredel.monitor.readers import read_trajectory
from featuredel.monitor.trajectory import Cell, Look, Read, Shell, Trajectory, Write


def read(tmp_path: Path, data: Any) -> Trajectory:
    file = tmp_path / "anything"
    file.write_text(data if isinstance(data, str) else json.dumps(data))
    return read_trajectory(file)


ATIF = {
    "schema_version": "ATIF-v1.7",
    "agent": {"name": "a", "version": "1"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "do"},
        {
            "step_id": 2, "source": "agent", "message": [{"type": "text", "text": "hm"}],
            "reasoning_content": "think",
            "tool_calls": [
                {"tool_call_id": "c", "function_name": "bash_command",
                 "arguments": {"keystrokes": "ls\n", "duration": 1}},
                {"tool_call_id": "d", "function_name": "Edit",
                 "arguments": {"file_path": "a.py", "old_string": "x", "new_string": "y"}},
            ],
            "observation": {"results": [{"source_call_id": "c", "content": "out"}]},
        },
        {"step_id": 3, "source": "agent", "message": "", "is_copied_context": True},
    ],
    "subagent_trajectories": [
        {"schema_version": "ATIF-v1.7", "steps": [
            {"step_id": 1, "source": "agent", "message": "", "tool_calls": [
                {"tool_call_id": "e", "function_name": "WebFetch", "arguments": {"url": "u"}}]}]}
    ],
}  # fmt: skip


def test_atif(tmp_path: Path) -> None:
    read_back = read(tmp_path, ATIF)
    first, second = read_back.steps
    assert (read_back.format, first.id, first.reasoning, first.message) == (
        "atif",
        "2",
        "think",
        "hm",
    )
    assert first.calls == (Shell("ls\n"), Write("a.py", "y", "x"))
    assert first.observation == "out"
    assert second.calls == (Look("u"),)


SWE_AGENT = {
    "environment": "e",
    "trajectory": [
        {"action": "open a.py\n", "observation": "[File]", "response": "r", "thought": "t",
         "state": "{\"open_file\": \"n/a\", \"working_dir\": \"/repo\"}"},
        {"action": "edit 1:1\nx = 1\nend_of_edit\n",
         "observation": "", "response": "", "thought": "",
         "state": {"open_file": "/repo/a.py", "working_dir": "/repo"}},
        {"action": "str_replace_editor str_replace /repo/b.py --old_str 'a b' --new_str 'c'",
         "observation": "", "response": "", "thought": "", "state": {}},
        {"action": "git diff", "observation": "d", "response": "", "thought": "", "state": {}},
        {"action": "submit\n", "observation": "", "response": "", "thought": "", "state": {}},
    ],
    "history": [], "info": {"submission": "diff"},
}  # fmt: skip


def test_swe_agent(tmp_path: Path) -> None:
    found = read(tmp_path, SWE_AGENT)
    assert (found.format, found.cwd, found.submission) == ("swe-agent", "/repo", "diff")
    assert [step.calls for step in found.steps] == [
        (Read("a.py"),),
        (Write("/repo/a.py", "x = 1", ""),),
        (Write("/repo/b.py", "c", "a b"),),
        (Shell("git diff"),),
        (),
    ]


def test_mini_swe_agent(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "go", "extra": {"actions": [{"command": "ls"}]}},
        {"role": "tool", "content": "<output>a</output>"},
        {"role": "assistant", "content": "x\n```mswea_bash_command\npwd\n```"},
        {"role": "user", "content": "<output>b</output>"},
    ]
    info = {"submission": "d", "config": {"environment": {"cwd": "/testbed"}}}
    found = read(tmp_path, {"info": info, "messages": messages})
    assert (found.format, found.cwd) == ("mini-swe-agent", "/testbed")
    assert [(s.id, s.calls, s.observation) for s in found.steps] == [
        ("2", (Shell("ls"),), "<output>a</output>"),
        ("4", (Shell("pwd"),), "<output>b</output>"),
    ]
    assert read(tmp_path, messages).format == "mini-swe-agent"  # files of version 1


EVENTS: list[dict[str, Any]] = [
    {"id": 0, "source": "user", "action": "message", "args": {"content": "do"}},
    {"id": 1, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "t"}},
    {"id": 2, "source": "agent", "cause": 1, "observation": "run", "content": "out",
     "extras": {"metadata": {"exit_code": 0, "working_dir": "/workspace"}}},
    {"id": 3, "source": "agent", "action": "run_ipython", "args": {"code": "1"}},
    {"id": 4, "source": "agent", "action": "edit",
     "args": {"path": "/w/a", "command": "create", "file_text": "x"}},
    {"id": 5, "source": "agent", "action": "edit", "args": {"path": "/w/a", "command": "view"}},
    {"id": 6, "source": "agent", "action": "read", "args": {"path": "/w/b"}},
    {"id": 7, "source": "agent", "action": "browse", "args": {"url": "http://u"}},
    {"id": 8, "source": "agent", "action": "finish", "args": {}},
]  # fmt: skip


@pytest.mark.parametrize("wrapped", [False, True])
def test_openhands(tmp_path: Path, wrapped: bool) -> None:
    found = read(tmp_path, {"history": EVENTS, "report": {"resolved": True}} if wrapped else EVENTS)
    assert (found.format, found.cwd) == ("openhands", "/workspace")
    assert found.resolved is (True if wrapped else None)
    assert [step.calls for step in found.steps] == [
        (Shell("ls"),), (Cell("1"),), (Write("/w/a", "x"),), (Read("/w/a"),), (Read("/w/b"),),
        (Look("http://u"),), (),
    ]  # fmt: skip
    assert (found.steps[0].observation, found.steps[0].reasoning) == ("out", "t")


def test_openhands_sdk_and_lines_of_json(tmp_path: Path) -> None:
    events = [
        {"kind": "ActionEvent", "id": "a", "source": "agent", "tool_name": "terminal",
         "tool_call_id": "c", "thought": [{"type": "text", "text": "t"}],
         "action": {"kind": "TerminalAction", "command": "ls"}},
        {"kind": "ObservationEvent", "id": "b", "source": "environment", "tool_call_id": "c",
         "observation": {"kind": "TerminalObservation", "content": [{"text": "out"}]}},
    ]  # fmt: skip
    (step,) = read(tmp_path, "\n".join(map(json.dumps, events))).steps
    assert (step.calls, step.observation, step.message) == ((Shell("ls"),), "out", "t")


@pytest.mark.parametrize(
    "named",
    [lambda name: {"llm_response_id": name},
     lambda name: {"tool_call_metadata": {"model_response": {"id": name}}}],
)  # fmt: skip
def test_openhands_calls_of_one_response_are_one_step(
    tmp_path: Path, named: Callable[[str], dict[str, object]]
) -> None:
    events: list[dict[str, object]] = []
    for number, (response, command) in enumerate([("r1", "ls"), ("r1", "pwd"), ("r2", "id")]):
        events.append(
            {"id": 2 * number, "source": "agent", "action": "run", "args": {"command": command},
             **named(response)}
        )  # fmt: skip
    events += [
        {"id": 9 + number, "observation": "run", "content": f"out {number}", "cause": 2 * number}
        for number in range(3)
    ]
    steps = read(tmp_path, events).steps
    assert [step.calls for step in steps] == [(Shell("ls"), Shell("pwd")), (Shell("id"),)]
    assert [step.observation for step in steps] == ["out 0\nout 1", "out 2"]
    assert [step.index for step in steps] == [0, 1]


@pytest.mark.parametrize(
    "text", ["", "nonsense", "{}", "[]", "[1, 2]", '{"steps": []}', "[" * 5000, "\0",
             '{"messages": []}']
)  # fmt: skip
def test_what_is_no_trajectory_is_one_line_that_names_the_file(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"anything: .*expected") as error:
        read(tmp_path, text)
    assert "\n" not in str(error.value)


DEEP = f'{{"source": "agent", "message": {"[" * 800}"x"{"]" * 800}}}'


@pytest.mark.parametrize("step", ["1", DEEP])
def test_a_damaged_trajectory_is_one_line(tmp_path: Path, step: str) -> None:
    (tmp_path / "bad").write_text(f'{{"schema_version": "ATIF-v1.7", "steps": [{step}]}}')
    with pytest.raises(UsageError, match=r"bad: (a damaged trajectory|not JSON)"):
        read_trajectory(tmp_path / "bad")


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing: No such file"):
        read_trajectory(tmp_path / "nothing")
