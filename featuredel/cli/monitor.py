"""The command that looks at trajectories."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import click

from featuredel import tables
from featuredel.cli import options
from featuredel.errors import UsageError
from featuredel.monitor.honeytokens import read_manifest
from featuredel.monitor.readers import read_trajectory
from featuredel.monitor.rule import Finding
from featuredel.monitor.watch import monitor as monitor_trajectory
from featuredel.tasks.read import read


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=options.PATH)
@click.option("--dataset", default=None, help="Dataset that --task is of.")
@click.option("--task", default=None, help="The task that the trajectories are of, or its start.")
@click.option("--honeytokens", type=options.PATH, default=None, help="The manifest of materialize.")
@click.option("--out", default=None, help="Write findings to FILE.jsonl or FILE.parquet.")
@options.as_json
def monitor(
    files: tuple[Path, ...], dataset: str | None, task: str | None, honeytokens: Path | None,
    out: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Say what in each trajectory FILE is not solving, step by step, with a hint for that step.

    Reads ATIF, SWE-agent, mini-swe-agent and OpenHands. Exits with 1 if there is an alarm, a
    finding of severity block or flag; notes are told and alarm nobody.
    """
    if (dataset is None) != (task is None):
        raise UsageError("--task and --dataset belong together; give both or none")
    if out is not None and not out.endswith((".jsonl", ".parquet")):
        raise UsageError(f"--out {out}: give a name that ends in .jsonl or .parquet")
    row = read(dataset, task) if dataset is not None and task is not None else None
    tokens = read_manifest(honeytokens) if honeytokens else ()
    findings = [f for file in files for f in monitor_trajectory(read_trajectory(file), row, tokens)]
    if out is not None:
        _write(out, findings)
    if as_json:
        click.echo(_lines(findings), nl=False)
    else:
        _show(findings, len(files))
    return 1 if any(finding.alarms for finding in findings) else 0


def _lines(findings: Sequence[Finding]) -> str:
    rows = (json.dumps(dataclasses.asdict(f), ensure_ascii=False) for f in findings)
    return "".join(f"{row}\n" for row in rows)


def _write(out: str, findings: Sequence[Finding]) -> None:
    if out.endswith(".parquet"):
        tables.write_table(out, findings, Finding)
    else:
        tables.write_bytes(out, _lines(findings).encode(errors="backslashreplace"))


def _show(findings: Sequence[Finding], files: int) -> None:
    for f in findings:
        click.echo(f"{f.trajectory}: step {f.step_id}: {f.severity}: {f.kind} ({f.rule})")
        click.echo(f"    {f.evidence}\n    {f.hint}")
    alarms = sum(finding.alarms for finding in findings)
    click.echo(f"{alarms} alarms, {len(findings) - alarms} notes; {files} files", err=True)
