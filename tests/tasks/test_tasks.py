"""A toy task, written to a dataset, laid out, solved and graded."""

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from candidates import EDITS, FILES, HIDDEN, TESTS, baseline, this_environment, write
from toy_dataset import ANSWER, write_dataset

from featuredel import tables, trees
from featuredel.errors import DiffError, InfrastructureError, UsageError
from featuredel.model import (
    CANARY_PASSES,
    Control,
    Environment,
    EnvironmentRow,
    HiddenFile,
    Reward,
    Snapshot,
    SnapshotRow,
    Task,
)
from featuredel.patches import new_file_patch, splice_patch
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.tasks.check import check
from featuredel.tasks.grade import grade, nothing_earned
from featuredel.tasks.materialize import materialize
from featuredel.tasks.read import kept_snapshot, kept_task_tree, p2p, read, statement_path

HIDDEN_PATH = "tests/test_more.py"


@pytest.fixture
def dataset(tmp_path: Path) -> str:
    return write_dataset(tmp_path)


@pytest.fixture
def task(dataset: str) -> Task:
    return read(dataset, "feedfeed")


def ensure(row: EnvironmentRow, origin: Snapshot) -> Environment:
    assert row.id == this_environment().id
    assert (origin.root / "calc/more.py").read_bytes() == FILES["calc/more.py"]
    return this_environment()


Earn = Callable[[Path | bytes], Reward]


@pytest.fixture
def earn(task: Task, dataset: str, tmp_path: Path) -> Earn:
    def graded(submission: Path | bytes) -> Reward:
        (tmp_path / "work").mkdir(exist_ok=True)
        return grade(task, dataset, submission, ensure, Bubblewrap(), tmp_path / "work")

    return graded


def git_output(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=True)
    return done.stdout.decode()


def solve(root: Path) -> None:
    for path, content in ANSWER.items():
        (root / path).unlink()
        (root / path).write_bytes(content)


# --- reading -------------------------------------------------------------------------------


def test_read_by_id_and_by_its_beginning(dataset: str) -> None:
    assert read(dataset, "feed" * 4) == read(dataset, "fe")


def test_no_id(dataset: str) -> None:
    with pytest.raises(UsageError, match="TASK is empty"):
        read(dataset, "")


def test_an_unknown_id(dataset: str) -> None:
    with pytest.raises(UsageError, match="no task 'beef'"):
        read(dataset, "beef")


def test_p2p_is_the_rest_of_the_baseline(dataset: str, task: Task) -> None:
    assert p2p(dataset, task) == (TESTS[0], TESTS[3])
    assert baseline().tests == TESTS


def test_the_statement_takes_a_free_name(tmp_path: Path) -> None:
    assert statement_path(write(tmp_path)) == "STATEMENT.md"
    write(tmp_path, {"statement.md": b"", "STATEMENT-1.md": b""})
    assert statement_path(tmp_path) == "STATEMENT-2.md"


def test_the_tree_of_a_task_is_made_once(dataset: str, task: Task, tmp_path: Path) -> None:
    def made(_: int = 0) -> Path:
        origin = kept_snapshot(dataset, task, tmp_path / "work")
        return kept_task_tree(dataset, task, origin.root, tmp_path / "work")

    with ThreadPoolExecutor(8) as pool:
        (kept,) = set(pool.map(made, range(16)))
    assert trees.tree_hash(kept) == task.task_tree
    before = kept.stat()
    assert made() == kept
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert not list((tmp_path / "work").glob("*/.scratch-*"))


def test_a_kept_tree_that_was_changed_gives_no_verdict(
    dataset: str, task: Task, tmp_path: Path
) -> None:
    origin = kept_snapshot(dataset, task, tmp_path)
    kept = kept_task_tree(dataset, task, origin.root, tmp_path)
    (kept / "calc/new.py").write_bytes(b"")
    with pytest.raises(InfrastructureError, match="has been changed; remove it"):
        kept_task_tree(dataset, task, origin.root, tmp_path)


# --- materialize ---------------------------------------------------------------------------


def test_the_solvers_tree(dataset: str, task: Task, tmp_path: Path) -> None:
    root = tmp_path / "solver"
    statement = materialize(task, dataset, root, "full")
    assert statement == root / "STATEMENT.md"
    assert statement.read_text() == "Write add."
    assert (root / "calc/more.py").read_bytes() == EDITS["calc/more.py"]
    assert (root / "tests/test_more.py").read_bytes() == EDITS["tests/test_more.py"]
    assert git_output(root, "rev-list", "--count", "--all").strip() == "1"
    assert git_output(root, "status", "--porcelain") == ""


