"""Runs of tests in forks of one process; see `featuredel_probe/forks.py`."""

import base64
import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path

from featuredel.languages.python import runner
from featuredel.model import Environment, TestRequest, TestRun
from featuredel.sandbox import ENVIRONMENT, SCRATCH, WORKSPACE, Command, ExecResult, Limits, Mount

TREES, PRODUCTS = "/trees", "/products"


def warm_command(environment: Environment, trees: Path, seed: int) -> Command:
    """Return the command of a session that runs tests of trees below `trees`."""
    base = runner.test_command(environment, (), TestRequest(seed=seed))
    products = (Mount(environment.products, PRODUCTS),) if environment.products else ()
    return dataclasses.replace(
        base,
        argv=(f"{ENVIRONMENT}/bin/python", "-m", "featuredel_probe.forks"),
        mounts=(*base.mounts, Mount(trees, TREES), *products),
        stdin=b"",
        nesting=1,
        limits=Limits(cpu_s=NO_END_S),
    )


NO_END_S = 1e6
"""A session's processor time is bounded by that of its runs."""


def warm_question(
    environment: Environment, trees: Path, layers: tuple[Path, ...],
    request: TestRequest, files: Mapping[str, bytes],
) -> bytes:  # fmt: skip
    """Return how such a session is asked to run the tests of a tree with files replaced."""
    base = runner.test_command(environment, layers, request)
    seen = [
        PRODUCTS if layer == environment.products else f"{TREES}/{layer.relative_to(trees)}"
        for layer in layers
    ]
    question = {
        "arguments": _arguments(base),
        "cpu_s": base.limits.cpu_s,
        "files": {path: base64.b64encode(content).decode() for path, content in files.items()},
        "layers": seen,
        "request": json.loads(base.stdin),
        "scratch": dict.fromkeys(SCRATCH, base.limits.scratch_bytes),
        "trees": TREES,
        "wall_s": base.limits.wall_s,
        "workspace": WORKSPACE,
    }
    return json.dumps(question).encode()


def _arguments(command: Command) -> tuple[str, ...]:
    return command.argv[command.argv.index("pytest") + 1 :]


def warm_run(request: TestRequest, answer: bytes) -> TestRun:
    """Return what the tests did, from the session's answer."""
    head, _, report = answer.partition(b"\n")
    ended, code, wall_s, cpu_s = json.loads(head)
    return runner.test_run(
        request, ExecResult(code, ended, b"", b"", report, wall_s=wall_s, cpu_s=cpu_s)
    )
