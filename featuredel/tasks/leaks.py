"""Scanning a written task for traces of its answer, from its row and the dataset alone."""

import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from featuredel import trees
from featuredel.errors import Rejected
from featuredel.gates.leaks import NAME, base_for, report_of, secrets, untold
from featuredel.languages import front_end
from featuredel.leaks.report import Report
from featuredel.model import (
    Environment,
    EnvironmentRow,
    Register,
    Snapshot,
    Statement,
    Task,
)
from featuredel.patches import added_text
from featuredel.sandbox import Sandbox
from featuredel.scratch import scratch_directory
from featuredel.tasks.materialize import materialize
from featuredel.tasks.read import delete_feature, recorded_environment, unpack_snapshot


def leak_report(
    task: Task, dataset: str,
    ensure_environment: Callable[[EnvironmentRow, Snapshot], Environment],
    sandbox: Sandbox, work: Path,
) -> Report:  # fmt: skip
    """Return the report of a task as `materialize` lays it out, in every register it has.

    Raises `Rejected` if there is too little to look for, or the answer stands elsewhere.
    """
    with scratch_directory(work) as scratch:
        tree = scratch / "tree"
        snapshot = unpack_snapshot(dataset, task, scratch / "snapshot")
        environment = ensure_environment(recorded_environment(dataset, task), snapshot)
        shutil.copytree(snapshot.root, tree, symlinks=True)
        delete_feature(dataset, task, tree)
        base = base_for(front_end(task.language), environment, sandbox, work)
        statement = Statement(task.statement_full, task.statement_interface, task.statement_terse)
        found = secrets(added_text(task.gold_patch), tree, base)
        left = untold(found, statement, task.hidden_files)
        files, reports = sum(1 for _ in trees.files(tree)), []
        for register in _registers(statement):
            solver = scratch / register
            materialize(task, dataset, solver, register)
            reports.append(report_of(left, solver, environment, base, files))
    findings = dict.fromkeys(finding for report in reports for finding in report.findings)
    return replace(reports[0], findings=tuple(findings))


def trace_faults(
    task: Task, dataset: str,
    ensure_environment: Callable[[EnvironmentRow, Snapshot], Environment],
    sandbox: Sandbox, work: Path,
) -> Iterator[str]:  # fmt: skip
    """Yield what speaks against a task having no trace of its answer."""
    evidence = [gate.evidence for gate in task.gates if gate.name == NAME]
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in evidence]
    if digests != [task.leak_report_sha256]:
        yield "the leak report is not the one whose sha256 the row has"
    try:
        report = leak_report(task, dataset, ensure_environment, sandbox, work)
    except Rejected as why:
        yield str(why)
        return
    for finding in report.findings[:5]:
        yield f"a trace is left: {finding}"


def _registers(statement: Statement) -> Iterator[Register]:
    """Yield the registers whose trees differ in more than the statement, the fullest first."""
    if statement.full is not None:
        yield "full"
    elif statement.interface is not None:
        yield "interface"
    if statement.terse is not None:
        yield "terse"
