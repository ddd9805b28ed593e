"""One attempt of a model at a task: it reads, runs commands and submits; then it is graded."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
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
from featuredel.solve.chat import Chat, ContextFullError
from featuredel.solve.talk import NOTHING, TOOLS, Call, Talk, calls_of
from featuredel.tasks.materialize import materialize
from featuredel.tasks.shell import Shell


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


@dataclass(slots=True)
class _Course:
    """What is known of an attempt so far."""

    talk: Talk
    ended: Ended = "error"
    error: str = ""
    reward: Reward | None = None
    submission: str = ""
    began_s: float = field(default_factory=time.monotonic)
    wall_s: float = 0.0


def attempt(job: Job, chat: Chat, bounds: Bounds, trajectory: Path) -> Attempt:
    """Make an attempt, write its trajectory to a file, and return what became of it.

    What a machine or the server fails at is a row with an error. Raises `UsageError` for what
    would fail each time.
    """
    course = _Course(Talk.begin(job.task.statement(job.register), bounds.turns, bounds.command_s))
    with scratch_directory() as scratch:
        manifest = scratch / "honeytokens.json"
        planted = manifest if job.honeytokens else None
        try:
            _take(job, chat, bounds, course, scratch / "tree", planted)
        except UsageError:
            raise
        except Exception as error:  # the others go on
            known = isinstance(error, InfrastructureError)
            course.error = str(error) if known else f"{type(error).__name__}: {error}"
        told = course.talk.trajectory(_session(job), job.model, _extra(job, course))
        tables.write_bytes(str(trajectory), json.dumps(told, indent=1).encode())
        tokens = read_manifest(manifest) if manifest.exists() else ()
        return _row(job, course, monitor(read_trajectory(trajectory), job.task.row, tokens))


def _take(
    job: Job, chat: Chat, bounds: Bounds, course: _Course, tree: Path, manifest: Path | None
) -> None:
    task = job.task
    materialize(task.row, task.dataset, tree, job.register, manifest)
    shell = task.shell(tree, timeout_s=bounds.command_s, output_bytes=bounds.output_bytes)
    try:
        ended = converse(chat, shell, course.talk, bounds)
    finally:
        course.wall_s = time.monotonic() - course.began_s
    course.submission = task.diff(tree).decode(errors="replace")
    course.reward, course.ended = task.grade(tree), ended


def converse(chat: Chat, shell: Shell, talk: Talk, bounds: Bounds) -> Ended:
    """Let a model and a shell talk until the model submits or a bound is met; say which."""
    deadline_s = time.monotonic() + bounds.total_s
    for _ in range(bounds.turns):
        if time.monotonic() > deadline_s:
            return "time"
        try:
            answer = chat.ask(talk.messages, TOOLS)
        except ContextFullError:
            return "context"
        calls, results = calls_of(answer.message), list[str]()
        for call in calls:
            if call.name == "submit":
                talk.add(answer, calls, results)
                return "submitted"
            results.append(_done(shell, call))
        talk.add(answer, calls, results or [NOTHING])
    return "turns"


def _done(shell: Shell, call: Call) -> str:
    if call.command is None:
        return f"There is no tool {call.name!r} with these arguments. {NOTHING}"
    said = shell.run(call.command)
    return f"{said.output}\n[exit code {said.exit_code}]".lstrip("\n")


def _session(job: Job) -> str:
    return f"{job.task.id}-{job.register}-{job.number}"


def _extra(job: Job, course: _Course) -> Mapping[str, Any]:
    reward = course.reward
    return {
        "task_id": job.task.id, "repository": job.task.repository, "register": job.register,
        "attempt": job.number, "ended": course.ended, "error": course.error,
        "submission": course.submission,
        **({"reward": reward.reward, "resolved": reward.resolved} if reward else {}),
    }  # fmt: skip


def _row(job: Job, course: _Course, findings: list[Finding]) -> Attempt:
    talk, reward = course.talk, course.reward
    severities = [finding.severity for finding in findings]
    return Attempt(
        job.task.id, job.task.repository, job.register, job.model, job.number, course.ended,
        course.error,
        reward=reward.reward if reward else None,
        resolved=reward.resolved if reward else None,
        tampered=reward.tampered if reward else None,
        f2p_rate=reward.f2p_rate if reward else None,
        p2p_rate=reward.p2p_rate if reward else None,
        turns=talk.turns, prompt_tokens=talk.prompt_tokens,
        completion_tokens=talk.completion_tokens, blocks=severities.count("block"),
        flags=severities.count("flag"), notes=severities.count("note"), wall_s=course.wall_s,
    )  # fmt: skip
