"""The words: what a model is told, what its answers ask for, and both as an ATIF trajectory."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from featuredel import __version__
from featuredel.monitor.readers.tools import text_of
from featuredel.sandbox import WORKSPACE
from featuredel.solve.chat import Answer, Message

SCHEMA = "ATIF-v1.6"
TASK = """You work on a repository in a sandbox without a network. The repository lies in {root}, \
its tests run with `python -m pytest`, and this is what to do there:

{statement}

You have {turns} turns. In each, call the tool `bash` with a command; when you are done, call \
`submit`. If you cannot call tools, write the command into one block instead:

```bash
the command
```

and `submit` as the only word of the block when you are done. Each command is run by a bash of its \
own in {root}, has {seconds:g} seconds, and cannot ask you anything. What it changes there is kept \
for the next one. What you submit is judged by tests."""
NOTHING = "That holds no command. Call the tool `bash`, or write one ```bash block; or `submit`."
BLOCK = re.compile(
    r"^```(?:bash|sh|shell)[^\S\n]*+\n(.*?)(^```[^\S\n]*+$|\Z)", re.DOTALL | re.MULTILINE
)
"""A block and its end, which is empty where there is none: nothing after it can be a block then."""

TOOLS: Sequence[Mapping[str, Any]] = [
    {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": {
            "type": "object", "properties": {key: {"type": "string"} for key in given},
            "required": list(given),
        }},
    }
    for name, description, given in (
        ("bash", f"Run a command in {WORKSPACE} and see what it says.", ("command",)),
        ("submit", "Say that the work is done.", ()),
    )
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """What an answer asks for: a call of a tool, or a block that stands for one."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    block: bool = False

    @property
    def command(self) -> str | None:
        """The command, if that is what it is."""
        command = self.arguments.get("command")
        return command if self.name == "bash" and isinstance(command, str) else None

    def sent(self) -> Mapping[str, Any]:
        """Return it as the model may read it again; servers refuse arguments that are no JSON."""
        function = {"name": self.name, "arguments": json.dumps(self.arguments)}
        return {"id": self.id, "type": "function", "function": function}

    def recorded(self) -> Mapping[str, Any]:
        """Return it as ATIF has it."""
        return {
            "tool_call_id": self.id, "function_name": self.name, "arguments": self.arguments,
        }  # fmt: skip


def calls_of(message: Message) -> list[Call]:
    """Return what a message asks for, in turn."""
    if tools := message.get("tool_calls"):
        return [_called(number, tool) for number, tool in enumerate(tools)]
    answered = text_of(message.get("content")).rpartition("</think>")[2]
    commands = enumerate(body for body, end in BLOCK.findall(answered) if end)
    return [
        Call(f"block-{number}", "submit", {}, block=True)
        if command.strip() == "submit"
        else Call(f"block-{number}", "bash", {"command": command}, block=True)
        for number, command in commands
    ]


def _called(number: int, tool: Mapping[str, Any]) -> Call:
    name, told = tool["function"]["name"], tool["function"].get("arguments") or "{}"
    try:  # some servers send what they have read already
        given = {**(told if isinstance(told, Mapping) else json.loads(told))}
    except (ValueError, TypeError, RecursionError):
        given = {"unreadable": told}
    plain = {key: value for key, value in given.items() if _is_plain(value)}
    return Call(str(tool.get("id") or f"call-{number}"), name, plain)


def _is_plain(value: Any) -> bool:
    """Tell text and numbers that JSON has: it has no NaN, no Infinity."""
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


@dataclass(slots=True)
class Talk:
    """A chat with a model: what is sent to the server, and what is recorded."""

    messages: list[Message]
    steps: list[Mapping[str, Any]]
    turns: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @classmethod
    def begin(cls, statement: str, turns: int, seconds: float) -> "Talk":
        """Return a chat in which the model has been told its task."""
        told = TASK.format(root=WORKSPACE, statement=statement, turns=turns, seconds=seconds)
        return cls([{"role": "user", "content": told}], [_step(1, "user", told)])

    def add(self, answer: Answer, calls: Sequence[Call], results: Sequence[str]) -> None:
        """Add an answer, and what came of its calls, as far as they were made."""
        told = text_of(answer.message.get("content"))
        if calls and not calls[0].block:
            sent = {"content": told or None, "tool_calls": [call.sent() for call in calls]}
            replies = [
                {"role": "tool", "tool_call_id": call.id, "content": result}
                for call, result in zip(calls, results, strict=False)
            ]
        else:
            sent = {"content": told or "(nothing)"}
            replies = [{"role": "user", "content": "\n\n".join(results)}]
        self.messages += [{"role": "assistant", **sent}, *replies]
        self.steps.append(self._step_of(answer, told, calls, results))
        self.turns += 1
        self.prompt_tokens += answer.prompt_tokens
        self.completion_tokens += answer.completion_tokens

    def _step_of(
        self, answer: Answer, told: str, calls: Sequence[Call], results: Sequence[str]
    ) -> Mapping[str, Any]:
        ids = [{"source_call_id": call.id} for call in calls] or [{}]
        reasoning = answer.message.get("reasoning_content") or answer.message.get("reasoning")
        tokens = (answer.prompt_tokens, answer.completion_tokens)
        return {
            **_step(len(self.steps) + 1, "agent", told),
            **({"reasoning_content": text_of(reasoning)} if reasoning else {}),
            **({"tool_calls": [call.recorded() for call in calls]} if calls else {}),
            "observation": {
                "results": [
                    {**of, "content": result} for of, result in zip(ids, results, strict=False)
                ]
            },
            "metrics": dict(zip(("prompt_tokens", "completion_tokens"), tokens, strict=True)),
        }

    def trajectory(self, session: str, model: str, extra: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the chat as ATIF."""
        return {
            "schema_version": SCHEMA,
            "session_id": session,
            "agent": {"name": "featuredel", "version": __version__, "model_name": model},
            "steps": self.steps,
            "final_metrics": {
                "total_prompt_tokens": self.prompt_tokens,
                "total_completion_tokens": self.completion_tokens,
                "total_steps": len(self.steps),
            },
            "extra": {"cwd": WORKSPACE, **extra},
        }


def _step(number: int, source: str, message: str) -> dict[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {"step_id": number, "timestamp": now, "source": source, "message": message}
