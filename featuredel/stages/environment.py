"""environment: what a project's tests run in, found without hand work, built and cached."""

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date, timedelta
from pathlib import Path

from featuredel.config import Install, RepositorySpec, Settings
from featuredel.errors import InfrastructureError, Rejected, UsageError
from featuredel.languages.python import site
from featuredel.languages.python.build import Builder
from featuredel.languages.python.built import Built, Unresolvable
from featuredel.languages.python.imported import distributions_used
from featuredel.languages.python.interpreters import Interpreter, interpreters, suitable
from featuredel.languages.python.metadata import Metadata, read_metadata
from featuredel.languages.python.provision import Attempt, Plan, best_attempt, runner
from featuredel.languages.python.repeat import repeat
from featuredel.languages.python.requirements import Groups, Wanted, wanted
from featuredel.languages.python.suite import find_tests
from featuredel.leaks import provenance
from featuredel.leaks.provenance import Product
from featuredel.model import Environment, EnvironmentRow, Snapshot
from featuredel.sandbox import Limits, Sandbox
from featuredel.scratch import alone, scratch_directory

FORMAT = 5
"""Of the cache; raised when an environment of the same inputs, or its id, comes out otherwise."""

CHOICES = 4
"""How many interpreters are tried."""


def environment(
    snapshot: Snapshot, spec: RepositorySpec, sandbox: Sandbox, work: Path, settings: Settings
) -> Environment:
    """Return an environment in which the project's tests can be collected.

    Raises `Rejected` where none can be built, `InfrastructureError` where that may pass, and
    `UsageError` if `test` names what is not there.
    """
    _check_roots(spec, snapshot.root)
    available = interpreters()
    key = _key(snapshot, spec, settings, available)
    folder = work / "environments" / key
    folder.parent.mkdir(parents=True, exist_ok=True)
    with alone(folder.with_suffix(".lock")):
        if not (folder / "environment.json").exists():
            shutil.rmtree(folder, ignore_errors=True)  # left by a run that was killed
            with scratch_directory(folder.parent) as place:
                _make(snapshot, spec, sandbox, settings, available, place, folder)
        return _read(folder)


def _check_roots(spec: RepositorySpec, root: Path) -> None:
    """See that each test root is there. What follows an option may be its value."""
    for before, named in zip(("", *spec.test), spec.test, strict=False):
        is_root = not named.startswith("-") and not before.startswith("-")
        if is_root and not (root / named.partition("::")[0]).exists():
            raise UsageError(f"test: {named}: no such path in {spec.source}")


def rebuild(
    row: EnvironmentRow, snapshot: Snapshot, sandbox: Sandbox, work: Path, settings: Settings
) -> Environment:
    """Return the recorded environment, built again from its lock where this machine lacks it.

    Raises `InfrastructureError` if this machine has no interpreter of that minor version, or
    the build fails: what was built once can be built again.
    """
    shelf = work / "environments"
    shelf.mkdir(parents=True, exist_ok=True)
    for record in shelf.glob("*/environment.json"):
        told = json.loads(record.read_text())
        if (told["id"], told.get("format")) == (row.id, FORMAT):
            return _read(record.parent)
    folder = shelf / f"again-{row.id[:16]}-{FORMAT}"
    with alone(folder.with_suffix(".lock")):
        if not (folder / "environment.json").exists():
            shutil.rmtree(folder, ignore_errors=True)  # left by a run that was killed
            with scratch_directory(shelf) as place:
                try:
                    _make_again(row, snapshot, sandbox, settings, place, folder)
                except (Rejected, Unresolvable) as error:
                    raise InfrastructureError(f"environment {row.id[:16]}: {error}") from error
        return _read(folder)


def _make_again(
    row: EnvironmentRow,
    snapshot: Snapshot,
    sandbox: Sandbox,
    settings: Settings,
    scratch: Path,
    folder: Path,
) -> None:
    minor = tuple(row.interpreter.split(".")[:2])
    fitting = [i for i in interpreters() if tuple(i.version.split(".")[:2]) == minor]
    fitting.sort(key=lambda i: i.version != row.interpreter)
    if not fitting:
        raise Rejected("no suitable interpreter", f"needs Python {row.interpreter}")
    builder = _builder(snapshot, read_metadata(snapshot.root), sandbox, settings, scratch)
    project = builder.project(fitting[0])
    lock = builder.resolve(row.lock, fitting[0])
    prefix = builder.prefix(lock, project, fitting[0])
    _finish(
        {
            "id": row.id,
            "interpreter": fitting[0].version,
            "home": str(fitting[0].home),
            "lock": row.lock,
            "build": row.build,
            "products": project.products is not None,
            "test_roots": row.test_roots,
            "target_refusal": "",
        },
        prefix,
        project,
        repeat(builder, lock, project, fitting[0]),
        folder,
    )


def _make(
    snapshot: Snapshot,
    spec: RepositorySpec,
    sandbox: Sandbox,
    settings: Settings,
    available: tuple[Interpreter, ...],
    scratch: Path,
    folder: Path,
) -> None:
    """Build the environment in `scratch`, then move it to `folder` in one step."""
    metadata = read_metadata(snapshot.root)
    plan = _plan(snapshot.root, spec, metadata)
    builder = _builder(snapshot, metadata, sandbox, settings, scratch)
    attempt = best_attempt(builder, plan, _choices(snapshot, spec, metadata, available))
    record = _record(snapshot, spec, plan, attempt)
    built = repeat(builder, attempt.lock, attempt.project, attempt.interpreter)
    _finish(record, attempt.prefix, attempt.project, built, folder)


