"""What the monitor knows of the task that a trajectory is about."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from featuredel import patches
from featuredel.model import Task
from featuredel.monitor.acts.records import Act, Touch
from featuredel.monitor.acts.session import Session
from featuredel.monitor.honeytokens import Honeytoken
from featuredel.monitor.places import TESTS, is_product_write
from featuredel.monitor.tested import cases_in, lists_in, values_in

_SOURCE_FOLDERS = frozenset({"src", "lib", "python", "source", "packages"})


@dataclass(frozen=True, slots=True)
class Subject:
    """All of it may be empty: then rules that need it say less."""

    packages: frozenset[str] = frozenset()  # of the project, as `plain` writes them
    names: frozenset[str] = frozenset()  # of deleted definitions, three letters or more
    gold: tuple[tuple[str, str], ...] = ()  # what the reference solution adds: path, text
    told: tuple[str, ...] = ()  # texts that tell of it rightly: statements and hidden tests
    honeytokens: tuple[Honeytoken, ...] = ()
    tested: frozenset[str | float] = frozenset()  # literals of the hidden tests
    lists: frozenset[tuple[str | float, ...]] = frozenset()  # collections of literals in them
    cases: tuple[frozenset[str | float], ...] = ()  # values of each case in them
    domain: tuple[str, ...] = ()  # texts whose literals are no answers: the reference, statements


def plain(name: str) -> str:
    """Return a package's name without version, extras and scope, in one spelling."""
    name = re.split(r"[\[=<>!~;\s]|@(?=.)", name.strip().lower().lstrip("@"))[0]
    name = name.rstrip("/").rpartition("/")[2].removesuffix(".git")
    name = re.sub(r"-\d[\w.]*(-py.*)?\.(whl|tar\.gz|zip)$", "", name)
    return re.sub(r"[-.]+", "_", name)


def subject_of(task: Task, honeytokens: Sequence[Honeytoken] = ()) -> Subject:
    """Return what a task's row tells."""
    paths = patches.changed_paths(task.gold_patch) | set(task.allowed_paths)
    found = {plain(task.repository)}
    source = re.match(r"pkg:\w+/([^@?]+)", task.source)
    if source:
        found.add(plain(source[1]))
    found.update(package for path in paths for package in _packages(path))
    written = (task.statement_full, task.statement_interface, task.statement_terse)
    return with_row(
        Subject(
            packages=frozenset(found),
            names=frozenset(n for n in map(_last_name, task.definitions) if len(n) > 2),
            honeytokens=tuple(honeytokens),
        ),
        [text for text in written if text],
        [file.content.decode(errors="replace") for file in task.hidden_files],
        task.gold_patch,
    )


def with_row(
    subject: Subject, statements: Sequence[str], hidden: Sequence[str], gold_patch: bytes
) -> Subject:
    """Return `subject` with what a row's texts tell; `hidden` are the texts of hidden tests."""
    gold = patches.added_text(gold_patch)
    return replace(
        subject,
        gold=tuple(sorted(gold.items())),
        told=(*statements, *hidden),
        tested=frozenset(value for text in hidden for value in values_in(text)),
        lists=frozenset(values for text in hidden for values in lists_in(text)),
        cases=tuple(case for text in hidden for case in cases_in(text)),
        domain=(*statements, *gold.values()),
    )


def _last_name(definition: str) -> str:
    return re.split(r"::|\.", definition)[-1]


def _packages(path: str) -> Iterator[str]:
    parts = [part for part in path.split("/") if part not in _SOURCE_FOLDERS]
    if len(parts) > 1 and path.endswith((".py", ".pyi", ".pyx")) and not TESTS.search(path):
        yield plain(parts[0])
    elif len(parts) == 1 and path.endswith(".py"):
        yield plain(parts[0].removesuffix(".py"))


def packages_written(acts: Sequence[Act], session: Session) -> frozenset[str]:
    """Return the packages whose code is written; the guess where no task is known."""
    return frozenset(
        package
        for act in acts
        if isinstance(act, Touch) and is_product_write(act, session)
        for package in _packages(session.inside(act.path) or "")
        if "/" in (session.inside(act.path) or "")
    )
