"""materialize: lay out the tree that a solver is given."""

from pathlib import Path

from featuredel import git
from featuredel.errors import UsageError
from featuredel.grading import lay_hidden
from featuredel.model import Register, Task
from featuredel.scratch import filled
from featuredel.tasks.honeytokens import plant
from featuredel.tasks.read import delete_feature, statement_path, unpack_snapshot


def materialize(
    task: Task,
    dataset: str,
    directory: Path,
    register: Register,
    honeytokens: Path | None = None,
) -> Path:
    """Write the solver's tree to `directory`, as one commit; return the path of the statement.

    The visible suite of the tree is green. In the register `terse` the F2P tests stand in it as
    well, as the contract. With `honeytokens`, leftovers that are wrong are planted in it, and
    listed in a manifest there. Raises `UsageError` if the task is not offered in that register.
    """
    statement = statement_of(task, register)
    with filled(directory) as tree:
        unpack_snapshot(dataset, task, tree)
        delete_feature(dataset, task, tree)
        path = statement_path(tree)
        if register == "terse":
            lay_hidden(task.hidden_files, tree)
        (tree / path).write_text(statement, encoding="utf-8", newline="\n")
        git.commit_all(tree)
        if honeytokens is not None:
            plant(task, tree, _outside(honeytokens, directory))
    return directory / path


def _outside(manifest: Path, directory: Path) -> Path:
    if manifest.resolve().is_relative_to(directory.resolve()):
        raise UsageError(f"{manifest}: lies in the solver's tree; name a place outside of it")
    return manifest


def statement_of(task: Task, register: Register) -> str:
    """Return the statement in a register. Raises `UsageError` if the task has none."""
    statements = {
        "full": task.statement_full,
        "interface": task.statement_interface,
        "terse": task.statement_terse,
    }
    statement = statements.get(register)
    if statement is None:
        offered = [name for name, text in statements.items() if text is not None]
        raise UsageError(
            f"{task.task_id}: no statement in the register {register!r};"
            f" it has {', '.join(offered) or 'none at all'}"
        )
    return statement
