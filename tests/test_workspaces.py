"""Tasks of many turns: a shell on the tree, and what is left in it is graded."""

import inspect
from pathlib import Path
from typing import Any

import pytest
from toy_dataset import MUL, NEG, have_environment, write_two_tasks

import featuredel
from featuredel.errors import SandboxError, UsageError
from featuredel.workspaces import Workspace, grade_workspaces

pytestmark = pytest.mark.sandbox

WRITE_NEG = "printf '\\n\\ndef neg(a):\\n    return -a\\n' >> calc/more.py"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("toys")
    dataset = write_two_tasks(folder)
    return {"dataset": dataset, "work": str(have_environment(folder / "work"))}


def row(task: str, register: str = "full") -> dict[str, Any]:
    return {
        "prompt": [{"role": "user", "content": "?"}],
        "reward_model": {"style": "rule", "ground_truth": task},
        "extra_info": {"register": register, "dataset": "/nowhere"},
    }


def test_what_was_left_in_the_tree_is_graded(place: dict[str, Any]) -> None:
    solver, idler = Workspace(**place), Workspace(**place)
    for workspace in (solver, idler):
        workspace.reset(**row(NEG))
    assert solver.run(WRITE_NEG) == ""
    assert "def neg" in solver.run("cat calc/more.py")
    assert "def neg" not in idler.run("cat calc/more.py")
    assert grade_workspaces([solver, idler], prompts=[], trainer_state=None) == [1.0, 0.0]


def test_a_command_that_fails_says_so(place: dict[str, Any]) -> None:
    workspace = Workspace(timeout_s=60, output_bytes=100, **place)
    workspace.reset(**row(NEG))
    assert workspace.run("echo oh; exit 3") == "oh\n\n[exit code 3]"
    assert "bytes are left out" in workspace.run("seq 1000")


def test_the_next_task_begins_anew_and_the_last_tree_is_gone(place: dict[str, Any]) -> None:
    workspace = Workspace(**place)
    workspace.reset(**row(NEG))
    first = workspace._tree
    workspace.run(WRITE_NEG)
    workspace.reset(**row(MUL, "terse"))
    assert first and not first.exists()
    assert "def mul" not in workspace.run("cat calc/more.py")
    assert "test_mul" in workspace.run("cat tests/test_more.py")  # the contract, in terse
    assert grade_workspaces([workspace]) == [0.0]


def test_trouble_with_a_machine_gives_no_reward(
    place: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise SandboxError("no space")

    workspace = Workspace(**place)
    workspace.reset(**row(NEG))
    monkeypatch.setattr(featuredel.Task, "grade", broken)
    assert grade_workspaces([workspace], workers=1) == [None]


def test_a_task_that_is_none(place: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="no task 'dead'"):
        Workspace(**place).reset(**row("dead"))


def test_a_model_may_call_nothing_but_run() -> None:
    methods = [name for name, _ in inspect.getmembers(Workspace, inspect.isfunction)]
    assert [name for name in methods if not name.startswith("_")] == ["reset", "run"]


def test_nothing_is_left_when_it_is_no_more(place: dict[str, Any]) -> None:
    workspace = Workspace(**place)
    workspace.reset(**row(NEG))
    tree = workspace._tree
    assert tree and Path(tree).exists()
    del workspace
    assert not tree.exists()
