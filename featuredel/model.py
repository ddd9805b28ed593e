"""Every record, in the order in which it comes to exist.

All are frozen and slotted. Paths inside a repository are POSIX strings relative to its root.
Lines count from 1, as in tracebacks. Code lines are lines that are neither blank, nor only a
comment, nor part of a docstring.
"""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NewType

TestId = NewType("TestId", str)
"""A pytest node id relative to the root of the tree: `tests/test_a.py::TestB::test_c[d e]`."""

DefinitionId = NewType("DefinitionId", str)
"""`path::qualname`: `src/pkg/mod.py::Class.method`; a whole module is `src/pkg/mod.py::`."""

Outcome = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed", "timeout", "absent"]
"""What became of a test. `error` is set-up, tear-down or import; `absent` never ran at all."""

Form = Literal["removal", "stub"]
Register = Literal["full", "interface", "terse"]
Tier = Literal["trivial", "easy", "medium", "hard", "extreme"]
SeedKind = Literal["definition", "class", "test_class", "test_module", "source_module", "joined"]
DefinitionKind = Literal["module", "class", "function", "method", "constant"]


# --- mine: once a repository ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A repository's tree at one pin, unpacked and never written to again."""

    repository: str  # display name, unique in a run: "more-itertools"
    source: (
        str  # canonical and pinned: "pkg:pypi/more-itertools@11.2.1", "git+https://...@<commit>"
    )
    source_sha256: str  # of the archive; of nothing ("") for git, where `source` holds the commit
    version: str | None
    released: datetime.date | None  # for exclude-newer
    licence: str  # SPDX expression, or "LicenseRef-unknown"
    tree: str  # git tree hash (sha1) of `root`
    root: Path
    language: str = "python"


@dataclass(frozen=True, slots=True)
class Environment:
    """What the tests run in. Inside a sandbox it is mounted read-only at /env."""

    id: str  # sha256 of its inputs: tree, lock, interpreter, build commands, test roots
    interpreter: str  # full version: "3.13.0"
    prefix: Path  # on this machine; mounted at /env
    home: Path  # the base interpreter's installation prefix; mounted at its own path
    lock: tuple[str, ...]  # "name==version", sorted; the project itself is not in it
    build: tuple[str, ...]  # commands that made it, for the record
    products: Path | None  # files that the project's build made inside its tree: a layer above it
    test_roots: tuple[str, ...]  # paths to hand to the runner; () leaves it to the project
    runner: Literal["pytest", "unittest"] = "pytest"
    variables: Mapping[str, str] = field(default_factory=dict)  # environment variables for tests
    target_refusal: str = ""  # why nothing may be deleted from this project, though its tests run


@dataclass(frozen=True, slots=True)
class TestRequest:
    """One run of the tests that a language front-end turns into a command."""

    __test__ = False  # not a test class, though pytest would think so

    ids: tuple[TestId, ...] | None = None  # None: the whole suite
    collect_lines: bool = False  # record which lines of the tree each test executes
    order: Literal["given", "asked", "reversed", "shuffled"] = "given"  # "asked": that of `ids`
    seed: int = 0  # of the shuffle and of PYTHONHASHSEED
    stop_after_failures: int = 0  # so many; 0: never
    stalls: bool = False  # pause the tests now and then, as a busy machine does
    sealed: bool = False  # test modules and pytest's settings are read-only, where that can be
    lean: bool = False  # load as little as may be: asserts say less, other tests are not made
    timeout_s: float = 60.0  # one test, CPU and wall alike
    test_cpu_s: float | None = None  # one test, CPU; None: as above
    slow_cpu_s: Mapping[TestId, float] = field(default_factory=dict)  # of tests that need more
    total_timeout_s: float = 900.0


@dataclass(frozen=True, slots=True)
class TestResult:
    """What one test did in one run."""

    __test__ = False

    outcome: Outcome
    duration_s: float
    reason: str = ""  # first line of what went wrong: "ImportError: cannot import name 'x'"


@dataclass(frozen=True, slots=True)
class Variant:
    """A tree with other files in place, and the tests to run on it."""

    files: Mapping[str, bytes | None]  # None: it is not there
    tests: tuple[TestId, ...] | None = None  # None: all that were asked for
    stop_after_failures: int = 0
    hidden: tuple[str, ...] = ()  # test files where something that fails stands for what is gone
    alone: bool = True  # it shares its process with no other variant
    limits_s: tuple[float, float] | None = None  # of one test, wall and CPU; None: as asked


