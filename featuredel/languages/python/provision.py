"""Finding what a project's tests need, by trying: lock, build, collect, add what is missing."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from featuredel.errors import Rejected
from featuredel.languages.python.build import Builder
from featuredel.languages.python.built import Built, Lock, Unresolvable, named
from featuredel.languages.python.collection import Collected
from featuredel.languages.python.interpreters import Interpreter
from featuredel.languages.python.metadata import Metadata
from featuredel.languages.python.requirements import Wanted
from featuredel.languages.python.suite import Tests

ROUNDS = 4
"""How often what a collection lacks is added."""

ENOUGH = 0.9
"""A collection with at least this share of its test files sound is not tried again elsewhere."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known before anything is built."""

    metadata: Metadata
    tests: Tests
    needs: Wanted
    guesses: tuple[str, ...]  # distributions that test files name
    fixed: bool  # the user said what to install: nothing is added


@dataclass(frozen=True, slots=True)
class Attempt:
    """An environment for one interpreter, and what pytest finds in it."""

    interpreter: Interpreter
    prefix: Path
    lock: Lock
    project: Built
    collected: Collected
    origins: tuple[str, ...]

    @property
    def merit(self) -> tuple[int, int]:
        """The more tests the better, then the fewer broken files."""
        return self.collected.tests, -len(self.collected.broken)


def best_attempt(builder: Builder, plan: Plan, choices: Iterable[Interpreter]) -> Attempt:
    """Return the first attempt that is good enough, else the best of all."""
    problems: list[str] = []
    attempts: list[Attempt] = []
    for strict in (True, False):
        for interpreter in choices:
            try:
                attempt = _attempt(builder, plan, interpreter, strict=strict)
            except Unresolvable as problem:
                problems.append(f"Python {interpreter.version}: {problem}")
                continue
            attempts.append(attempt)
            if _good_enough(attempt.collected, plan):
                return attempt
        if any(attempt.collected.tests for attempt in attempts):
            break
    best = max(attempts, key=lambda a: a.merit, default=None)
    if best is None:
        raise Rejected("environment cannot be built", "\n".join(problems))
    if not best.collected.tests:
        raise Rejected("no tests can be collected", best.collected.detail)
    return best


def _good_enough(collected: Collected, plan: Plan) -> bool:
    files = max(len(plan.tests.files), 1)
    return bool(collected.tests) and len(collected.broken) <= (1 - ENOUGH) * files


def _attempt(builder: Builder, plan: Plan, interpreter: Interpreter, *, strict: bool) -> Attempt:
    """Build for one interpreter, and add what the collection lacks until it lacks no more."""
    project = builder.project(interpreter)
    required = (*plan.needs.required, *project.requires)
    required = required if strict else _relaxed(required)
    required = _with_runner(required, interpreter)
    tried = {named(text) for text in required}
    optional: dict[str, str] = {}  # requirement -> where it is from
    for text, origin in _optional(plan):
        if named(text) not in tried:
            optional[text] = origin
            tried.add(named(text))
    roots = plan.tests.roots
    for _ in range(ROUNDS):
        lock, optional = _lock(builder, required, optional, interpreter)
        prefix = builder.prefix(lock, project, interpreter)
        collected = builder.collect(prefix, project, interpreter, roots)
        missing = [name for name in collected.missing if canonicalize_name(name) not in tried]
        if plan.fixed or not missing:
            break
        tried |= {canonicalize_name(name) for name in missing}
        optional |= {name: f"failing import {name}" for name in missing}
    origins = (*plan.needs.origins, *dict.fromkeys(optional.values()))
    return Attempt(interpreter, prefix, lock, project, collected, origins)


def _optional(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield what may be left out, with where it is from; the project itself is never in it."""
    for text in plan.needs.optional:
        yield text, "extras"
    for name in plan.guesses:
        if canonicalize_name(name) != plan.metadata.name:
            yield name, f"import {name}"


def _lock(
    builder: Builder,
    required: tuple[str, ...],
    optional: Mapping[str, str],
    interpreter: Interpreter,
) -> tuple[Lock, dict[str, str]]:
    """Return the lock of `required` and as much of `optional` as can be had, and that part."""
    wanted_too = dict(optional)
    while wanted_too:
        try:
            lock = builder.resolve((*required, *wanted_too), interpreter)
        except Unresolvable as problem:
            culprits = [text for text in wanted_too if named(text) in problem.names]
            if not culprits:
                break
            wanted_too = {k: v for k, v in wanted_too.items() if k not in culprits}
            continue
        if lock.depends_on_project:
            break
        return lock, wanted_too
    lock = builder.resolve(required, interpreter)
    accepted: dict[str, str] = {}
    for text, origin in wanted_too.items():
        try:
            wider = builder.resolve((*required, *accepted, text), interpreter)
        except Unresolvable:
            continue
        # What builds on the project may well hold a copy of it, and is no part of its tests.
        if not wider.depends_on_project or lock.depends_on_project:
            lock = wider
            accepted[text] = origin
    return lock, accepted


def _relaxed(requirements: Iterable[str]) -> tuple[str, ...]:
    """Return the same distributions in any version."""
    found = []
    for text in requirements:
        requirement = Requirement(text)
        requirement.specifier = SpecifierSet("")
        found.append(str(requirement))
    return tuple(dict.fromkeys(found))


def _with_runner(required: tuple[str, ...], interpreter: Interpreter) -> tuple[str, ...]:
    """Add what the runner and the tracer need."""
    there = {named(text) for text in required}
    return (*required, *(name for name in runner(interpreter) if name not in there))


def runner(interpreter: Interpreter) -> tuple[str, ...]:
    """Return the distributions that run and trace the tests."""
    # From 3.12 on the interpreter itself tells which lines run.
    return ("pytest",) if interpreter.minor >= (3, 12) else ("pytest", "coverage")
