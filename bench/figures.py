"""The figures of a dataset: python -m bench.figures DATASET [EXPECTED.yaml].

EXPECTED maps a repository's name to the number of tests that a person saw pass in it.
"""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import yaml

from featuredel import tables
from featuredel.model import Cost, Rejection, Task, TestRow
from featuredel.stages.write import was_tried

LARGE_LINES = 100


def main(dataset: str, expected_file: str | None = None) -> None:
    expected = yaml.safe_load(Path(expected_file).read_text()) if expected_file else {}
    tasks = list(tables.read_tasks(dataset))
    rejections = list(tables.read_rows(dataset, "rejections", Rejection))
    print(_projects(dataset, tasks, rejections, expected))
    print()
    print(_totals(tasks, rejections))
    print()
    print(_reasons(rejections))
    print()
    print(_costs(dataset, len(tasks)))


def _projects(
    dataset: str, tasks: Sequence[Task], rejections: Sequence[Rejection], expected: dict[str, int]
) -> str:
    accepted = Counter(task.repository for task in tasks)
    tried: Counter[str] = Counter(accepted)
    kept_in: Counter[str] = Counter()
    whole: dict[str, Rejection] = {}
    for r in rejections:
        if r.stage in ("acquire", "environment", "baseline", "discover"):
            whole[r.repository] = r
        else:
            (tried if was_tried(r) else kept_in)[r.repository] += 1
    passed: Counter[str] = Counter()
    aside: Counter[str] = Counter()
    for row in tables.read_rows(dataset, "tests", TestRow):
        (passed if row.status == "passed" else aside)[row.repository] += 1
    for name, r in whole.items():
        if match := re.search(r"baseline: (\d+) tests", r.detail):
            passed[name] = int(match[1])
    lines = [
        "| project | baseline | expected | share | set aside | tried | accepted | not removable |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in sorted({*tried, *kept_in, *whole, *passed}):
        wanted = expected.get(name)
        share = f"{passed[name] / wanted:.1%}" if wanted else ""
        outcome = f"{whole[name].stage}: {whole[name].reason}" if name in whole else accepted[name]
        cells = (name, passed[name], wanted or "", share, aside[name], tried[name], outcome)
        lines.append("| " + " | ".join(map(str, (*cells, kept_in[name]))) + " |")
    return "\n".join(lines)


def _totals(tasks: Sequence[Task], rejections: Iterable[Rejection]) -> str:
    inside = [
        r
        for r in rejections
        if was_tried(r) and r.stage in ("validate", "describe", "score", "write")
    ]
    tried = len(tasks) + len(inside)
    large = sum(task.gold_lines >= LARGE_LINES for task in tasks)
    spread = sum(task.gold_files >= 2 for task in tasks)
    ten = sum(n >= 10 for n in Counter(task.repository for task in tasks).values())
    sizes = sorted(task.gold_lines for task in tasks)
    return "\n".join(
        [
            f"- accepted: {len(tasks)} of {tried} tried ({len(tasks) / max(tried, 1):.0%})",
            f"- projects with ten tasks or more: {ten}",
            f"- gold patch of {LARGE_LINES} code lines or more: {large} ({_share(large, tasks)})",
            f"- two files or more besides tests: {spread} ({_share(spread, tasks)})",
            f"- code lines: median {sizes[len(sizes) // 2] if sizes else 0},"
            f" largest {sizes[-1] if sizes else 0}",
            f"- tiers: {dict(Counter(task.tier for task in tasks))}",
        ]
    )


def _share(part: int, tasks: Sequence[Task]) -> str:
    return f"{part / max(len(tasks), 1):.0%}"


def _reasons(rejections: Iterable[Rejection]) -> str:
    count = Counter((r.stage, r.reason) for r in rejections)
    lines = ["| stage | reason | number |", "|---|---|---|"]
    lines += [f"| {stage} | {why} | {n} |" for (stage, why), n in count.most_common()]
    return "\n".join(lines)


def _costs(dataset: str, accepted: int) -> str:
    spent: dict[str, list[float]] = defaultdict(list)
    for cost in tables.read_rows(dataset, "costs", Cost):
        spent[cost.stage].append(cost.cpu_s)
    lines = ["| stage | times | CPU s in all | median CPU s |", "|---|---|---|---|"]
    for stage, values in spent.items():
        middle = sorted(values)[len(values) // 2]
        lines.append(f"| {stage} | {len(values)} | {sum(values):.0f} | {middle:.2f} |")
    total = sum(sum(values) for values in spent.values())
    each = f"{total / accepted:.0f}" if accepted else "-"
    return "\n".join(lines) + f"\n\nCPU seconds per accepted task, all stages: {each}"


if __name__ == "__main__":
    main(*sys.argv[1:])