@dataclass(frozen=True, slots=True)
class Mutant:
    """A tree with a small fault in one function, and where in the snapshot its body is."""

    files: Mapping[str, bytes]
    path: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class PrintedRun:
    """How tests run where there is no featuredel: what they print tells what became of them."""

    argv: tuple[str, ...]
    variables: Mapping[str, str]
    files: Mapping[str, str]  # that must be there, by where
    parser: str  # SWE-bench's name of what reads the output


@dataclass(frozen=True, slots=True)
class Lines:
    """Which lines of the tree each test executed.

    `reached[path][line]` is a bit set over `tests`: bit i is set when `tests[i]`, or a fixture
    that it depends on, or a subprocess of it, executed that line. `imported[path]` are the lines
    that ran outside of any test (module import, conftest import, collection).
    """

    tests: tuple[TestId, ...]
    reached: Mapping[str, Mapping[int, int]]
    imported: Mapping[str, frozenset[int]]


@dataclass(frozen=True, slots=True)
class TestRun:
    """One run of a suite. A test that was asked for and never reported is `absent`."""

    __test__ = False

    results: Mapping[TestId, TestResult]
    collection_errors: Mapping[str, str]  # test file -> first line of the error
    ended: Literal["finished", "timeout", "crashed", "too many timeouts"]
    detail: str  # tail of the output where `ended` is not "finished"
    cpu_s: float
    wall_s: float
    lines: Lines | None = None
    last: TestId | None = None  # the test that the run ended in, if it ended in one
    shared: bool = False  # in a process that other variants ran in as well
    exit_code: int | None = None  # None unless the runner exited by itself; -n: signal n
    left: int = 0  # processes that it had not ended


@dataclass(frozen=True, slots=True)
class SetAside:
    """A test that cannot serve: it fails, or its result changes from run to run."""

    id: TestId
    kind: Literal["failing", "unstable", "order-dependent", "skipped", "slow"]
    reason: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The tests that passed in every run, in the order of their ids, and what they execute."""

    tests: tuple[TestId, ...]
    durations_s: tuple[float, ...]  # parallel to `tests`
    set_aside: tuple[SetAside, ...]
    lines: Lines  # its `tests` are exactly the tests above


@dataclass(frozen=True, slots=True)
class Definition:
    """Something with a name in the tree. Lines include decorators; a module spans its file.

    One name may be bound at several places of its scope (overloads, a property's setter, if and
    else): that is one definition with several spans. `first_line` and `last_line` are those of
    the longest.
    """

    id: DefinitionId
    path: str
    qualname: str  # "Class.method"; "" for a module
    kind: DefinitionKind
    parent: DefinitionId | None  # the class or function around it, else the module
    first_line: int
    last_line: int
    code_lines: int
    public: bool  # no leading underscore anywhere, or listed in __all__
    documented: bool  # has a docstring
    spans: tuple[tuple[int, int], ...] = ()  # first and last line of every place that binds it
    bodies: tuple[tuple[int, int], ...] = ()  # what runs when it is called; no docstring, no header
    abstract: bool = False  # marked abstract, or does nothing but raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Reference:
    """A place that names a definition.

    `strong`: the name resolves to the target by the language's scoping rules. A weak one is an
    attribute (`x.name`) or a string that names it and nothing else in the tree.
    """

    holder: DefinitionId  # the innermost definition around the place
    path: str
    line: int
    column: int  # UTF-8 bytes from the start of the line, as in ast
    target: DefinitionId
    kind: Literal["name", "import", "attribute", "string", "decorator", "annotation", "base"]
    strong: bool
    check: bool = False  # only asks whether something is one of it: isinstance, except


@dataclass(frozen=True, slots=True)
class Index:
    """All definitions and references of a tree, source and tests alike."""

    definitions: Mapping[DefinitionId, Definition]
    references: tuple[Reference, ...]
    test_paths: frozenset[str]  # files that hold tests or exist only for them
    ambiguous: tuple[
        Reference, ...
    ] = ()  # weak ones that name one of several: same place, each target
    pinned: frozenset[DefinitionId] = (
        frozenset()
    )  # in build configuration, or named by it; must stay


@dataclass(frozen=True, slots=True)
class Feature:
    """A set of definitions that belong together, and the tests that live on it (T)."""

    id: str  # 16 hex digits of a hash over repository tree and definitions
    name: str  # its entry point as a person would say it: "jinja2.ext.Extension"
    seed: DefinitionId
    seed_kind: SeedKind
    definitions: tuple[DefinitionId, ...]  # sorted; a class stands for all its members
    tests: tuple[TestId, ...]
    code_lines: int
    density: float  # mean over definitions of |tests(d)| / |T|
    component_share: float  # lines of this connected part / lines of the closure E(T)
    rank: float  # higher reads more like a feature that a maintainer would name
    parents: tuple[str, ...] = ()  # ids of features that hold this one


@dataclass(frozen=True, slots=True)
class Mined:
    """All that is known of a repository before anything is deleted."""

    snapshot: Snapshot
    environment: Environment
    baseline: Baseline
    index: Index
    features: tuple[Feature, ...]  # in the order in which to try them


# --- forge: once a feature -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HiddenFile:
    """A test file as the grader lays it over the solver's tree."""

    path: str
    mode: int  # 0o100644, 0o100755 or 0o120000
    content: bytes


