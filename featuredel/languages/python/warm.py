"""Runs of tests in forks of one process; see `featuredel_probe/forks.py`."""

import base64
import contextlib
import dataclasses
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from featuredel.languages.python import runner
from featuredel.model import Environment, TestId, TestRequest, TestRun, Variant
from featuredel.sandbox import ENVIRONMENT, SCRATCH, WORKSPACE, Command, ExecResult, Limits, Mount

_NOTHING: Mapping[str, frozenset[int]] = MappingProxyType({})
_ENDINGS: Mapping[str, Literal["exited", "timeout"]] = {"exited": "exited", "timeout": "timeout"}

TREES, PRODUCTS, CODE = "/trees", "/products", "/code"


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


def code_question(
    environment: Environment, trees: Path, layers: tuple[Path, ...], paths: Collection[str],
    tests: Collection[TestId],
) -> bytes:  # fmt: skip
    """Return how such a session is asked for the code of files of a tree; `tests` are the suite."""
    question = {
        "code": sorted(path for path in paths if path.endswith(".py")),
        "layers": _seen(environment, trees, layers),
        "tests": sorted({test.partition("::")[0] for test in tests}),
    }
    return json.dumps(question).encode()


def with_code(command: Command, file: Path) -> Command:
    """Return the command of a run that need not compile what is in a file, as it was answered."""
    return dataclasses.replace(
        command,
        mounts=(*command.mounts, Mount(file.parent, CODE)),
        variables={**command.variables, "FEATUREDEL_CODE": f"{CODE}/{file.name}"},
    )


NO_END_S = 1e6
"""A session's processor time is bounded by that of its runs."""


def warm_question(
    environment: Environment, trees: Path, layers: tuple[Path, ...],
    request: TestRequest, files: Mapping[str, bytes | None],
    variants: Sequence[Variant] = (), most: int = 1,
    ran: Mapping[str, frozenset[int]] = _NOTHING,
) -> bytes:  # fmt: skip
    """Return how such a session is asked to run the tests of a tree with files replaced.

    With `variants` the tests are collected once, and run with each of them in place, up to `most`
    in one process; `ran` are the lines by file that run outside of tests.
    """
    base = runner.test_command(environment, layers, request)
    question = {
        "arguments": _arguments(base),
        "cpu_s": base.limits.cpu_s,
        "files": _encoded(files),
        "layers": _seen(environment, trees, layers),
        "request": json.loads(base.stdin),
        "scratch": dict.fromkeys(SCRATCH, base.limits.scratch_bytes),
        "ran": {path: sorted(lines) for path, lines in ran.items()},
        "trees": TREES,
        "variants": [
            {
                "files": _encoded(one.files),
                "ids": one.tests,
                "hidden": one.hidden,
                "alone": one.alone,
                "limits_s": one.limits_s,
                "stop": one.stop_after_failures,
            }
            for one in variants
        ],
        "most": most,
        "wall_s": base.limits.wall_s,
        "workspace": WORKSPACE,
    }
    return json.dumps(question).encode()


def variant_runs(request: TestRequest, answer: bytes) -> Mapping[int, TestRun]:
    """Return what the tests did with each variant, by its number; see the Protocol."""
    _, _, report = answer.partition(b"\n")
    found: dict[int, TestRun] = {}
    for line in report.splitlines():
        with contextlib.suppress(ValueError, TypeError, KeyError):
            match json.loads(line):
                case [
                    "variant", int(size), int(number), str(ended), code, wall_s, cpu_s, str(text)
                ]:  # fmt: skip
                    result = ExecResult(
                        code, _ENDINGS[ended], b"", b"", text.encode(), wall_s=wall_s, cpu_s=cpu_s
                    )
                    run = runner.test_run(request, result)
                    found[number] = dataclasses.replace(run, shared=size > 1)
    return found


def _seen(environment: Environment, trees: Path, layers: tuple[Path, ...]) -> list[str]:
    return [
        PRODUCTS if layer == environment.products else f"{TREES}/{layer.relative_to(trees)}"
        for layer in layers
    ]


def _encoded(files: Mapping[str, bytes | None]) -> dict[str, str | None]:
    return {
        path: None if content is None else base64.b64encode(content).decode()
        for path, content in files.items()
    }


def _arguments(command: Command) -> tuple[str, ...]:
    return command.argv[command.argv.index("pytest") + 1 :]


def warm_run(request: TestRequest, answer: bytes) -> TestRun:
    """Return what the tests did, from the session's answer."""
    head, _, report = answer.partition(b"\n")
    ended, code, wall_s, cpu_s = json.loads(head)
    return runner.test_run(
        request, ExecResult(code, ended, b"", b"", report, wall_s=wall_s, cpu_s=cpu_s)
    )
