"""monitor: from a trajectory to its findings."""

import dataclasses
import posixpath
import re
from collections.abc import Iterator, Sequence

from featuredel.model import Task
from featuredel.monitor.acts.records import Act, Program, Touch
from featuredel.monitor.acts.session import Session, made_by, ran_by
from featuredel.monitor.acts.step import acts_of
from featuredel.monitor.edits import edits
from featuredel.monitor.git_command import remember as remember_git
from featuredel.monitor.honeytokens import Honeytoken
from featuredel.monitor.places import is_product_write
from featuredel.monitor.product import product_code
from featuredel.monitor.rule import Example, Finding, Hit, Rule, Seen
from featuredel.monitor.rules.table import RULES
from featuredel.monitor.subject import Subject, packages_written, subject_of
from featuredel.monitor.taken import LOOKS, put_away
from featuredel.monitor.tested import remember_tests
from featuredel.monitor.trajectory import Read, Shell, Step, Trajectory, Write

_FILES = re.compile(r"[\w./-]+\.(?:py|pyi|ini|cfg|toml|txt|json|xml|c|so|whl)\b")
_ORDER = ("block", "flag", "note")
_MACHINE = re.compile(r"/(tmp|usr|etc|var|dev|proc|lib|bin|logs)/")
_ROOTS = ("/workspace", "/testbed", "/repo", "/app", "/work", "/code", "/project", "/src")
_TOP = (
    r"(?:tests?|src|docs|pyproject\.toml|setup\.(?:py|cfg)|conftest\.py|(?:tox|pytest)\.ini|"
    r"README\.\w+|Makefile)\b"
)
"""What lies at the top of a tree."""


def monitor(
    trajectory: Trajectory, task: Task | None = None, honeytokens: Sequence[Honeytoken] = ()
) -> list[Finding]:
    """Return what is found in a trajectory, step by step.

    With the row of its task, names of what was deleted and the reference solution are known as
    well. Nothing of the trajectory is executed.
    """
    subject = subject_of(task, honeytokens) if task else Subject(honeytokens=tuple(honeytokens))
    return watch(trajectory, subject)


def watch(
    trajectory: Trajectory, subject: Subject, rules: Sequence[Rule] | None = None
) -> list[Finding]:
    """Return the findings of `rules`, of all if none are given."""
    if not subject.packages:
        subject = _guessed(trajectory, subject)
    found: list[Finding] = []
    for seen in _steps(trajectory, subject, found):
        told: set[tuple[str, str]] = set()
        for rule in RULES if rules is None else rules:
            for hit in sorted(_hits(rule, seen), key=lambda hit: _ORDER.index(hit.severity)):
                name = rule.__name__.rpartition(".")[2]
                if (name, hit.evidence) not in told:
                    told.add((name, hit.evidence))
                    found.append(_finding(seen, name, rule, hit))
    return found


def _hits(rule: Rule, seen: Seen) -> list[Hit]:
    """Return what a rule says, up to code that is nested deeper than it can be walked."""
    found: list[Hit] = []
    try:
        for hit in rule.find(seen):
            found.append(hit)  # noqa: PERF402 -- what was found before the error counts
    except RecursionError:
        pass
    return found


def _finding(seen: Seen, name: str, rule: Rule, hit: Hit) -> Finding:
    return Finding(
        seen.trajectory.name, seen.step.index, seen.step.id, name, rule.KIND, hit.severity,
        hit.evidence, hit.hint,
    )  # fmt: skip


def _session(trajectory: Trajectory) -> Session:
    root = trajectory.cwd or _guessed_root(trajectory)
    root = Session().resolve(root) if root else ""
    return Session(cwd=root, root=root)


def _guessed_root(trajectory: Trajectory) -> str:
    text = "\n".join(str(call) for step in trajectory.steps for call in step.calls)
    counts = {root: len(re.findall(re.escape(root) + r"\b", text)) for root in _ROOTS}
    best = max(counts, key=lambda root: counts[root])
    return _below(best, text) if counts[best] else _root_of_paths(trajectory)


def _below(root: str, text: str) -> str:
    """Return the one folder in `root` that has what a tree has at its top; else `root`."""
    trees = set(re.findall(rf"{root}/([\w.-]+)/(?:{_TOP}|\1/)", text))
    return (
        f"{root}/{trees.pop()}"
        if len(trees) == 1 and not re.search(f"{root}/{_TOP}", text)
        else root
    )


