"""The story in three straight lines: `mine` a repository, `prepare` candidates, `forge` a task."""

import contextlib
import dataclasses
import gc
import resource
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from featuredel import git, trees
from featuredel.config import RepositorySpec, Settings
from featuredel.errors import Rejected
from featuredel.gates.leaks import base_for, check_environment, no_trace
from featuredel.gates.leaks import secrets as find_secrets
from featuredel.gates.trial import passed
from featuredel.languages import Language, front_end
from featuredel.model import (
    Cost,
    Deletion,
    Feature,
    Form,
    Mined,
    Rejection,
    Task,
    TestId,
    TestRequest,
    TestRun,
)
from featuredel.patches import added_text
from featuredel.sandbox import Command, ExecResult, Ground, Sandbox, Session
from featuredel.scratch import standing_scratch
from featuredel.stages.acquire import acquire
from featuredel.stages.baseline import baseline
from featuredel.stages.delete import delete
from featuredel.stages.describe import describe
from featuredel.stages.discover import discover
from featuredel.stages.environment import environment
from featuredel.stages.narrow import narrow
from featuredel.stages.score import score
from featuredel.stages.screen import screen
from featuredel.stages.validate import validate
from featuredel.stages.write import task_row

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Tools:
    """What every stage is handed: where to run things, how, and where to keep them."""

    sandbox: Sandbox
    settings: Settings
    work: Path  # caches and snapshots of this machine; may be deleted at any time
    tell: Callable[[str], None] = lambda _: None  # called as each stage begins
    tell_gate: Callable[[str], None] = lambda _: None  # as each group of gates in it begins