@dataclass(frozen=True, slots=True)
class Retreat:
    """A definition that was kept after all, and what could not be unwired."""

    definition: DefinitionId
    reason: str


@dataclass(frozen=True, slots=True)
class Deletion:
    """The edit that removes a feature, not yet believed."""

    feature: Feature  # after retreat: exactly what is removed, with its T
    form: Form
    edits: Mapping[str, bytes | None]  # solver's tree against the snapshot; None: file removed
    gold_paths: tuple[str, ...]  # the edited paths that are not tests
    hidden_files: tuple[HiddenFile, ...]  # every test file that was edited, removed or needed
    hidden_tests: tuple[TestId, ...]  # baseline tests that the visible tree no longer holds
    retreats: tuple[Retreat, ...]
    collateral_lines: int  # code lines cut inside definitions that stay


@dataclass(frozen=True, slots=True)
class Gate:
    """One check of a candidate, with what was seen."""

    name: str
    outcome: Literal["passed", "failed", "measured"]
    evidence: str  # JSON


NEUTRAL, CANARY_PASSES, CANARY_FAILS = "neutral", "canary that passes", "canary that fails"


@dataclass(frozen=True, slots=True)
class Control:
    """A form of hidden tests, and what is known of it with gold: a neutral one passes.

    A canary comes out as its kind says; all other kinds make tests fail that passed.
    """

    kind: str
    path: str  # of the hidden file that it changes, or of a new one
    patch: bytes  # against the hidden file as the row has it: a git patch without context
    tests: tuple[TestId, ...] = ()  # that come out so; schema version 1 had none


@dataclass(frozen=True, slots=True)
class Verdict:
    """Every gate of an accepted candidate, and what they measured."""

    gates: tuple[Gate, ...]
    f2p: tuple[TestId, ...]
    p2p_excluded: tuple[TestId, ...]  # baseline tests that are neither F2P nor P2P
    mutants: int
    reward_strength: float | None  # share of mutants that F2P kill; None without mutants
    controls: tuple[Control, ...] = ()  # that gold was seen to pass


@dataclass(frozen=True, slots=True)
class Statement:
    """What the solver reads. None: rejected in that register, with the reason in `gaps`."""

    full: str | None
    interface: str | None
    terse: str | None
    gaps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # register -> untold needs


@dataclass(frozen=True, slots=True)
class Scores:
    """Difficulty in [0, 1] by register; harder is higher."""

    full: float
    interface: float
    terse: float


@dataclass(frozen=True, slots=True)
class Difficulty:
    """What is known of a task's difficulty without a solver."""

    scores: Scores
    tier: Tier
    gold_lines: int
    gold_files: int
    gold_definitions: int
    branches: int
    fan_in: int
    fan_out: int


# --- write and use -------------------------------------------------------------------------


ControlOutcome = Literal["held", "broken", "inconclusive", "not run"]


@dataclass(frozen=True, slots=True)
class ControlResult:
    """What a grading saw of one kind of control. Only `broken` is a verdict."""

    kind: str
    outcome: ControlOutcome
    tests: tuple[TestId, ...] = ()  # for "broken" and "inconclusive" those to blame, else all
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One row of the tasks table: with the snapshot, enough to build, solve and grade it."""

    schema_version: int
    task_id: str
    repository: str
    source: str
    source_sha256: str
    snapshot_tree: str
    task_tree: str
    environment_id: str
    language: str
    licence: str
    split: str
    form: Form
    feature: str
    rank: float  # how much it reads like a feature that a maintainer would name, in [0, 1]
    seed_kind: SeedKind
    tier: str
    leak_report_sha256: str
    definitions: tuple[str, ...]
    parents: tuple[str, ...]
    overlaps: tuple[str, ...]
    statement_full: str | None
    statement_interface: str | None
    statement_terse: str | None
    deletion_patch: bytes
    gold_patch: bytes
    hidden_files: tuple[HiddenFile, ...]
    controls: tuple[Control, ...]
    allowed_paths: tuple[str, ...]
    test_command: tuple[str, ...]
    f2p: tuple[TestId, ...]
    p2p_excluded: tuple[TestId, ...]
    test_timeout_s: int
    f2p_count: int
    p2p_count: int
    gold_lines: int
    gold_files: int
    gold_definitions: int
    branches: int
    fan_in: int
    fan_out: int
    mutants: int
    secret_needles: int
    reward_strength: float | None
    gates: tuple[Gate, ...]
    difficulty: Scores


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A row of the statements table: a task as a solver meets it in one register."""

    task_id: str
    repository: str
    snapshot_tree: str
    task_tree: str
    environment_id: str
    language: str
    licence: str
    split: str
    form: Form
    tier: str  # of the task: by its difficulty in the register full
    register: Register
    statement: str
    difficulty: float  # in this register
    test_timeout_s: int
    f2p_count: int
    p2p_count: int


