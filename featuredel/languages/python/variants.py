"""Running the tests of many variants of a tree in one sandbox; see `variant_driver.py`.

Fit for measuring, where most of the cost is starting pytest. It is no proof: a variant can leave
something behind for the next.
"""

import base64
import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from featuredel.languages.python import runner
from featuredel.model import Environment, TestRequest, TestRun
from featuredel.sandbox import ENVIRONMENT, Command, ExecResult

DRIVER = Path(__file__).with_name("variant_driver.py")


def variants_command(
    environment: Environment,
    layers: tuple[Path, ...],
    request: TestRequest,
    variants: Sequence[Mapping[str, bytes]],
) -> Command:
    """Return the command that runs the tests of each variant: the tree with files replaced."""
    base = runner.test_command(environment, layers, request)
    module = base.argv.index("pytest")
    job = {
        "request": json.loads(base.stdin),
        # rewriting asserts for better messages can cost more than the tests
        "arguments": ["--assert=plain", *base.argv[module + 1 :]],
        "wall_s": request.total_timeout_s,
        "variants": [
            {path: base64.b64encode(content).decode() for path, content in variant.items()}
            for variant in variants
        ],
    }
    wall_s = request.total_timeout_s * (len(variants) + 1)
    return dataclasses.replace(
        base,
        argv=(f"{ENVIRONMENT}/bin/python", "-c", DRIVER.read_text()),
        stdin=json.dumps(job).encode(),
        limits=dataclasses.replace(base.limits, wall_s=wall_s),
    )


def variant_runs(request: TestRequest, result: ExecResult) -> tuple[TestRun, ...]:
    """Return the runs of the variants in their order, as far as they were reported."""
    runs: list[TestRun] = []
    rest = result.report
    while rest:
        head, _, rest = rest.partition(b"\n")
        try:
            ended, size = json.loads(head)
            one = dataclasses.replace(
                result, report=rest[:size], ended=ended, exit_code=0 if ended == "exited" else None
            )
        except (ValueError, TypeError):
            break
        if len(one.report) < size:
            break
        runs.append(runner.test_run(request, one))
        rest = rest[size:]
    return tuple(runs)
