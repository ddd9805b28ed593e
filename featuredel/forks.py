"""Running tests in forks of a process that has the runner loaded: what a task is proven with.

What decides a reward is run in a sandbox of its own; see `grading.py`.
"""

import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from featuredel import trees
from featuredel.grading import reports_nothing, run_tests
from featuredel.languages import Language
from featuredel.model import Environment, TestId, TestRequest, TestRun, Variant
from featuredel.sandbox import Sandbox

FORK_GRACE_S = 30.0
"""A fork may take this much longer than its tests may."""


def run_compiled(
    language: Language, sandbox: Sandbox, environment: Environment,
    layers: tuple[Path, ...], request: TestRequest, work: Path,
    paths: Collection[str], tests: Collection[TestId],
) -> TestRun:  # fmt: skip
    """Run the tests as `run_tests` does, but for compiling the files at `paths`.

    A session of `run_forked` does that, which keeps what it compiles: most files are the same in
    all trees of a repository. `tests` are the whole suite.
    """
    session = sandbox.open(language.warm_command(environment, work, request.seed))
    code = None
    if session is not None:
        question = language.code_question(environment, work, layers, paths, tests)
        code = session.ask(question, FORK_GRACE_S)
    if code is None:
        return run_tests(language, sandbox, environment, layers, request)
    command = language.test_command(environment, layers, request)
    with tempfile.TemporaryDirectory(prefix="code-", dir=work) as directory:
        file = Path(directory) / "packed"
        file.write_bytes(code)
        return language.test_run(request, sandbox.run(language.with_code(command, file)))


def run_forked(
    language: Language, sandbox: Sandbox, environment: Environment,
    layers: tuple[Path, ...], request: TestRequest, work: Path,
    files: Mapping[str, bytes | None] = MappingProxyType({}),
) -> TestRun:  # fmt: skip
    """Run the tests once, on the tree with `files` replaced (None: taken away), in a fork.

    That does not pay for the start.

    They run in a fork of a process that has the runner loaded and no code of any tree; what one
    run does to its tree, its memory or its temporary files, the next does not see. The trees must
    lie in `work`. Where the sandbox has no sessions, its session ends, or the fork dies before it
    tells of any test, they run as in `run_tests`.
    """
    session = sandbox.open(language.warm_command(environment, work, request.seed))
    if session is not None:
        question = language.warm_question(environment, work, layers, request, files)
        answer = session.ask(question, request.total_timeout_s + FORK_GRACE_S)
        if answer is not None:
            run = language.warm_run(request, answer)
            if run.ended != "crashed" or not reports_nothing(run):
                return run
    with tempfile.TemporaryDirectory(prefix="variant-", dir=work) as directory:
        if files:
            *above, tree = layers
            trees.build_tree(tree, files, Path(directory) / "tree")
            layers = (*above, Path(directory) / "tree")
        return run_tests(language, sandbox, environment, layers, request)


def run_variants(
    language: Language, sandbox: Sandbox, environment: Environment,
    layers: tuple[Path, ...], request: TestRequest, work: Path,
    variants: Sequence[Variant], ran: Mapping[str, frozenset[int]], most: int = 1,
) -> Iterator[TestRun | None]:  # fmt: skip
    """Run the tests with each of `variants` in place, in forks of a suite collected once.

    Of those that need not be alone, up to `most` share a fork. None stands for what cannot be
    told so, because more changes than what was only defined before the tests began; `ran` are the
    lines by file that run before.
    """
    found: Mapping[int, TestRun] = {}
    session = sandbox.open(language.warm_command(environment, work, request.seed))
    if session is not None and len(variants) > 1:
        changed = {path for variant in variants for path in variant.files}
        question = language.warm_question(
            environment, work, layers, request, {}, variants, most,
            {path: lines for path, lines in ran.items() if path in changed},
        )  # fmt: skip
        answer = session.ask(question, request.total_timeout_s + FORK_GRACE_S)
        if answer is not None:
            found = language.variant_runs(request, answer)
    for number in range(len(variants)):
        yield found.get(number)