@dataclass(frozen=True, slots=True)
class MineResult:
    """What became of a repository: what is known of it, or why it was turned down."""

    repository: str
    mined: Mined | None
    rejection: Rejection | None
    costs: tuple[Cost, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A feature that was deleted, and what of T notices; or why it cannot be deleted."""

    feature: Feature
    form: Form
    deletion: Deletion | None
    noticed: TestRun | None  # T without the feature
    rejection: Rejection | None
    costs: tuple[Cost, ...]


@dataclass(frozen=True, slots=True)
class ForgeResult:
    """What became of a candidate: a task, or why it was turned down."""

    feature: Feature
    form: Form
    task: Task | None
    rejection: Rejection | None
    costs: tuple[Cost, ...]


def mine(spec: RepositorySpec, tools: Tools) -> MineResult:
    """Find out all about a repository that its tasks need."""
    ledger = Ledger(spec.name, spec.source, tools)
    return MineResult(spec.name, *ledger.outcome(lambda: _mine(spec, tools, ledger)))


def _mine(spec: RepositorySpec, tools: Tools, ledger: "Ledger") -> Mined:
    settings, sandbox = tools.settings, ledger.sandbox
    with ledger.stage("acquire"):
        snapshot = acquire(spec, tools.work, settings)
    language = front_end(snapshot.language)
    with ledger.stage("environment"):
        built = environment(snapshot, spec, sandbox, tools.work, settings)
        check_environment(built)
    with ledger.stage("baseline"):
        base = baseline(snapshot, built, language, sandbox, settings)
    with ledger.stage("discover"):
        if built.target_refusal:
            seen = f"baseline: {len(base.tests)} tests pass"
            raise Rejected("cannot be a target", f"{built.target_refusal}; {seen}")
        index = language.index(snapshot.root)
        features = discover(index, base, settings)
    return Mined(snapshot, built, base, index, features)


def prepare(
    mined: Mined, wanted: Sequence[tuple[Feature, Form]], tools: Tools
) -> tuple[Candidate, ...]:
    """Delete features, each by itself, and find out for all together which tests notice."""
    found = [_deleted(mined, feature, form, tools) for feature, form in wanted]
    settle()
    there = [n for n, candidate in enumerate(found) if candidate.deletion is not None]
    together = Ledger(mined.snapshot.repository, "", tools)
    with standing_scratch(tools.work, _standing(mined)) as place, together.stage("screen"):
        runs = screen(
            mined.snapshot, mined.environment, mined.baseline,
            [candidate.deletion for candidate in found if candidate.deletion is not None],
            front_end(mined.snapshot.language), together.sandbox, tools.settings, place,
        )  # fmt: skip
    for n, run in zip(there, runs, strict=True):
        share = _share(together.costs[0], found[n].costs[0].subject, len(there))
        found[n] = dataclasses.replace(found[n], noticed=run, costs=(*found[n].costs, share))
    return tuple(found)


def settle() -> None:
    """Have the garbage collector pass over what is there: what candidates share lives long.

    It would else look through all of it again and again, for a third of this process's time.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _deleted(mined: Mined, feature: Feature, form: Form, tools: Tools) -> Candidate:
    ledger = Ledger(mined.snapshot.repository, f"{feature.id} {form} {feature.name}", tools)

    def work() -> Deletion:
        with ledger.stage("delete"):
            return _delete(mined, feature, form, tools)

    deletion, rejection, costs = ledger.outcome(work)
    return Candidate(feature, form, deletion, None, rejection, costs)


def _delete(
    mined: Mined, feature: Feature, form: Form, tools: Tools, spared: Collection[TestId] = ()
) -> Deletion:
    language = front_end(mined.snapshot.language)
    return delete(
        mined.snapshot, mined.index, mined.baseline, feature, form, language, tools.settings, spared
    )


def _share(cost: Cost, subject: str, of: int) -> Cost:
    """Return what one of several subjects has to bear of a cost."""
    return dataclasses.replace(
        cost, subject=subject, cpu_s=cost.cpu_s / of, wall_s=cost.wall_s / of
    )


def forge(mined: Mined, candidate: Candidate, tools: Tools) -> ForgeResult:
    """Find out whether a candidate makes a task."""
    feature, form = candidate.feature, candidate.form
    if candidate.deletion is None:
        return ForgeResult(feature, form, None, candidate.rejection, candidate.costs)
    ledger = Ledger(mined.snapshot.repository, f"{feature.id} {form} {feature.name}", tools)
    task, rejection, costs = ledger.outcome(lambda: _forge(mined, candidate, tools, ledger))
    return ForgeResult(feature, form, task, rejection, candidate.costs + costs)


def _forge(mined: Mined, candidate: Candidate, tools: Tools, ledger: "Ledger") -> Task:
    snapshot, settings = mined.snapshot, tools.settings
    language: Language = front_end(snapshot.language)
    deletion, seen = candidate.deletion, candidate.noticed
    assert deletion is not None and seen is not None  # `forge` has seen to it

    def again(spared: Collection[TestId]) -> Deletion:
        return _delete(mined, candidate.feature, candidate.form, tools, spared)

    with ledger.stage("narrow"):
        noticing = frozenset(seen.results) - passed(seen.results, seen.results)
        deletion = narrow(snapshot.root, deletion, noticing, language, again)
    with standing_scratch(tools.work, _standing(mined)) as place:
        tree = place / "tree"
        trees.build_tree(snapshot.root, deletion.edits, tree)
        restore = {path: _original(snapshot.root, path) for path in deletion.gold_paths}
        gold_patch = git.diff(tree, restore)
        with ledger.stage("validate"):
            base = base_for(language, mined.environment, ledger.sandbox, tools.work)
            secrets = find_secrets(added_text(gold_patch), tree, base)
            verdict = validate(
                snapshot, mined.environment, mined.baseline, deletion, language,
                ledger.sandbox, settings, place, earlier=(seen,), begins=tools.tell_gate,
            )  # fmt: skip
        with ledger.stage("describe"):
            statement, complete = describe(
                snapshot, mined.environment, mined.index, deletion, verdict, language,
                ledger.sandbox, settings, place,
            )  # fmt: skip
            clean, report = no_trace(
                secrets, statement, deletion.hidden_files, tree, mined.environment, base
            )
            verdict = dataclasses.replace(verdict, gates=(*verdict.gates, complete, clean))
        with ledger.stage("score"):
            difficulty = score(snapshot.root, mined.index, deletion, gold_patch, verdict, language)
        return task_row(
            mined, deletion, verdict, statement, difficulty, report,
            deletion_patch=git.diff(snapshot.root, deletion.edits),
            gold_patch=gold_patch, task_tree=trees.tree_hash(tree),
            test_command=language.test_command(mined.environment, (), TestRequest()).argv,
            settings=settings,
        )  # fmt: skip


def _standing(mined: Mined) -> str:
    """Name what is the same for each candidate of a repository: its session serves them all."""
    return f"{threading.get_ident()}_{mined.snapshot.tree[:16]}"


def _original(root: Path, path: str) -> bytes | None:
    return trees.read(root, path) if (root / path).exists() else None


# --- what it cost --------------------------------------------------------------------------


@dataclass(slots=True)
class _MeteredSandbox:
    """A sandbox under the settings' limits, which adds up the processor time of what ran in it."""

    inner: Sandbox
    settings: Settings
    name: str
    cpu_s: float = 0.0

    def run(self, command: Command) -> ExecResult:
        result = self.inner.run(self._limited(command))
        self.cpu_s += result.cpu_s
        return result

    def seen(self, command: Command) -> contextlib.AbstractContextManager[tuple[Ground, ...]]:
        return self.inner.seen(command)

    def open(self, command: Command) -> Session | None:
        session = self.inner.open(self._limited(command))
        return None if session is None else _MeteredSession(session, self)

    def _limited(self, command: Command) -> Command:
        limits = dataclasses.replace(
            command.limits,
            memory_bytes=self.settings.memory_bytes,
            processes=self.settings.processes,
        )
        return dataclasses.replace(command, limits=limits)


@dataclass(slots=True)
class _MeteredSession:
    inner: Session
    meter: _MeteredSandbox

    @property
    def cpu_s(self) -> float:
        return self.inner.cpu_s

    @property
    def closed(self) -> bool:
        return self.inner.closed

    def ask(self, question: bytes, wall_s: float) -> bytes | None:
        before_s = self.inner.cpu_s
        answer = self.inner.ask(question, wall_s)
        self.meter.cpu_s += self.inner.cpu_s - before_s
        return answer

    def close(self) -> None:
        self.inner.close()


@dataclass(slots=True)
class Ledger:
    """Keeps what each stage of one subject cost, and turns `Rejected` into a row."""

    repository: str
    subject: str
    tools: Tools
    sandbox: _MeteredSandbox = field(init=False)
    costs: list[Cost] = field(default_factory=list)
    current: str = "start"

    def __post_init__(self) -> None:
        self.sandbox = _MeteredSandbox(
            self.tools.sandbox, self.tools.settings, self.tools.sandbox.name
        )

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Charge what happens inside to the stage `name`."""
        self.current = name
        self.tools.tell(name)
        cpu, inside, wall = _own_cpu_s(), self.sandbox.cpu_s, time.monotonic()
        try:
            yield
        finally:
            spent = _own_cpu_s() - cpu + self.sandbox.cpu_s - inside
            elapsed = time.monotonic() - wall
            host = socket.gethostname()
            self.costs.append(Cost(self.repository, self.subject, name, spent, elapsed, host))

    def outcome(self, work: Callable[[], T]) -> tuple[T | None, Rejection | None, tuple[Cost, ...]]:
        """Return what `work` returned, or the rejection that it raised, and what it cost."""
        try:
            return work(), None, tuple(self.costs)
        except Rejected as why:
            rejection = Rejection(
                self.repository, self.subject, self.current, why.reason, why.detail
            )
            return None, rejection, tuple(self.costs)


def _own_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