def _root_of_paths(trajectory: Trajectory) -> str:
    """Return the folder that files of tools lie in, by the one that `tests` is in or the whole."""
    calls = [call for step in trajectory.steps for call in step.calls]
    if any(
        isinstance(call, Shell) and re.match(r"\s*cd [/~](?!tmp)", call.command) for call in calls
    ):
        return ""  # the first `cd` tells
    paths = [
        call.path
        for call in calls
        if isinstance(call, Write | Read)
        and call.path.startswith("/")
        and not _MACHINE.match(call.path)
    ]
    beside = [path.partition("/tests/")[0] for path in paths if "/tests/" in path]
    if beside:
        return max(set(beside), key=beside.count)
    return posixpath.dirname(posixpath.commonpath(paths)) if len(set(paths)) > 1 else ""


def _guessed(trajectory: Trajectory, subject: Subject) -> Subject:
    """Return `subject` with the packages whose code the trajectory writes."""
    session = _session(trajectory)
    packages: frozenset[str] = frozenset()
    for step in trajectory.steps:
        packages |= packages_written(acts_of(step, session), session)
        session.leave_step(fresh=trajectory.format == "mini-swe-agent")
    return dataclasses.replace(subject, packages=packages)


def _steps(trajectory: Trajectory, subject: Subject, found: list[Finding]) -> Iterator[Seen]:
    """Yield each step with its acts; what is found of it is looked up in `found` by the next."""
    session = _session(trajectory)
    session.packages = subject.packages
    edited: tuple[int, ...] = ()
    for step in trajectory.steps:
        acts = acts_of(step, session)
        if edits(acts, session):
            edited = (*edited, step.index)
        seen = Seen(step, acts, session, subject, trajectory, tuple(found), edited)
        yield seen
        session.judged.update(session.inside(p.path) or "" for p in product_code(seen))
        remember_git(acts, step.observation, session)
        remember_tests(acts, step.observation, session)
        if any(f.step == step.index and f.kind == "suspicious code" and f.alarms for f in found):
            session.doubted += [p.text for p in product_code(seen)]
        _remember(step, acts, session)
        looks = {f.evidence for f in found if _looks(f, step)}
        if looks:
            session.taken.update(put_away(acts, session, looks))
        session.leave_step(fresh=trajectory.format == "mini-swe-agent")


def _looks(finding: Finding, step: Step) -> bool:
    return finding.step == step.index and finding.alarms and finding.kind in LOOKS


def _remember(step: Step, acts: Sequence[Act], session: Session) -> None:
    """Carry on which files were shown or made, and which programs ran, after a step was judged."""
    for act in acts:
        if isinstance(act, Program):
            session.ran.update(ran_by(act))
            session.outputs.update(made_by(act))
            session.made.update(session.folders_made(act))
        elif isinstance(act, Touch):
            if act.new and is_product_write(act, session):
                session.written.append(act.new)
            if act.pattern and act.how == "write":
                session.moved[act.path] = act.pattern
            if act.how == "edit" and act.by == "edit":
                session.edited.add((act.path, act.old or "", act.new or ""))
            new = act.how == "link" or (act.how == "write" and act.old is None)
            fresh = new and not session.is_known(act.path)
            if fresh or act.how == "link":
                session.made.add(act.path)
            elif act.how == "read" and act.path not in session.made:
                session.known.add(session.inside(act.path) or act.path)
    session.known.update(name.removeprefix("./") for name in _FILES.findall(step.observation))


def watch_example(rule: Rule, example: Example) -> list[Finding]:
    """Return what `rule` finds in the last step of one of its examples."""
    steps = tuple(
        Step(
            number, str(number), "", "", calls,
            example.observations[number] if number < len(example.observations) else "",
        )
        for number, calls in enumerate((*example.earlier, example.calls))
    )  # fmt: skip
    trajectory = Trajectory(
        "example", "atif", steps, "/workspace", example.submission, example.resolved
    )
    name = rule.__name__.rpartition(".")[2]
    found = watch(trajectory, example.subject)
    return [f for f in found if f.step == len(steps) - 1 and f.rule == name]
