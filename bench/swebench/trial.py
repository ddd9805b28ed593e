"""Runs of the rows' scripts in the sandbox, for gold and for no answer, and what comes of them."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from consumers.programs import run

from featuredel import git
from featuredel.export.swebench import Instance, write
from featuredel.grading import layers_of
from featuredel.languages import front_end
from featuredel.languages.python.runner import PROBE_TARGET
from featuredel.model import Register, TestRequest
from featuredel.sandbox import Command, Mount
from featuredel.scratch import scratch_directory
from featuredel.tasks.materialize import materialize
from featuredel.tasks.read import kept_snapshot, read, recorded_environment
from featuredel.tasks.workplace import Workplace

JUDGE = Path(__file__).with_name("judge.py")
ANSWERS = ("gold", "empty")
TIMEOUT_S = 900.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What swebench reports of one answer to a row."""

    applied: bool  # the log is one of a run
    resolved: bool
    f2p: tuple[int, int]  # that pass, of how many
    p2p: tuple[int, int]


def judged(
    dataset: str, rows: list[Instance], register: Register, place: Workplace, swebench: Path,
    folder: Path,
) -> dict[str, dict[str, Verdict]]:  # fmt: skip
    """Return by row and answer what swebench reports; logs and scripts stay in `folder`.

    `swebench` is the Python of an environment with the package.
    """
    file = folder / "rows.parquet"
    write(str(file), rows)
    ask(swebench, folder, str(JUDGE), "scripts", str(file), str(folder))
    for row in rows:
        for answer in ANSWERS:
            script = folder / row.instance_id / "eval.sh"
            patch = row.patch.encode() if answer == "gold" else b""
            log = _log(dataset, row, register, patch, script, place)
            script.with_name(f"{answer}.log").write_bytes(log)
    told = json.loads(ask(swebench, folder, str(JUDGE), "reports", str(file), str(folder)))
    return {
        task: {answer: _verdict(report) for answer, report in reports.items()}
        for task, reports in told.items()
    }


def ask(swebench: Path, folder: Path, *arguments: str, stdin: str = "") -> str:
    """Return what the Python of swebench prints, which works in `folder`."""
    home = {"HF_HOME": str(folder / "huggingface")}
    return run([swebench, *arguments], home, folder, stdin).stdout


def _log(
    dataset: str, row: Instance, register: Register, patch: bytes, script: Path, place: Workplace
) -> bytes:
    """Return what a script prints on the solver's tree with a patch applied."""
    task = read(dataset, row.instance_id)
    language = front_end(task.language)
    with scratch_directory(place.work) as scratch:
        tree = scratch / "tree"
        materialize(task, dataset, tree, register)
        assert git.head(tree) == row.base_commit
        git.apply(patch, tree)
        snapshot = kept_snapshot(dataset, task, place.work)
        environment = place.ensure(recorded_environment(dataset, task), snapshot)
        request = TestRequest(total_timeout_s=TIMEOUT_S)
        usual = language.test_command(environment, layers_of(environment, tree), request)
        result = place.sandbox.run(_scripted(usual, script))
    return result.stdout + result.stderr


def _scripted(usual: Command, script: Path) -> Command:
    """Return a command as the harness gives it, which sees what the tests of the task see."""
    mounts = [mount for mount in usual.mounts if mount.target != PROBE_TARGET]
    return replace(
        usual,
        argv=("/bin/bash", "/eval/eval.sh"),
        mounts=(*mounts, Mount(script.parent, "/eval")),
        variables={},
        stdin=b"",
    )


def _verdict(report: dict[str, Any]) -> Verdict:
    tests = report.get("tests_status", {})

    def passed(kind: str) -> tuple[int, int]:
        counts = [len(tests.get(kind, {}).get(how, ())) for how in ("success", "failure")]
        return counts[0], sum(counts)

    return Verdict(
        report["patch_successfully_applied"], report["resolved"],
        passed("FAIL_TO_PASS"), passed("PASS_TO_PASS"),
    )  # fmt: skip


def faults(row: Instance, verdicts: dict[str, Verdict]) -> Iterable[str]:
    """Yield what is not as it should be with a row."""
    f2p, p2p = len(json.loads(row.FAIL_TO_PASS)), len(json.loads(row.PASS_TO_PASS))
    wanted = {
        "gold": Verdict(True, True, (f2p, f2p), (p2p, p2p)),
        "empty": Verdict(True, False, (0, f2p), (p2p, p2p)),
    }
    for answer, verdict in verdicts.items():
        if verdict != wanted[answer]:
            yield f"{row.instance_id}: {answer}: {verdict}, and not {wanted[answer]}"
