"""Rows of SWE-bench's form; that its own code takes them is seen in tests/consumers."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from toy_dataset import ANSWER, MUL, NEG, write_two_tasks

from featuredel import cli, git, trees
from featuredel.errors import UsageError
from featuredel.export.eval_script import END, START, eval_script
from featuredel.export.swebench import UNSEEN, Instance, export, patch_of, write
from featuredel.grading import lay_hidden
from featuredel.languages.python import printed
from featuredel.model import HiddenFile, PrintedRun
from featuredel.tasks.materialize import materialize
from featuredel.tasks.read import read

RUN = PrintedRun(("true",), {}, {}, "parser")


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_two_tasks(tmp_path_factory.mktemp("toys"))


def rows(dataset: str) -> dict[str, Instance]:
    found = {one.task_id: one.instance for one in export(dataset, "full")}
    return {task: instance for task, instance in found.items() if instance}


def test_a_row_says_what_the_task_does(toys: str, tmp_path: Path) -> None:
    row, task = rows(toys)[MUL], read(toys, MUL)
    materialize(task, toys, tmp_path / "tree", "full")
    assert row.base_commit == row.environment_setup_commit == git.head(tmp_path / "tree")
    assert (row.repo, row.instance_id, row.problem_statement) == ("calc", MUL, task.statement_full)
    assert (row.version, row.created_at) == ("1.0", "2024-01-01T00:00:00Z")
    assert json.loads(row.FAIL_TO_PASS) == list(task.f2p)
    assert json.loads(row.PASS_TO_PASS) == [
        "tests/test_core.py::test_add", "tests/test_more.py::test_neg",
    ]  # fmt: skip
    assert row.image == f"featuredel/task:{MUL}-full"


def test_the_patches_give_the_answer_and_the_hidden_tests(toys: str, tmp_path: Path) -> None:
    row, task, tree = rows(toys)[MUL], read(toys, MUL), tmp_path / "tree"
    materialize(task, toys, tree, "full")
    git.apply(row.patch.encode(), tree)
    assert {path: trees.read(tree, path) for path in ANSWER} == ANSWER
    assert "test" not in row.patch
    git.apply(row.test_patch.encode(), tree)
    assert trees.read(tree, "tests/test_more.py") == task.hidden_files[0].content


def test_hidden_tests_that_the_solver_sees_are_no_patch(toys: str) -> None:
    (one,) = [one.instance for one in export(toys, "terse") if one.instance]
    assert one.test_patch == ""
    assert "git apply" not in one.eval_script


def test_a_task_that_is_not_offered_in_the_register_has_no_row(toys: str) -> None:
    refusals = {one.task_id: one.refusal for one in export(toys, "interface")}
    assert refusals[MUL].startswith("no statement in the register 'interface'")
    assert refusals[NEG] == ""


def test_ids_that_are_not_read_back_are_told(toys: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = "tests/test_more.py::test_neg"  # F2P of one task and P2P of the other
    monkeypatch.setattr(printed, "reads_back", lambda test, others: test != lost)
    mul, neg = export(toys, "full")
    assert mul.instance and mul.left_out == (lost,)
    assert json.loads(mul.instance.PASS_TO_PASS) == ["tests/test_core.py::test_add"]
    assert neg.instance is None
    assert f"1 F2P, one of them {lost!r}" in neg.refusal


def test_each_task_has_its_image(toys: str) -> None:
    one = next(export(toys, "full", "here/{register}:{instance_id}"))
    assert one.instance and one.instance.image == f"here/full:{MUL}"
    with pytest.raises(UsageError, match=r"put \{instance_id\} into it"):
        next(export(toys, "full", "here/all"))


def test_a_file_is_parquet_or_json_lines(toys: str, tmp_path: Path) -> None:
    file, found = tmp_path / "rows.jsonl", rows(toys)
    write(str(file), list(found.values()))
    lines = [json.loads(line) for line in file.read_text("ascii").splitlines()]
    assert [line["instance_id"] for line in lines] == [MUL, NEG]
    with pytest.raises(UsageError, match=r"ends in \.parquet or \.jsonl"):
        write(str(tmp_path / "rows.csv"), list(found.values()))


def test_the_script_lays_hidden_files_byte_for_byte(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "tests").mkdir(parents=True)
    (tree / "tests" / "test_here.py").write_bytes(b"ASK = 1\n")
    (tree / "kept.py").write_bytes(b"kept\n")
    commit = git.commit_all(tree)
    hidden = [
        HiddenFile("tests/test_here.py", 0o100644, b"ASK = 'gr\xfc\xdf'\r\n"),
        HiddenFile("tests/data.bin", 0o100644, bytes(range(256)) * 9),
        HiddenFile("tests/it's [new].py", 0o100755, b"\n\n"),
        HiddenFile("tests/link", 0o120000, b"data.bin"),
        HiddenFile("tests/log.txt", 0o100644, f"{START}\n{END}\n".encode()),
        HiddenFile("tests/late.txt", 0o100644, b"a\n" * 5000 + b"\0"),
    ]
    patch = patch_of(tree, lambda root: lay_hidden(hidden, root))
    paths = [file.path for file in hidden]
    script = eval_script(commit, paths, paths[:1], patch, RUN)
    assert script.count(END) == 1
    (tree / "tests" / "test_here.py").write_bytes(b"ASK = 0\n")  # by a solver, as is the next
    (tree / "tests" / "data.bin").mkdir()
    done = _run(script, tree)
    assert done.returncode == 0, done.stdout
    assert {path: trees.read(tree, path) for path in paths} == {f.path: f.content for f in hidden}
    assert {path: trees.git_mode(tree / path) for path in paths} == {f.path: f.mode for f in hidden}
    assert trees.read(tree, "kept.py") == b"kept\n"


def test_a_script_that_cannot_lay_hidden_files_says_so(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1\n")
    commit = git.commit_all(tmp_path)
    patch = patch_of(tmp_path, lambda root: lay_hidden([HiddenFile("b/c", 0o100644, b"2\n")], root))
    (tmp_path / "b").write_bytes(b"")  # a file, where a folder has to be
    done = _run(eval_script(commit, ["b/c"], [], patch, RUN), tmp_path)
    assert done.returncode == 1
    assert ">>>>> Reset Failed" in done.stdout
    assert START not in done.stdout


def test_the_marks_stand_around_what_the_tests_print(tmp_path: Path) -> None:
    run = PrintedRun(("env",), {"A": "b c"}, {str(tmp_path / "x" / "f"): "text\n"}, "parser")
    done = _run(eval_script("", ["none"], [], "", run), tmp_path)
    before, _, rest = done.stdout.partition(START)
    between = rest.partition(END)[0].splitlines()
    assert "A=b c" not in before
    assert "A=b c" in between
    assert "HOME=/home/solver" in between
    assert (tmp_path / "x" / "f").read_text() == "text\n"


def _run(script: str, tree: Path) -> subprocess.CompletedProcess[str]:
    """Run a script of ours on a tree that is not in /workspace, as the user that runs the tests."""
    script = script.replace("cd /workspace", f"cd {tree}").replace('"$(id -u)" != 0', "1 = 1")
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True)


def test_the_command_tells_what_has_no_row(
    toys: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = "tests/test_more.py::test_neg"
    monkeypatch.setattr(printed, "reads_back", lambda test, others: test != lost)
    file = tmp_path / "rows.parquet"
    result = CliRunner().invoke(cli.cli, ["export", "swebench", toys, str(file)])
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{file}: 1 of 2 tasks\n"
    assert f"{MUL} calc: 1 P2P left out: {UNSEEN}" in result.stderr
    assert f"{NEG} calc: skipped: 1 F2P, one of them '{lost}': {UNSEEN}" in result.stderr


def test_the_command_writes_nothing_where_no_task_has_a_row(
    toys: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(printed, "reads_back", lambda test, others: False)
    file = tmp_path / "rows.parquet"
    result = CliRunner().invoke(cli.cli, ["export", "swebench", toys, str(file)])
    assert isinstance(result.exception, UsageError)
    assert not file.exists()