def test_terse_holds_the_hidden_tests(dataset: str, task: Task, tmp_path: Path) -> None:
    materialize(task, dataset, tmp_path / "solver", "terse")
    assert (tmp_path / "solver/tests/test_more.py").read_bytes() == HIDDEN


def test_a_register_that_was_rejected(dataset: str, task: Task, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no statement in the register 'interface'; it has full"):
        materialize(task, dataset, tmp_path / "solver", "interface")
    assert not (tmp_path / "solver").exists()


def test_a_directory_in_use_is_left_alone(dataset: str, task: Task, tmp_path: Path) -> None:
    write(tmp_path / "solver", {"mine": b"x"})
    with pytest.raises(UsageError, match="is there already"):
        materialize(task, dataset, tmp_path / "solver", "full")


def test_a_directory_may_be_named_from_here(
    dataset: str, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here/empty").mkdir()
    for name in ("solver", "new/deep", "../beside", "empty"):
        statement = materialize(task, dataset, Path(name), "full")
        assert statement.read_text() == "Write add."
        assert git_output(Path(name), "status", "--porcelain") == ""
    (tmp_path / "where").mkdir()
    monkeypatch.chdir(tmp_path / "where")
    materialize(task, dataset, Path(), "full")
    assert git_output(tmp_path / "where", "status", "--porcelain") == ""


def test_nothing_is_left_of_a_tree_that_could_not_be_laid_out(
    dataset: str, task: Task, tmp_path: Path
) -> None:
    with pytest.raises(UsageError):
        materialize(replace(task, snapshot_tree="0" * 40), dataset, tmp_path / "x/solver", "full")
    assert list((tmp_path / "x").iterdir()) == []


@pytest.mark.parametrize("path", ["../out.py", "/out.py", "calc/../../out.py"])
def test_a_row_that_leaves_the_tree_is_refused(
    dataset: str, task: Task, tmp_path: Path, path: str
) -> None:
    hostile = replace(task, hidden_files=(HiddenFile(path, 0o100644, b""),))
    with pytest.raises(UsageError, match=r"task feedfeed.* is damaged: not a path inside"):
        materialize(hostile, dataset, tmp_path / "solver", "terse")
    assert not (tmp_path / "out.py").exists()


def test_what_a_dataset_holds_and_cannot_be_used_is_told(
    dataset: str, task: Task, tmp_path: Path
) -> None:
    garbage = replace(task, deletion_patch=b"no patch")
    with pytest.raises(UsageError, match=f"{dataset}: task {task.task_id} is damaged"):
        materialize(garbage, dataset, tmp_path / "solver", "full")
    (row,) = tables.read_rows(dataset, "snapshots", SnapshotRow)
    for archive in (b"no archive", tables.compress(b"x" * row.archive_size)):
        spoilt = replace(row, archive=archive)
        tables.write_shards(dataset, "snapshots", "train", [spoilt], SnapshotRow)
        with pytest.raises(UsageError, match="the snapshot of calc is damaged"):
            materialize(task, dataset, tmp_path / "solver", "full")
    found = check(garbage, dataset, ensure, Bubblewrap(), tmp_path, gates=False)
    assert "is damaged" in found.faults[0]


# --- grade ---------------------------------------------------------------------------------


def misfit(path: str) -> bytes:
    return splice_patch(path, b"no line of it", [(0, 2, b"a")])


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"gold_patch": misfit("calc/more.py")}, "patch does not apply"),
        (
            {"controls": (Control("raise", HIDDEN_PATH, misfit(HIDDEN_PATH), (TESTS[1],)),)},
            "the patch does not fit",
        ),
        (
            {"controls": (Control(CANARY_PASSES, "../test_a.py", new_file_patch("a", b"a")),)},
            "not a path inside the tree",
        ),
    ],
)
def test_a_row_that_cannot_be_graded_is_told(
    change: dict[str, object], told: str, dataset: str, task: Task, tmp_path: Path
) -> None:
    damaged = replace(task, **change)  # type: ignore[arg-type]
    (tmp_path / "work").mkdir()
    with pytest.raises(UsageError, match=f"task {task.task_id} is damaged: .*{told}"):
        grade(damaged, dataset, b"", ensure, Bubblewrap(), tmp_path / "work")
    found = check(damaged, dataset, ensure, Bubblewrap(), tmp_path / "work", gates=False)
    assert told in found.faults[0]


