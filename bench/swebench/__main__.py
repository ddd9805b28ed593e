"""Rows for SWE-bench, judged by its own package: python -m bench.swebench DATASET.

Each row's script runs in the sandbox on the solver's tree, with gold and with no answer, and
swebench's get_eval_report says what it makes of what was printed. Writes a section of RESULTS.md.
The folder `tests` must be on PYTHONPATH: it knows how to get swebench.
"""

import tempfile
from contextlib import closing
from pathlib import Path

import click
from consumers.environments import consumer

from bench.results import machine, table, write_section
from bench.swebench.trial import Verdict, ask, faults, judged
from featuredel import cli
from featuredel.export.swebench import Exported, export
from featuredel.tasks.workplace import Workplace

HEAD = """## SWE-bench

Tasks as rows for swebench {version}. The script of each row ran in the sandbox on the solver's
tree, with the gold patch and with none, and `get_eval_report` of the package judged what it
printed. `as wanted`: with gold every listed test passes; with none no F2P does, and every P2P. Of
`skipped` tasks the package's parser does not read the id of an F2P back (two blanks in a row, say);
`left out` are P2P of the others of which it does not.
"""
VERSION = "import importlib.metadata as m; print(m.version('swebench'))"
COLUMNS = (
    "project", "tasks", "skipped", "accepted", "gold resolved", "empty not resolved", "as wanted",
    "P2P left out",
)  # fmt: skip


@click.command()
@click.argument("dataset")
@click.option("--work", type=click.Path(path_type=Path), default=None)
def main(dataset: str, work: Path | None) -> int:
    """Judge the tasks of DATASET; 1 if one is not as it should be."""
    swebench, place = consumer("swebench"), Workplace.open(work=work)
    found = list(export(dataset, "full"))
    rows = [one.instance for one in found if one.instance]
    with closing(place.sandbox), tempfile.TemporaryDirectory(prefix="bench-swebench-") as folder:
        version = ask(swebench, Path(folder), "-c", VERSION).strip()
        verdicts = judged(dataset, rows, "full", place, swebench, Path(folder))
    wrong = [fault for row in rows for fault in faults(row, verdicts[row.instance_id])]
    text = f"{HEAD.format(version=version)}\nOn {machine()}.\n\n{section(found, verdicts, wrong)}"
    click.echo(text)
    write_section("swebench", "make bench-swebench", text)
    return int(bool(wrong))


def section(
    found: list[Exported], verdicts: dict[str, dict[str, Verdict]], wrong: list[str]
) -> str:
    """Return the table, a row a project, and what is not as it should be."""
    names = sorted({one.repository for one in found})
    lines = [(name, _counts(name, found, verdicts, wrong)) for name in names]
    totals = (sum(column) for column in zip(*(counts for _, counts in lines), strict=True))
    shown = table(COLUMNS, [*((name, *counts) for name, counts in lines), ("all", *totals)])
    return "\n\n".join([shown, *(f"- {fault}" for fault in wrong)])


def _counts(
    project: str, found: list[Exported], verdicts: dict[str, dict[str, Verdict]], wrong: list[str]
) -> tuple[int, ...]:  # fmt: skip
    own = [one for one in found if one.repository == project]
    told = [one.task_id for one in own if one.instance]
    return (
        len(own),
        len(own) - len(told),
        sum(task in verdicts for task in told),
        sum(verdicts[task]["gold"].resolved for task in told),
        sum(
            verdicts[task]["empty"].applied and not verdicts[task]["empty"].resolved
            for task in told
        ),
        sum(not any(fault.startswith(task) for fault in wrong) for task in told),
        sum(len(one.left_out) for one in own if one.instance),
    )


if __name__ == "__main__":
    cli.main(main)
