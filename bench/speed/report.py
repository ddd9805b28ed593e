"""The section of RESULTS.md that a run writes: tables, what was asked, and what differs."""

from collections import Counter
from collections.abc import Iterable, Sequence

from bench.results import table
from bench.speed import ratios
from bench.speed.bounds import Bound, bounds
from bench.speed.measure import Measured
from bench.speed.tasks import Arm
from bench.speed.verdicts import differences, further, outside
from bench.speed.workers import Memory, Workers


def section(
    all_measured: Sequence[Measured], memory: Memory, workers: Workers, started: str
) -> str:  # fmt: skip
    """Return the whole section."""
    parts = [
        "## Speed",
        f"{started} `make bench-speed` measures everything here in one go. CPU seconds are those"
        " of the process and of what runs in its sandbox, without what starts a sandbox. Cold is"
        " the peers' way: for each candidate a copy of the tree and a cold `python -m pytest -q"
        " --tb=no` of the whole suite.",
        _bounds(bounds(all_measured, memory, workers)),
        _suites(all_measured),
        _candidates(all_measured),
        _tasks(all_measured),
        _stages(all_measured),
        _machine_wide(memory, workers),
        _verdicts(all_measured),
    ]
    return "\n\n".join(parts)


def _bounds(asked: Iterable[Bound]) -> str:
    rows = [(one.what, one.asked, one.measured, "" if one.holds else "NO") for one in asked]
    return table(("what", "asked", "measured", "holds"), rows)


def _suites(all_measured: Sequence[Measured]) -> str:
    head = (
        "suite", "CPython", "plain, CPU s", "the same, what passed listed",
        "with the map of lines", "ratio",
    )  # fmt: skip
    rows: list[Sequence[object]] = []
    for measured in all_measured:
        for suite in measured.suites:
            if not suite.interpreter:
                rows.append((measured.name, suite.why, "", "", "", ""))
                continue
            rows.append((
                measured.name, suite.interpreter, _s(suite.cpu_s),
                _s(suite.told_cpu_s) if suite.told_cpu_s else "",
                _s(suite.map_cpu_s), f"{ratios.map_ratio(suite):.2f}",
            ))  # fmt: skip
    return "### Baselines\n\n" + table(head, rows)


def _candidates(all_measured: Sequence[Measured]) -> str:
    head = (
        "project", "candidates", "of them features", "cold runs of", "cold, CPU s",
        "screened one by one", "times", "in groups", "times", "told by", "discovery and deletion",
        "wall s: cold, one by one, in groups",
    )  # fmt: skip
    rows = []
    for measured in all_measured:
        made, cost = measured.made, ratios.candidates(measured)
        how = ", ".join(f"{way} {n}" for way, n in Counter(measured.groups.how).most_common())
        cut = sum(cold.cut for cold in measured.cold.values())
        runs = f"{len(measured.cold)}" + (f" ({cut} cut off)" if cut else "")
        single, groups = cost.times
        rows.append((
            measured.name, len(made.names), made.features, runs, _s(cost.cold_s),
            _s(cost.single_s), f"{single:.0f}x", _s(cost.groups_s), f"{groups:.0f}x", how,
            f"{1000 * cost.discover_s:.0f} + {1000 * cost.delete_s:.0f} ms", _walls(measured),
        ))  # fmt: skip
    return (
        "### Candidates\n\nCPU seconds for each candidate, set-up included; what screening told"
        " wrong counts for nothing. A cold run that did not end is in no mean.\n\n"
        + table(head, rows)
    )


def _walls(measured: Measured) -> str:
    number = len(measured.made.names)
    each = (
        ratios.cold_wall_s(measured),
        measured.single.wall_s / number,
        measured.groups.wall_s / number,
    )
    return ", ".join(map(_s, each))


