from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from candidates import (
    EDITS,
    HIDDEN,
    REACHED,
    TESTS,
    NoSandbox,
    ScriptedPython,
    by_names,
    deletion,
    environment,
    language,
    write,
)

from featuredel import trees
from featuredel.errors import InfrastructureError
from featuredel.grading import Exam, grade, graded_tree, lay_hidden, reward, run_settled, run_tests
from featuredel.model import HiddenFile, Outcome, Reward, TestId, TestRequest, TestResult, TestRun
from featuredel.sandbox import ExecResult

ADD, MUL, MUL_ZERO, NEG = TESTS
EXAM = Exam(deletion().hidden_files, REACHED, (ADD, NEG), ("calc/",))
ANSWER = {
    "calc/__init__.py": b"from calc.core import add\nfrom calc.more import mul\n",
    "calc/more.py": b"def neg(a):\n    return -a\n\n\ndef mul(a, b):\n    return a * b\n",
}


def results(**outcomes: Outcome) -> Mapping[TestId, TestResult]:
    return {TestId(name): TestResult(outcome, 0.0) for name, outcome in outcomes.items()}


def exam(f2p: str, p2p: str) -> Exam:
    ids = [tuple(TestId(test) for test in tests.split()) for tests in (f2p, p2p)]
    return Exam((), ids[0], ids[1], ())


def test_reward_is_the_share_of_f2p() -> None:
    found = reward(results(a="passed", b="failed", c="passed"), exam("a b", "c"))
    assert (found.reward, found.resolved, found.f2p_rate, found.p2p_rate) == (0.5, False, 0.5, 1.0)
    assert found.outcomes == {"a": "passed", "b": "failed"}


def test_a_broken_p2p_takes_it_all() -> None:
    found = reward(results(a="passed", c="failed"), exam("a", "c d"))
    assert (found.reward, found.resolved, found.f2p_rate, found.p2p_rate) == (0.0, False, 1.0, 0.0)
    assert found.outcomes == {"a": "passed", "c": "failed", "d": "absent"}


@pytest.mark.parametrize(
    "outcome", ["failed", "error", "skipped", "xfailed", "xpassed", "timeout", "absent"]
)
def test_only_passed_passes(outcome: Outcome) -> None:
    assert reward(results(a=outcome), exam("a", "")).reward == 0.0


def test_all_passing_resolves() -> None:
    found = reward(results(a="passed", c="passed"), exam("a", "c"), ("x",))
    assert found.reward == 1.0 and found.resolved and found.dropped == ("x",)


def test_no_tests_earn_nothing() -> None:
    found = reward({}, exam("", ""))
    assert (found.reward, found.resolved) == (0.0, False)


# --- from trees ----------------------------------------------------------------------------


def earn(
    tmp_path: Path, answer: Mapping[str, bytes], script: ScriptedPython | None = None
) -> Reward:
    task, solved = tmp_path / "task", tmp_path / "solved"
    trees.build_tree(write(tmp_path / "snapshot"), EDITS, task)
    trees.build_tree(task, {}, solved)
    for path, content in answer.items():
        (solved / path).parent.mkdir(parents=True, exist_ok=True)
        (solved / path).unlink(missing_ok=True)
        (solved / path).write_bytes(content)
    return grade(
        language(script or ScriptedPython()), NoSandbox(), environment(), task, solved, EXAM,
        tmp_path,
    )  # fmt: skip


def test_an_untouched_tree_earns_nothing(tmp_path: Path) -> None:
    found = earn(tmp_path, {})
    assert (found.reward, found.p2p_rate) == (0.0, 1.0)
    assert found.outcomes == {MUL: "failed", MUL_ZERO: "failed"}


def test_an_answer_earns_all(tmp_path: Path) -> None:
    assert earn(tmp_path, ANSWER).resolved


def test_a_runner_that_does_not_start_is_no_verdict(tmp_path: Path) -> None:
    def nothing(_tree: Mapping[str, bytes]) -> tuple[TestId, ...]:
        return ()

    with pytest.raises(InfrastructureError, match="not even without the solution"):
        earn(tmp_path, ANSWER, ScriptedPython(collected=nothing))


def test_an_answer_that_keeps_the_runner_from_starting_earns_nothing(tmp_path: Path) -> None:
    def all_or_nothing(tree: Mapping[str, bytes]) -> tuple[TestId, ...]:
        return () if b"_exit" in tree["calc/more.py"] else TESTS

    script = ScriptedPython(collected=all_or_nothing)
    assert earn(tmp_path, {"calc/more.py": b"import os\nos._exit(0)\n"}, script).reward == 0


def test_a_solver_cannot_bring_tests(tmp_path: Path) -> None:
    easy = {"tests/test_more.py": b"def test_mul():\n    pass\n", "conftest.py": b"cheat()\n"}
    found = earn(tmp_path, {**ANSWER, **easy})
    assert found.resolved
    assert found.dropped == ("conftest.py", "tests/test_more.py")


def test_the_graded_tree_has_the_hidden_files(tmp_path: Path) -> None:
    script = ScriptedPython()
    earn(tmp_path, ANSWER, script)
    assert script.seen[0]["tests/test_more.py"] == HIDDEN
    assert script.seen[0]["calc/more.py"] == ANSWER["calc/more.py"]


def test_hidden_files_are_never_written_through(tmp_path: Path) -> None:
    base = write(tmp_path / "base")
    files = (
        HiddenFile("tests/test_more.py", 0o100755, b"#!x"),
        HiddenFile("tests/data/link", 0o120000, b"../test_core.py"),
    )
    graded_tree(base, {"calc/new.py": b"x"}, files, tmp_path / "graded")
    assert (base / "tests/test_more.py").read_bytes().startswith(b"from calc import mul")
    assert trees.git_mode(tmp_path / "graded/tests/test_more.py") == 0o100755
    assert (tmp_path / "graded/tests/data/link").is_symlink()
    lay_hidden(files, tmp_path / "graded")  # again does no harm


# --- time-outs and early ends --------------------------------------------------------------


def settle(script: ScriptedPython, tree: Path, *tests: TestId) -> Mapping[TestId, TestResult]:
    request = TestRequest(ids=tests)

    def once(request: TestRequest) -> TestRun:
        return run_tests(language(script), NoSandbox(), environment(), (tree,), request)

    return run_settled(once, request).results


def test_a_time_out_is_run_again_alone(tmp_path: Path) -> None:
    script = ScriptedPython()

    def late_in_company(test: TestId, tree: Mapping[str, bytes]) -> Outcome:
        together = len(script.requests[-1].ids or ()) > 1
        return "timeout" if test == ADD and together else by_names(test, tree)

    script.play = late_in_company
    assert settle(script, write(tmp_path), ADD, NEG)[ADD].outcome == "passed"
    assert [request.ids for request in script.requests] == [(ADD, NEG), (ADD,)]


def test_tests_after_a_crash_are_run_from_the_other_end(tmp_path: Path) -> None:
    class Crashing(ScriptedPython):
        """`test_mul` ends the process."""

        def test_run(self, request: TestRequest, result: ExecResult) -> TestRun:
            run = super().test_run(request, result)
            order = list(run.results)
            if request.order == "reversed":
                order.reverse()
            if MUL not in order:
                return run
            kept = {test: run.results[test] for test in order[: order.index(MUL)]}
            return replace(run, results=kept, ended="crashed")

    found = settle(Crashing(), write(tmp_path), *TESTS)
    assert set(found) == {ADD, MUL_ZERO, NEG}
