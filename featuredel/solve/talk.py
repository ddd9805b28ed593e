"""The words: what a model is told, what its answers ask for, and both as an ATIF trajectory."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from featuredel import __version__
from featuredel.sandbox import WORKSPACE
from featuredel.solve.chat import COUNTED, Answer, Call, Message

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


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True)
class Turn:
    """An answer, what it asks for, and what came of that, as far as it was done."""

    answer: Answer
    calls: Sequence[Call]  # of tools, or blocks that stand for them
    results: list[str] = field(default_factory=list)
    at: str = field(default_factory=_now)

    def messages(self) -> list[Message]:
        """Return what the model may read of it; servers refuse arguments that are no JSON."""
        said = self.answer.text or (None if self.answer.calls else "(nothing)")
        told: dict[str, Any] = {"role": "assistant", "content": said}
        if not self.answer.calls:
            return [told, {"role": "user", "content": "\n\n".join(self.results)}]
        told["tool_calls"] = [
            {"id": call.id, "type": "function",
             "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
            for call in self.calls
        ]  # fmt: skip
        replies = [
            {"role": "tool", "tool_call_id": call.id, "content": result}
            for call, result in zip(self.calls, self.results, strict=False)
        ]
        return [told, *replies]

    def step(self) -> dict[str, Any]:
        """Return it as a step of ATIF."""
        reasoning = self.answer.reasoning
        calls = [
            {"tool_call_id": call.id, "function_name": call.name, "arguments": call.arguments}
            for call in self.calls
        ]
        asked = [{"source_call_id": call.id} for call in self.calls] or [{}]
        results = [
            {**of, "content": result} for of, result in zip(asked, self.results, strict=False)
        ]
        return {
            "timestamp": self.at,
            "source": "agent",
            "message": self.answer.text,
            **({"reasoning_content": reasoning} if reasoning else {}),
            **({"tool_calls": calls} if calls else {}),
            "observation": {"results": results},
            "metrics": self.answer.tokens,
        }


@dataclass(frozen=True, slots=True)
class Talk:
    """A chat with a model: what it was told, and its turns."""

    task: str
    turns: list[Turn] = field(default_factory=list)
    began: str = field(default_factory=_now)

    @classmethod
    def begin(cls, statement: str, turns: int, seconds: float) -> "Talk":
        """Return a chat in which the model has been told its task."""
        return cls(TASK.format(root=WORKSPACE, statement=statement, turns=turns, seconds=seconds))

    def messages(self) -> list[Message]:
        """Return what is sent to the server."""
        answered = (message for turn in self.turns for message in turn.messages())
        return [{"role": "user", "content": self.task}, *answered]

    def take(self, answer: Answer) -> Turn:
        """Add an answer; return its turn, in which nothing has been done yet."""
        turn = Turn(answer, answer.calls or blocks_of(answer.text))
        self.turns.append(turn)
        return turn

    def tokens(self) -> dict[str, Any]:
        """Return the tokens of all turns, by COUNTED."""
        return {name: sum(turn.answer.tokens[name] for turn in self.turns) for name in COUNTED}

    def trajectory(self, session: str, model: str, extra: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the chat as ATIF."""
        first = {"timestamp": self.began, "source": "user", "message": self.task}
        steps = [first, *(turn.step() for turn in self.turns)]
        totals = {f"total_{name}": count for name, count in self.tokens().items()}
        return {
            "schema_version": SCHEMA,
            "session_id": session,
            "agent": {"name": "featuredel", "version": __version__, "model_name": model},
            "steps": [{"step_id": number, **step} for number, step in enumerate(steps, 1)],
            "final_metrics": {**totals, "total_steps": len(steps)},
            "extra": {"cwd": WORKSPACE, **extra},
        }


def blocks_of(text: str) -> list[Call]:
    """Return what the blocks of an answer ask for, as calls that would."""
    commands = [body for body, end in BLOCK.findall(text.rpartition("</think>")[2]) if end]
    return [
        Call(f"block-{number}", "submit", {})
        if command.strip() == "submit"
        else Call(f"block-{number}", "bash", {"command": command})
        for number, command in enumerate(commands)
    ]
