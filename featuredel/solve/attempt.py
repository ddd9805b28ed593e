"""One attempt of a model at a task: it reads, runs commands and submits; then it is graded."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from featuredel import tables
from featuredel.api import Task
from featuredel.errors import InfrastructureError, UsageError
from featuredel.model import Attempt, Ended, Register, Reward
from featuredel.monitor.honeytokens import read_manifest
from featuredel.monitor.readers import read_trajectory
from featuredel.monitor.rule import Finding
from featuredel.monitor.watch import monitor
from featuredel.scratch import scratch_directory
from featuredel.solve.chat import Call, Chat, ContextFullError
from featuredel.solve.talk import NOTHING, TOOLS, Talk
from featuredel.tasks.materialize import materialize
from featuredel.tasks.shell import Shell

Key = tuple[str, Register, str, int]
"""Task, register, model and number of an attempt."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where an attempt ends, and what it may take."""

    turns: int = 50
    total_s: float = 3600.0
    command_s: float = 120.0
    output_bytes: int = 16_000


@dataclass(frozen=True, slots=True)
class Job:
    """An attempt that is to be made."""

    task: Task
    register: Register
    model: str
    number: int  # from 1
    honeytokens: bool = False

    @property
    def key(self) -> Key:
        """What tells the attempt from others."""
        return self.task.id, self.register, self.model, self.number


@dataclass(slots=True)
class _Course:
    """What is known of an attempt so far."""

    talk: Talk
    ended: Ended = "error"
    error: str = ""
    reward: Reward | None = None
    submission: bytes = b""
    wall_s: float = 0.0


def attempt(job: Job, chat: Chat, bounds: Bounds, trajectory: Path) -> Attempt:
    """Make an attempt, write its trajectory to a file, and return what became of it.

    What a machine or the server fails at is a row with an error. Raises `UsageError` for what
    would fail each time.
    """
    statement = job.task.statement(job.register)
    course = _Course(Talk.begin(statement, bounds.turns, bounds.command_s))
    with scratch_directory() as scratch:
        manifest = scratch / "honeytokens.json" if job.honeytokens else None
        try:
            _run(job, chat, bounds, course, scratch / "tree", manifest)
        except UsageError:
            raise
        except Exception as error:  # the others go on
            known = isinstance(error, InfrastructureError)
            course.error = str(error) if known else f"{type(error).__name__}: {error}"
        told = course.talk.trajectory(
            f"{job.task.id}-{job.register}-{job.number}", job.model,
            {"ended": course.ended, "error": course.error,
             "submission": course.submission.decode(errors="replace"),
             **({"resolved": course.reward.resolved} if course.reward else {})},
        )  # fmt: skip
        tables.write_bytes(str(trajectory), json.dumps(told, indent=1).encode())
        tokens = read_manifest(manifest) if manifest and manifest.exists() else ()
    return _row(job, course, monitor(read_trajectory(trajectory), job.task.row, tokens))


def _run(
    job: Job, chat: Chat, bounds: Bounds, course: _Course, tree: Path, manifest: Path | None
) -> None:
    began_s, task = time.monotonic(), job.task
    try:
        materialize(task.row, task.dataset, tree, job.register, manifest)
        shell = task.shell(tree, timeout_s=bounds.command_s, output_bytes=bounds.output_bytes)
        ended = converse(chat, shell, course.talk, bounds)
    finally:
        course.wall_s = time.monotonic() - began_s
    course.submission = task.diff(tree)
    course.reward = task.grade(tree)
    course.ended = ended


def converse(chat: Chat, shell: Shell, talk: Talk, bounds: Bounds) -> Ended:
    """Let a model and a shell talk until the model submits or a bound is met; say which.

    Raises `InfrastructureError` if the server fails, or refuses the first message as too long: the
    model has not been asked then.
    """
    deadline_s = time.monotonic() + bounds.total_s
    for _ in range(bounds.turns):
        if time.monotonic() > deadline_s:
            return "time"
        try:
            answer = chat.ask(talk.messages(), TOOLS)
        except ContextFullError as error:
            if talk.turns:
                return "context"
            raise InfrastructureError(str(error)) from error
        turn = talk.take(answer)
        for call in turn.calls:
            if call.name == "submit":
                return "submitted"
            if time.monotonic() > deadline_s:
                return "time"
            turn.results.append(_done(shell, call))
        if not turn.calls:
            turn.results.append(NOTHING)
    return "turns"


def _done(shell: Shell, call: Call) -> str:
    command = call.arguments.get("command")
    if call.name != "bash" or not isinstance(command, str):
        return f"There is no tool {call.name!r} with these arguments. {NOTHING}"
    said = shell.run(command)
    return f"{said.output}\n[exit code {said.exit_code}]".lstrip("\n")


def _row(job: Job, course: _Course, findings: list[Finding]) -> Attempt:
    earned = ("reward", "resolved", "tampered", "f2p_rate", "p2p_rate")
    measured: dict[str, Any] = {name: getattr(course.reward, name, None) for name in earned}
    severities = [finding.severity for finding in findings]
    return Attempt(
        job.task.id, job.task.repository, job.register, job.model, job.number, course.ended,
        course.error, **measured, turns=len(course.talk.turns), **course.talk.tokens(),
        blocks=severities.count("block"), flags=severities.count("flag"),
        notes=severities.count("note"), wall_s=course.wall_s,
    )  # fmt: skip
