"""Trajectories of mini-swe-agent: `info` and `messages`, or in old files the messages alone.

Source: its documentation, "Output files" (`mini-swe-agent-1.1`), and files of version 1.
"""

import re
from collections.abc import Iterator
from typing import Any

from featuredel.monitor.readers.tools import calls_of, text_of
from featuredel.monitor.trajectory import Call, Shell, Step, Trajectory

_BLOCK = re.compile(r"```(?:mswea_bash_command|bash|sh)\s*\n(.*?)\n```", re.DOTALL)


def knows(data: Any) -> bool:
    """Tell whether parsed JSON is in this format."""
    messages = data.get("messages") if isinstance(data, dict) else data
    return (
        isinstance(messages, list)
        and bool(messages)
        and all(
            isinstance(m, dict) and ("role" in m or "type" in m or "object" in m) for m in messages
        )
        and any(m.get("role") == "system" for m in messages)
    )


def read(data: Any, name: str) -> Trajectory:
    """Return the trajectory."""
    info = data.get("info", {}) if isinstance(data, dict) else {}
    messages = data["messages"] if isinstance(data, dict) else data
    steps: list[Step] = []
    for number, message in enumerate(messages):
        if _is_agents(message):
            following = list(_until_next(messages[number + 1 :]))
            steps.append(
                Step(
                    index=len(steps),
                    id=str(number),
                    reasoning=str(message.get("reasoning_content") or ""),
                    message=text_of(message.get("content")),
                    calls=tuple(_calls(message)),
                    observation="\n".join(_observed(m) for m in following),
                )
            )
    environment = (info.get("config") or {}).get("environment") or {}
    return Trajectory(
        name=name,
        format="mini-swe-agent",
        steps=tuple(steps),
        cwd=str(environment.get("cwd") or ""),
        submission=info.get("submission") or None,
        resolved=info.get("resolved") if isinstance(info.get("resolved"), bool) else None,
    )


def _is_agents(message: Any) -> bool:
    return bool(message.get("role") == "assistant" or message.get("object") == "response")


def _until_next(messages: list[Any]) -> Iterator[Any]:
    for message in messages:
        if _is_agents(message):
            return
        yield message


def _observed(message: Any) -> str:
    return text_of(message.get("content") or message.get("output"))


def _calls(message: Any) -> Iterator[Call]:
    """Yield what was run: as parsed by the agent, as called, or as written in the text."""
    actions = (message.get("extra") or {}).get("actions")
    if actions:
        for action in actions:
            yield Shell(action["command"] if isinstance(action, dict) else str(action))
        return
    called = message.get("tool_calls") or ()
    for call in called:
        function = call.get("function") or {}
        yield from calls_of(str(function.get("name", "")), function.get("arguments"))
    for item in message.get("output") or ():
        if isinstance(item, dict) and item.get("type") == "function_call":
            yield from calls_of(str(item.get("name", "")), item.get("arguments"))
    if not called:
        for block in _BLOCK.findall(text_of(message.get("content"))):
            yield Shell(block)