def _builder(
    snapshot: Snapshot, metadata: Metadata, sandbox: Sandbox, settings: Settings, scratch: Path
) -> Builder:
    return Builder(
        snapshot=snapshot,
        metadata=metadata,
        sandbox=sandbox,
        scratch=scratch,
        newest=_newest(snapshot, settings),
        limits=Limits(
            wall_s=settings.build_timeout_s,
            cpu_s=settings.build_timeout_s,
            memory_bytes=settings.memory_bytes,
            processes=settings.processes,
        ),
    )


def _finish(
    record: Mapping[str, object],
    prefix: Path,
    project: Built,
    built: Mapping[str, Product],
    folder: Path,
) -> None:
    """Move what was built to `folder`; its record comes last and says that it is whole."""
    folder.mkdir()
    provenance.write(built, folder)
    prefix.rename(folder / "prefix")
    if project.products:
        project.products.rename(folder / "products")
    partial = folder / "environment.partial"
    partial.write_text(json.dumps({**record, "format": FORMAT}, indent=1, sort_keys=True))
    partial.rename(folder / "environment.json")


def _plan(root: Path, spec: RepositorySpec, metadata: Metadata) -> Plan:
    tests = find_tests(root)
    if spec.install is not None:
        return Plan(metadata, tests, _override(root, metadata, spec.install), (), fixed=True)
    if not tests.files and not spec.test:
        raise Rejected("no tests", "no file of the tree looks like a test module")
    needs = wanted(root, metadata)
    guesses = distributions_used(root, tests.files, tests.options)
    return Plan(metadata, tests, needs, guesses, fixed=False)


def _override(root: Path, metadata: Metadata, install: Install) -> Wanted:
    groups = Groups(root, metadata)
    asked = [*metadata.dependencies, *install.requirements]
    for name in install.extras:
        asked += groups.of_extra(name)
    for name in install.groups:
        asked += groups.of_group(name)
    return Wanted(tuple(dict.fromkeys(asked)), (), ("repos.yaml",))


def _choices(
    snapshot: Snapshot,
    spec: RepositorySpec,
    metadata: Metadata,
    available: tuple[Interpreter, ...],
) -> tuple[Interpreter, ...]:
    """Return the interpreters to try, the best first."""
    here = ", ".join(i.version for i in available)
    if spec.python:
        asked = [i for i in available if f"{i.version}.".startswith(f"{spec.python}.")]
        if not asked:
            raise Rejected("no suitable interpreter", f"wants {spec.python}; here: {here}")
        return (asked[0],)
    found = suitable(metadata, available, snapshot.released)
    if not found:
        detail = f"requires Python {metadata.requires_python}; here: {here}"
        raise Rejected("no suitable interpreter", detail)
    return found[:CHOICES]


def _record(
    snapshot: Snapshot, spec: RepositorySpec, plan: Plan, attempt: Attempt
) -> dict[str, object]:
    """Return the environment as JSON, with what else a person may ask."""
    interpreter = attempt.interpreter
    packages = site.site_packages(attempt.prefix, interpreter.minor)
    modules = site.top_level_modules(snapshot.root)
    copied = site.second_copies(packages, modules)
    if copied:
        raise Rejected("a dependency brings in a second copy", ", ".join(copied))
    refusal = ""
    if plan.metadata.name in site.closure(packages, runner(interpreter)):
        refusal = f"the runner itself needs {plan.metadata.name}"
    lock = attempt.lock
    build = (*(built.command for built in lock.built), attempt.project.command)
    roots = spec.test or plan.tests.roots
    identity = [snapshot.tree, interpreter.version, lock.pins, build, roots]
    return {
        "id": hashlib.sha256(json.dumps(identity).encode()).hexdigest(),
        "interpreter": interpreter.version,
        "home": str(interpreter.home),
        "lock": lock.pins,
        "build": build,
        "products": attempt.project.products is not None,
        "test_roots": roots,
        "target_refusal": refusal,
        "origins": attempt.origins,
        "collected": asdict(attempt.collected),
    }


def _read(folder: Path) -> Environment:
    record = json.loads((folder / "environment.json").read_text())
    return Environment(
        id=record["id"],
        interpreter=record["interpreter"],
        prefix=folder / "prefix",
        home=Path(record["home"]),
        lock=tuple(record["lock"]),
        build=tuple(record["build"]),
        products=folder / "products" if record["products"] else None,
        test_roots=tuple(record["test_roots"]),
        target_refusal=record["target_refusal"],
    )


def _newest(snapshot: Snapshot, settings: Settings) -> date | None:
    if settings.exclude_newer:
        return settings.exclude_newer
    # What the project needs may have been released together with it.
    return snapshot.released + timedelta(days=1) if snapshot.released else None


def _key(
    snapshot: Snapshot,
    spec: RepositorySpec,
    settings: Settings,
    available: tuple[Interpreter, ...],
) -> str:
    """Return a name for everything that an environment is made from."""
    inputs = (
        *(FORMAT, snapshot.tree, snapshot.version, str(_newest(snapshot, settings))),
        *(spec.install, spec.test, spec.python),
        *((i.version, str(i.executable)) for i in available),
    )
    return hashlib.sha256(repr(inputs).encode()).hexdigest()[:16]
