"""A model and a shell talk: whatever the model answers, and however it ends."""

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from solve_scene import SolveScene
from toy_dataset import MUL

from bench.solvers import (
    SUBMIT,
    Reply,
    Responder,
    bash,
    calling,
    completion,
    playing,
    served,
    turn_of,
)
from featuredel.errors import InfrastructureError
from featuredel.model import Ended
from featuredel.solve.attempt import Bounds, converse
from featuredel.solve.chat import Chat, Server
from featuredel.solve.talk import NOTHING, Talk

pytestmark = pytest.mark.sandbox


NEWLINES = "\n" * 100_000


class Meeting:
    """A toy's tree with a shell, and a model that is met there."""

    def __init__(self, scene: SolveScene, tree: Path) -> None:
        self.tree = tree
        self._task = scene.task(MUL)
        self._task.materialize(tree)
        self.talk = Talk.begin("Write mul.", 20, 60.0)
        self.requests: list[Mapping[str, Any]] = []

    def hold(
        self, respond: Responder, bounds: Bounds | None = None, *, tools: bool = True
    ) -> Ended:
        bounds = bounds or Bounds(turns=20)
        with served(respond) as server:
            self.requests = server.requests
            chat = Chat(Server(server.endpoint, "m", tools=tools, retries=2))
            shell = self._task.shell(
                self.tree, timeout_s=bounds.command_s, output_bytes=bounds.output_bytes
            )
            return converse(chat, shell, self.talk, bounds)

    def replies(self) -> list[str]:
        """Return what the model was told after its answers."""
        told = self.talk.messages()[1:]
        return [message["content"] for message in told if message["role"] != "assistant"]


@pytest.fixture
def meeting(scene: SolveScene, tmp_path: Path) -> Meeting:
    return Meeting(scene, tmp_path / "tree")


def saying(*texts: str) -> Responder:
    """Return a model that knows no tools."""
    return lambda request: completion({"content": texts[turn_of(request)]})


def in_turn(*replies: Reply) -> Responder:
    """Return a server that gives one reply after the other, whatever it is asked."""
    left = itertools.chain(replies, itertools.repeat(calling(SUBMIT)))
    return lambda request: next(left)


def test_a_model_without_tools_writes_blocks(meeting: Meeting) -> None:
    texts = (
        "First I look:\n\n```bash\nls calc\n```\n",
        "<think>\n```bash\ntouch thought\n```</think>\n```sh \r\ncat >new <<'E'\n```python\nE\n```",
        "```bash\nsubmit\n```",
    )
    assert meeting.hold(saying(*texts), tools=False) == "submitted"
    assert "tools" not in meeting.requests[0]
    assert "__init__.py" in meeting.replies()[0] and "[exit code 0]" in meeting.replies()[1]
    assert (meeting.tree / "new").read_text() == "```python\n"
    assert not (meeting.tree / "thought").exists()
    roles = [message["role"] for message in meeting.requests[-1]["messages"]]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    steps = meeting.talk.trajectory("session", "m", {})["steps"]
    assert steps[1]["tool_calls"][0]["arguments"] == {"command": "ls calc\n"}
    assert steps[3]["tool_calls"][0]["function_name"] == "submit"


@pytest.mark.parametrize(
    ("status", "said"),
    [(400, "m does not support tools"), (400, '"auto" tool choice requires --enable-x to be set')],
)
def test_a_server_that_refuses_tools_is_asked_without(
    meeting: Meeting, status: int, said: str
) -> None:
    def respond(request: Mapping[str, Any]) -> Reply:
        if "tools" in request:
            return status, {"error": {"message": said}}
        return completion({"content": "```bash\nsubmit\n```"})

    assert meeting.hold(respond) == "submitted"
    assert [("tools" in request) for request in meeting.requests] == [True, False]


def test_nonsense_is_told_so_and_counts_as_a_turn(meeting: Meeting) -> None:
    nonsense = (
        completion({"content": "I am done, I think."}),
        completion({"content": None}),
        completion({"content": [{"type": "text", "text": "parts"}]}),
        completion({"content": "```bash\nsubmit\n" * 30_000}),
        completion({"content": f"```bash{NEWLINES}submit"}),
        calling(("bash", "{not json")),
        calling(("bash", '["ls"]')),
        calling(("bash", '{"command": 7}')),
        calling(("bash", "[" * 100_000)),
        calling(("bash", '{"commands": NaN}')),
        calling(("fly", '{"to": "the moon"}')),
        calling(bash("ls\0"), bash("echo \ud800; echo fine")),
    )
    assert meeting.hold(in_turn(*nonsense)) == "submitted"
    assert len(meeting.talk.turns) == len(nonsense) + 1
    replies = meeting.replies()
    assert replies[:5] == [NOTHING] * 5
    assert all(reply.startswith("There is no tool") for reply in replies[5:11])
    assert "[exit code 126]" in replies[11] and "fine" in replies[12]
    for message in meeting.requests[-1]["messages"]:
        for call in message.get("tool_calls") or ():
            json.loads(call["function"]["arguments"], parse_constant=pytest.fail)


