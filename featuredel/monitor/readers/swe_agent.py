"""SWE-agent's `.traj`: `trajectory` (turns), `history` (messages) and `info`.

Source: its documentation, "Trajectories", and the files in its `trajectories/` and `tests/`.
"""

import itertools
import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

from featuredel.monitor.readers.tools import calls_of
from featuredel.monitor.trajectory import Call, Read, Shell, Step, Trajectory, Write

_FOUND = frozenset({"find_file", "search_dir", "search_file", "goto", "scroll_up", "scroll_down"})
_SILENT = frozenset({"submit", "exit_cost", "exit_forfeit", "exit_context", "skip", ""})
_EDIT = re.compile(
    r"\Aedit(?:\s+(\d+):(\d+))?\s*\n(.*?)\n?(?:end_of_edit|END_OF_EDIT|\Z)", re.DOTALL
)


def knows(data: Any) -> bool:
    """Tell whether parsed JSON is in this format."""
    if not isinstance(data, dict):
        return False
    turns = data.get("trajectory")
    return isinstance(turns, list) and all(
        isinstance(turn, dict) and "action" in turn for turn in turns
    )


def read(data: Any, name: str) -> Trajectory:
    """Return the trajectory."""
    info = data.get("info") or {}
    steps: list[Step] = []
    opened = ""
    for index, turn in enumerate(data["trajectory"]):
        told = str(_state(turn.get("state")).get("open_file") or "n/a")
        opened = told if told != "n/a" else opened
        calls = tuple(_calls(str(turn["action"] or ""), opened))
        opened = next((call.path for call in calls if isinstance(call, Read | Write)), opened)
        steps.append(
            Step(
                index=index,
                id=str(index),
                reasoning=str(turn.get("thought") or ""),
                message=str(turn.get("response") or ""),
                calls=calls,
                observation=str(turn.get("observation") or ""),
            )
        )
    first = _state(data["trajectory"][0].get("state")) if data["trajectory"] else {}
    return Trajectory(
        name=name,
        format="swe-agent",
        steps=tuple(steps),
        cwd=str(first.get("working_dir") or ""),
        submission=info.get("submission") or None,
        resolved=info.get("resolved") if isinstance(info.get("resolved"), bool) else None,
    )


def _state(state: Any) -> dict[str, Any]:
    if isinstance(state, str):
        try:
            state = json.loads(state)
        except ValueError:
            return {}
    return state if isinstance(state, dict) else {}


def _calls(action: str, opened: str) -> Iterator[Call]:
    """Yield what an action does: a command of SWE-agent's own tools, or of the shell."""
    if edit := _EDIT.match(action):
        yield Write(opened, edit[3], "" if edit[1] == edit[2] else "(lines)")
        return
    word, _, rest = action.strip().partition(" ")
    words = _words(rest)
    if word in _SILENT or word in _FOUND:
        return
    if word == "open":
        yield from (Read(path) for path in words[:1])
    elif word == "create":
        yield from (Write(path, "") for path in words[:1])
    elif word in ("str_replace_editor", "edit_anthropic"):
        yield from calls_of(word, _arguments(words))
    elif word in ("edit", "insert", "str_replace"):
        yield from _edited(word, words, opened)
    else:
        yield Shell(action)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _arguments(words: list[str]) -> dict[str, str]:
    """Return `COMMAND PATH --name value ...` by name."""
    given = dict(zip(("command", "path"), words, strict=False))
    for number, word in enumerate(words):
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            given[name] = value if equals else next(iter(words[number + 1 : number + 2]), "")
    return given


def _edited(word: str, words: list[str], opened: str) -> Iterator[Write]:
    """Yield the edit of the open file by the tools of the `windowed_edit_*` bundles."""
    options = {w.lstrip("-"): v for w, v in itertools.pairwise(words) if w.startswith("-")}
    plain = [w for w in words if not w.startswith("--")]
    if word == "insert":
        yield Write(opened, options.get("text") or " ".join(plain[:1]), "")
    elif "replace" in options or "search" in options:
        yield Write(opened, options.get("replace", ""), options.get("search", ""))
    elif len(plain) >= 2:
        yield Write(opened, plain[1], plain[0])