def _tasks(all_measured: Sequence[Measured]) -> str:
    head = (
        "project", "confirm", "accepted of tried", "screening and confirmation",
        "and every other gate", "all stages", "peers' way", "times, screening and confirmation",
        "times, all stages", "wall s",
    )  # fmt: skip
    rows = []
    for measured in all_measured:
        cold = ratios.cold_s(measured)
        suite = measured.suite.cpu_s
        for confirm, arm in (("full", measured.full), ("affected", measured.affected)):
            cost = ratios.per_task(arm, cold)
            again = ", back to full" if arm.wasted_s else ""
            rows.append((
                measured.name, confirm + again, f"{cost.accepted} of {cost.tried}",
                *(f"{s / suite:.2f}" for s in (cost.screening_s, cost.gates_s, cost.whole_s)),
                f"{cost.peers_s / suite:.2f}", f"{cost.peers_s / cost.screening_s:.1f}x",
                f"{cost.peers_s / cost.whole_s:.1f}x", _s(cost.wall_s),
            ))  # fmt: skip
    return (
        "### Accepted tasks\n\nIn plain runs of the project's suite for each accepted task, all"
        " rejected candidates included. The peers' way is a cold run for each tried candidate.\n\n"
        + table(head, rows)
    )


def _stages(all_measured: Sequence[Measured]) -> str:
    arms = [
        (f"{measured.name}, {confirm}", arm, measured.suite.cpu_s)
        for measured in all_measured
        for confirm, arm in (("full", measured.full), ("affected", measured.affected))
    ]
    parts = list(dict.fromkeys(p for _, arm, _ in arms for one in arm.forged for p in one.spent))
    rows = [
        (name, *(_share(_spent(arm, part), arm.accepted, suite) for part in parts))
        for name, arm, suite in arms
    ]  # fmt: skip
    return "The same by part:\n\n" + table(("project", *parts), rows)


def _spent(arm: Arm, part: str) -> float:
    return sum(one.spent.get(part, 0.0) for one in arm.forged)


def _share(spent_s: float, accepted: Sequence[object], suite_s: float) -> str:
    return f"{spent_s / len(accepted) / suite_s:.2f}" if accepted else "-"


def _machine_wide(memory: Memory, workers: Workers) -> str:
    one, two = workers.wall_s
    loops_one, loops_two = workers.loops_s
    return (
        "### Memory and workers\n\n"
        f"- The worker that mines, screens and forges the largest project, with all that runs in"
        f" its sandbox, holds at most {memory.peak_bytes / 2**30:.2f} GB at once.\n"
        f"- {workers.jobs} candidates take {one:.0f} s with one worker and {two:.0f} s with two:"
        f" {one / two:.2f} times the throughput. Loops that need nothing but the processor:"
        f" {loops_one / loops_two:.2f} times."
    )


def _verdicts(all_measured: Sequence[Measured]) -> str:
    compared = sum(len(measured.cold) for measured in all_measured)
    tasks = sum(len(measured.full.accepted) for measured in all_measured)
    more = sum(len(further(measured)) for measured in all_measured)
    found = [line for measured in all_measured for line in differences(measured)]
    lines = [
        "### Verdicts",
        f"{compared} candidates, screened one by one and in groups, {tasks} tasks confirmed in full"
        f" and {more} confirmed by what is affected alone were compared with a cold run of"
        f" everything; the {tasks} tasks with `confirm: affected` as well:"
        f" {len(found)} differences.",
        "\n".join(f"- {line}" for line in found),
    ]
    for measured in all_measured:
        beyond = outside(measured)
        if beyond:
            tests = sum(len(tests) for tests in beyond.values())
            lines.append(
                f"In {measured.name}, {len(beyond)} candidates break {tests} tests of which no line"
                " of the feature is known to run: no screening sees that, confirmation does."
            )
        unsettled = {t for number in measured.cold for t in measured.unsettled(number)}
        if unsettled:
            lines.append(
                f"In {measured.name}, cold runs do not agree with themselves, or with the"
                f" baseline, on {len(unsettled)} tests, which are left out."
            )
    return "\n\n".join(line for line in lines if line)


def _s(seconds: float) -> str:
    return f"{seconds:.2f}" if seconds < 10 else f"{seconds:.1f}"