@dataclass(frozen=True, slots=True)
class Rejection:
    """A repository or candidate that was turned down; kept, with its price."""

    repository: str
    subject: str  # the repository's source, or "feature-id form name"
    stage: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Cost:
    """What a stage took for a subject. The only table that holds clocks and hosts."""

    repository: str
    subject: str
    stage: str
    cpu_s: float
    wall_s: float
    host: str


@dataclass(frozen=True, slots=True)
class Reward:
    """The outcome of a grading: reward = share of F2P that pass if every P2P passes, else 0."""

    reward: float
    resolved: bool
    f2p_rate: float
    p2p_rate: float
    outcomes: Mapping[TestId, Outcome]  # of every F2P, and of every P2P that did not pass
    dropped: tuple[str, ...]  # paths of the submission that may not cross, reported, never zeroed
    reason: str = ""  # why no test was run: the diff does not apply
    durations_s: Mapping[TestId, float] = field(default_factory=dict)  # of every F2P that passed
    controls: tuple[ControlResult, ...] = ()
    tampered: bool = False  # a control is broken: the reward is 0, whatever passed
    uncontrolled: tuple[TestId, ...] = ()  # F2P that the pool holds no control of
    seed: int | None = None  # of what was drawn; the same seed draws the same


@dataclass(frozen=True, slots=True)
class SnapshotRow:
    """A row of the snapshots table: the tree itself, so that a dataset needs no network."""

    repository: str
    source: str
    source_sha256: str
    version: str | None
    released: str | None  # ISO date
    licence: str
    tree: str
    archive: bytes  # tar, as one zstd frame
    archive_size: int  # bytes of the tar before compression


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """A row of the environments table: enough to build the environment again."""

    id: str
    repository: str
    interpreter: str
    lock: tuple[str, ...]
    build: tuple[str, ...]
    test_roots: tuple[str, ...]
    runner: str
    variables: str  # JSON object


@dataclass(frozen=True, slots=True)
class TestRow:
    """A row of the tests table: what the baseline found of one test."""

    __test__ = False

    repository: str
    snapshot_tree: str
    environment_id: str
    id: TestId
    status: str  # "passed" in every run, or the kind of `SetAside`
    reason: str


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """A row of the calibration table: the Beta posterior of a task's solve rate in a register."""

    repository: str
    task_id: str
    register: Register
    attempts: int  # counted outcomes of this task and register
    solved: int
    alpha: float
    beta: float
    mean: float
    low: float  # 5th and 95th percentile
    high: float


# --- use: once an attempt of a model -------------------------------------------------------

Ended = Literal["submitted", "turns", "time", "context", "error"]
"""What ended an attempt. With all but "error" it was graded as it stood."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A row of the outcomes of solving: what became of one attempt of a model at a task.

    With `ended` "error" a machine or the server failed: there is no reward, and it says nothing of
    the model; the attempt is made again by the next run.
    """

    task_id: str
    repository: str
    register: Register
    model: str  # as the server calls it
    attempt: int  # from 1
    ended: Ended
    error: str  # what failed; "" unless `ended` is "error"
    reward: float | None  # this and the next four are None with an error, and only then
    resolved: bool | None
    tampered: bool | None
    f2p_rate: float | None
    p2p_rate: float | None
    turns: int  # answers of the model
    prompt_tokens: int  # of all turns, by the server's account; 0 where it gives none
    completion_tokens: int
    blocks: int  # findings of the monitor in the trajectory, by severity
    flags: int
    notes: int
    wall_s: float  # without grading


@dataclass(frozen=True, slots=True)
class SolveRate:
    """How often a model solves a task in a register; attempts that ended in an error are left out.

    A solve with alarms (findings of the monitor with severity block or flag) counts in `solved`,
    and is told apart in `suspect`.
    """

    task_id: str
    repository: str
    register: Register
    model: str
    attempts: int
    solved: int
    suspect: int  # of the solved, those with alarms
    rate: float  # solved / attempts