def test_arguments_may_have_been_read_already(meeting: Meeting) -> None:
    call = {"id": 7, "function": {"name": "bash", "arguments": {"command": "ls"}}}
    asked = completion({"content": None, "tool_calls": [call]})
    assert meeting.hold(in_turn(asked)) == "submitted"
    assert "calc" in meeting.replies()[0]
    (sent,) = meeting.requests[-1]["messages"][1]["tool_calls"]
    assert (sent["id"], sent["function"]["arguments"]) == ("7", '{"command": "ls"}')


def test_a_busy_server_is_asked_again(meeting: Meeting) -> None:
    busy: Reply = (429, {"error": {"message": "slow down"}})
    assert meeting.hold(in_turn(busy, (503, "<html>"), calling(bash("ls")), busy)) == "submitted"
    assert len(meeting.talk.turns) == 2 and len(meeting.requests) == 5


@pytest.mark.parametrize(
    "reply",
    [
        (200, "no JSON"), (200, "[]"), (200, {"choices": []}), (200, {"choices": None}),
        (200, {"error": {"message": "x"}}), (400, {"error": {"message": "temperature is wrong"}}),
        (500, "<html>"), (200, {"choices": [{"message": ["x"]}]}),
        (200, {"choices": [{"message": {"tool_calls": 7}}]}),
        (200, {"choices": [{"message": {"tool_calls": [{"function": None}]}}]}),
        (200, {"choices": [{"message": {"tool_calls": [{"function": {"name": None}}]}}]}),
        (200, {"choices": [{"message": {}}], "usage": {"prompt_tokens": float("inf")}}),
        (200, {"choices": [{"message": {}}], "usage": {"prompt_tokens": 1 << 40}}),
        (400, {"error": {"message": "token " * 200_000}}),
    ],
)  # fmt: skip
def test_a_server_that_is_broken_is_no_verdict(meeting: Meeting, reply: Reply) -> None:
    with pytest.raises(InfrastructureError, match="http://127"):
        meeting.hold(lambda request: reply)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "This model's maximum context length is 4096 tokens. However, you requested 5000"),
        (400, "the request exceeds the available context size. try increasing the context size"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, "The input token count (9) exceeds the maximum number of tokens allowed (8)."),
        (422, "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000"),
        (413, "Request too large for model"),
        (400, "maximum context length is 9 tokens; reduce the length of the messages or tools"),
    ],
)
def test_a_chat_that_has_grown_too_long_ends(meeting: Meeting, status: int, said: str) -> None:
    reply = calling(bash("touch here")), (status, {"error": {"message": said}})
    assert meeting.hold(in_turn(*reply)) == "context"
    assert (meeting.tree / "here").exists() and len(meeting.talk.turns) == 1


def test_a_first_message_that_is_refused_as_too_long_is_no_verdict(meeting: Meeting) -> None:
    reply: Reply = (400, {"error": {"message": "max_tokens is too large: 99999"}})
    with pytest.raises(InfrastructureError, match="max_tokens is too large"):
        meeting.hold(lambda request: reply)


def test_no_command_begins_after_its_time(meeting: Meeting) -> None:
    answer = calling(bash("sleep 2; touch first"), bash("touch second"), SUBMIT)
    assert meeting.hold(lambda request: answer, Bounds(total_s=1.0)) == "time"
    assert (meeting.tree / "first").exists() and not (meeting.tree / "second").exists()


def test_turns_end_an_attempt(meeting: Meeting) -> None:
    assert meeting.hold(playing(*["ls"] * 9), Bounds(turns=3)) == "turns"
    assert len(meeting.requests) == 3


def test_its_time_ends_an_attempt(meeting: Meeting) -> None:
    assert meeting.hold(playing(*["ls"] * 9), Bounds(total_s=0.0)) == "time"
    assert meeting.requests == []


def test_commands_end_at_their_limits(meeting: Meeting) -> None:
    bounds = Bounds(command_s=1.0, output_bytes=1000)
    commands = (
        "sleep 1000",
        "touch kept; (setsid sleep 1000 &) ; sleep 1000",
        "yes x | head -c 9m",
    )
    assert meeting.hold(playing(*commands), bounds) == "submitted"
    slept, kept, loud = meeting.replies()
    assert "[ended after 1 seconds]\n[exit code 124]" in slept and "[exit code 124]" in kept
    assert (meeting.tree / "kept").exists()
    assert len(loud) < 1200 and "bytes are left out here" in loud and "[exit code 0]" in loud


def test_the_record_is_sound_atif(meeting: Meeting) -> None:
    texts = "```bash\nls\n```", "nothing"
    answers = [completion({"content": text, "reasoning_content": "Hm."}) for text in texts]
    meeting.hold(in_turn(*answers, calling(bash("ls"), bash("pwd"))))
    told = meeting.talk.trajectory("session", "m", {"ended": "submitted"})
    assert json.loads(json.dumps(told)) == told
    assert [step["step_id"] for step in told["steps"]] == [1, 2, 3, 4, 5]
    assert [step["source"] for step in told["steps"]] == ["user"] + ["agent"] * 4
    for step in told["steps"][1:]:
        calls = {call["tool_call_id"] for call in step.get("tool_calls", ())}
        sources = {one.get("source_call_id") for one in step["observation"]["results"]}
        assert sources <= calls or sources == {None}
    assert told["steps"][1]["reasoning_content"] == "Hm."
    assert told["final_metrics"] == {
        "total_prompt_tokens": 400, "total_completion_tokens": 40, "total_steps": 5,
    }  # fmt: skip
