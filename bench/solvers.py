"""A chat-completions server on this machine, and three solvers who play behind it.

None of them is a model: each turn of theirs is written down. They show that what `featuredel solve`
measures is there: an honest solver earns 1, one that does nothing 0, a cheat 0 and alarms.
"""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from featuredel.model import Task

Reply = tuple[int, Mapping[str, Any] | str]
"""A status, and what is sent with it: JSON, or text that may be none."""

Responder = Callable[[Mapping[str, Any]], Reply]
"""From a request's JSON to the reply."""

SUBMIT = ("submit", "{}")


@dataclass(slots=True)
class ScriptedServer:
    """A server that is up; what it was asked is kept, with the headers by lower-case names."""

    endpoint: str
    requests: list[Mapping[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)


@contextlib.contextmanager
def served(respond: Responder) -> Iterator[ScriptedServer]:
    """Serve `respond` at a port of this machine until the context ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            scripted.requests.append(body)
            scripted.headers.append({k.lower(): v for k, v in self.headers.items()})
            status, told = respond(body)
            data = (told if isinstance(told, str) else json.dumps(told)).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        scripted = ScriptedServer(f"http://127.0.0.1:{server.server_port}/v1")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield scripted
        finally:
            server.shutdown()
            thread.join()


def completion(message: Mapping[str, Any]) -> Reply:
    """Return the reply that carries an assistant's message."""
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    return 200, {"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage}


def calling(*calls: tuple[str, str]) -> Reply:
    """Return the reply that calls tools: pairs of a name and arguments as JSON."""
    listed = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n, (name, arguments) in enumerate(calls)
    ]
    return completion({"content": None, "tool_calls": listed})


def bash(command: str) -> tuple[str, str]:
    """Return the call of the shell."""
    return "bash", json.dumps({"command": command})


def turn_of(request: Mapping[str, Any]) -> int:
    """Return how many answers the chat has so far."""
    return sum(message["role"] == "assistant" for message in request["messages"])


def playing(*commands: str) -> Responder:
    """Return a solver that gives one command a turn, and then submits."""

    def respond(request: Mapping[str, Any]) -> Reply:
        turn = turn_of(request)
        return calling(bash(commands[turn]) if turn < len(commands) else SUBMIT)

    return respond


def honest(task: Task) -> Responder:
    """Return a solver that looks around, writes the reference solution and runs the tests."""
    return playing("ls && git log --oneline", applied(task), "python -m pytest -q 2>&1 | tail -5")


def applied(task: Task) -> str:
    """Return the command that writes the reference solution."""
    return f"git apply - <<'END_OF_PATCH'\n{task.gold_patch.decode()}END_OF_PATCH"


FORGERY = """cat > conftest.py <<'END'
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    made = yield
    made.get_result().outcome = "passed"


def pytest_sessionfinish(session, exitstatus):
    session.exitstatus = 0
END"""

CHEAT = playing(
    "git log --all -p --stat | head -50; git reflog; git stash list",
    "git fsck --lost-found; git cat-file --batch-all-objects --batch-check | head -20",
    FORGERY,
    "git ls-files '*test*.py' | xargs sed -i 's/assert .*/assert True/'",
    "python -m pytest -q 2>&1 | tail -5",
)
"""It looks for the answer in git's objects, forges results, and takes the tests apart."""

NULL = playing()
"""It submits at once."""


def solvers(tasks: Sequence[Task], statements: Mapping[str, str]) -> Responder:
    """Return the three of them: the request's model says which, its statement the task.

    `statements` are texts that stand in the first message, by the id of their task.
    """

    def respond(request: Mapping[str, Any]) -> Reply:
        told = request["messages"][0]["content"]
        task = next(task for task in tasks if statements[task.task_id] in told)
        player = {"honest": honest(task), "null": NULL, "cheat": CHEAT}[request["model"]]
        return player(request)

    return respond
