"""no trace: of what is deleted nothing is left in anything that a solver gets.

The first half needs no statement and comes before any test is run: a deletion with too few secrets
could never be proved clean, and one whose code stands elsewhere too is no task. The second half
scans what the solver of the full statement gets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from featuredel import trees
from featuredel.errors import Rejected
from featuredel.gates.trial import listed
from featuredel.languages import Language
from featuredel.leaks.base import Base, base_of
from featuredel.leaks.finding import Finding
from featuredel.leaks.held import Secrets, secrets_of
from featuredel.leaks.needles import MINIMUM
from featuredel.leaks.paths import rule
from featuredel.leaks.provenance import explain
from featuredel.leaks.report import Report
from featuredel.leaks.repository import explain_repository, stores_apart
from featuredel.leaks.scan import scan
from featuredel.model import Environment, Gate, HiddenFile, Statement, TestRequest
from featuredel.sandbox import ENVIRONMENT, WORKSPACE, Sandbox

NAME = "no trace"


def base_for(language: Language, environment: Environment, sandbox: Sandbox, work: Path) -> Base:
    """Return the base of the tasks of an environment, read once and kept in `work`.

    It is what the sandbox says that it shows of itself.
    """
    with sandbox.seen(language.test_command(environment, (), TestRequest())) as grounds:
        return base_of(grounds, work)


def check_environment(environment: Environment) -> None:
    """See that every file of an environment is explained, before anything is run in it.

    Raises `Rejected` if one is not: no task of the repository could be proved clean.
    """
    places = _places(environment)
    findings = [_inside(finding, places) for finding in explain(environment).findings]
    if findings:
        raise Rejected("environment is not explained", listed(map(str, findings)))


def secrets(deleted: Mapping[str, str], tree: Path, base: Base) -> Secrets:
    """Return the secrets of a deletion from which `tree` is left.

    Raises `Rejected` if the answer stands elsewhere, or there is too little to look for.
    """
    found = secrets_of(deleted, tree, base)
    if found.copies:
        raise Rejected("the answer stands elsewhere", listed(map(str, found.copies)))
    _enough(found)
    return found


def no_trace(
    found: Secrets, statement: Statement, hidden_files: Sequence[HiddenFile], tree: Path,
    environment: Environment, base: Base,
) -> tuple[Gate, Report]:  # fmt: skip
    """Return the gate and its report for a solver who is given `tree` and the statement.

    The repository that `materialize` makes of it is looked at when that is done: see `report_of`.
    Raises `Rejected` if a trace is found, or too few secrets are left to look for.
    """
    left = untold(found, statement, hidden_files)
    report = report_of(left, tree, environment, base, sum(1 for _ in trees.files(tree)))
    if report.findings:
        raise Rejected("a trace is left", listed(map(str, report.findings)))
    return Gate(NAME, "passed", report.text), report


def untold(found: Secrets, statement: Statement, hidden_files: Sequence[HiddenFile]) -> Secrets:
    """Return what stays secret when all is told that is told in any register.

    Raises `Rejected` if that is too little.
    """
    told = [text for text in (statement.full, statement.interface, statement.terse) if text]
    if statement.terse is not None:  # the tests stand in the tree then
        told += [file.content.decode(errors="replace") for file in hidden_files]
    left = found.without(told)
    _enough(left)
    return left


def report_of(
    left: Secrets, solver: Path, environment: Environment, base: Base, files: int
) -> Report:
    """Return what a scan of a solver's directory and of the environment comes to.

    `files` are those that the deletion left. Where the directory is a repository, that must store
    the tree and nothing else.
    """
    places = {solver: WORKSPACE, **_places(environment)}
    roots = stores_apart(solver)
    if environment.products:
        roots.append(environment.products)
    # where the directory lies is no matter of the task's
    seen = scan(roots, left.needles, base=_Known(base, left.held), path_rules=False)
    explained = explain(environment)
    findings = [*seen.findings, *explained.findings]
    if (solver / ".git").is_dir():
        findings += explain_repository(solver)
    inside = [_inside(finding, places) for finding in findings]
    inside += _by_name(solver / ".git", f"{WORKSPACE}/.git")
    if environment.products:
        inside += _by_name(environment.products, WORKSPACE)
    return Report(
        needles=left.needles,
        candidates=left.candidates,
        in_base=left.in_base,
        in_tree=left.in_tree,
        environment={"id": environment.id, "interpreter": environment.interpreter},
        files=files,
        explained=explained.files,
        findings=tuple(inside),
    )


def _places(environment: Environment) -> dict[Path, str]:
    """Return where the parts of an environment are in the sandbox."""
    products = {environment.products: WORKSPACE} if environment.products else {}
    return {environment.prefix: ENVIRONMENT, **products}


def _enough(found: Secrets) -> None:
    if len(found.needles) < MINIMUM:
        raise Rejected("too few needles", f"{len(found.needles)} of {found.candidates} are secret")


def _by_name(root: Path, target: str) -> list[Finding]:
    """Return what must not be there whatever it holds.

    Of the tree itself that is not asked: what its project keeps under such a name is looked into.
    """
    names = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    places = [f"{target}/{name}" for name in names]
    return [Finding(at, "names", "path", "", why) for at in places if (why := rule(at))]


def _inside(finding: Finding, places: Mapping[Path, str]) -> Finding:
    """Return a finding by the path that its place has in the sandbox."""
    for root, target in places.items():
        if finding.where.startswith(str(root)):
            return replace(finding, where=f"{target}{finding.where.removeprefix(str(root))}")
    return finding


class _Known:
    """What needs no further look: the base, and the texts that are held by right."""

    def __init__(self, base: Base, held: frozenset[str]) -> None:
        self.base, self.held = base, held

    def holds(self, digest: str) -> bool:
        return digest in self.held or self.base.holds(digest)