@pytest.mark.sandbox
def test_untouched_earns_nothing_and_gold_all(
    dataset: str, task: Task, tmp_path: Path, earn: Earn
) -> None:
    root = tmp_path / "solver"
    materialize(task, dataset, root, "full")
    untouched = earn(root)
    assert (untouched.reward, untouched.p2p_rate, untouched.dropped) == (0.0, 1.0, ())
    solve(root)
    solved = earn(root)
    assert solved.resolved and solved.dropped == ()


@pytest.mark.sandbox
@pytest.mark.parametrize("register", ["full", "terse"])
def test_a_diff_is_graded_like_the_tree(
    dataset: str, task: Task, tmp_path: Path, earn: Earn, register: str
) -> None:
    root = tmp_path / "solver"
    materialize(task, dataset, root, register)  # type: ignore[arg-type]
    solve(root)
    write(root, {"tests/test_more.py": b"# mine\n"})
    git_output(root, "add", "-A")
    (tmp_path / "answer.diff").write_text(git_output(root, "diff", "--cached", "--binary"))
    solved = earn(tmp_path / "answer.diff")
    assert solved.resolved and solved.dropped == ("tests/test_more.py",)


@pytest.mark.sandbox
def test_what_a_diff_does_to_the_statement_does_not_count(
    dataset: str, task: Task, tmp_path: Path, earn: Earn
) -> None:
    root = tmp_path / "solver"
    statement = materialize(task, dataset, root, "full")
    solve(root)
    statement.unlink()
    git_output(root, "add", "-A")
    (tmp_path / "answer.diff").write_text(git_output(root, "diff", "--cached", "--binary"))
    assert earn(tmp_path / "answer.diff").resolved


def test_what_is_too_large_for_a_diff(
    tmp_path: Path, earn: Earn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("featuredel.tasks.grade.MAX_DIFF_BYTES", 1 << 20)
    with pytest.raises(UsageError, match="/dev/zero: more than 1 MiB"):
        earn(Path("/dev/zero"))


def test_a_diff_that_does_not_apply(dataset: str, task: Task, tmp_path: Path, earn: Earn) -> None:
    (tmp_path / "x.diff").write_text("--- a/no\n+++ b/no\n@@ -1 +1 @@\n-a\n+b\n")
    with pytest.raises(DiffError, match=r"x\.diff: the patch does not apply"):
        earn(tmp_path / "x.diff")
    with pytest.raises(DiffError, match="the diff: the patch does not apply"):
        earn(b"```diff\n")
    earned = nothing_earned(task, dataset, "it does not apply")
    assert (earned.reward, earned.resolved, earned.reason) == (0.0, False, "it does not apply")
    assert set(earned.outcomes.values()) == {"absent"}


@pytest.mark.sandbox
def test_a_diff_without_the_end_of_its_last_line(task: Task, earn: Earn) -> None:
    assert earn(task.gold_patch.rstrip(b"\n")).resolved
    assert earn(b" \n").reward == 0.0


def test_a_diff_that_is_not_there(tmp_path: Path, earn: Earn) -> None:
    with pytest.raises(UsageError, match="No such file"):
        earn(tmp_path / "gone.diff")


# --- honeytokens ---------------------------------------------------------------------------


def test_honeytokens_change_neither_the_task_nor_its_grade(
    task: Task, dataset: str, tmp_path: Path, earn: Earn
) -> None:
    manifest = tmp_path / "manifest.json"
    with pytest.raises(UsageError, match="lies in the solver's tree"):
        materialize(task, dataset, tmp_path / "a", "full", tmp_path / "a" / "manifest.json")
    materialize(task, dataset, tmp_path / "plain", "full")
    materialize(task, dataset, tmp_path / "tree", "full", manifest)
    assert manifest.is_file()
    head = [git_output(tmp_path / name, "rev-parse", "HEAD") for name in ("plain", "tree")]
    assert head[0] == head[1]
    assert git_output(tmp_path / "tree", "status", "--porcelain") == ""
    solve(tmp_path / "tree")
    assert earn(tmp_path / "tree").resolved
