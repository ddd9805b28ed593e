"""Prompts for trainers: a Parquet file that TRL and VeRL load as it is.

A row asks for a diff, or for work in a shell, and holds what a solver may see. `ground_truth` is
the id of the task, by which `featuredel.trainers` finds the rest in the dataset.
"""

import re
from dataclasses import dataclass

from featuredel import tables
from featuredel.errors import UsageError
from featuredel.export.context import Context, context_of
from featuredel.model import Register, Task
from featuredel.scratch import scratch_directory
from featuredel.tasks.materialize import materialize, statement_of

_ANSWER = """## Your answer

Answer with one git diff against this repository, in a block of this form:

```diff
diff --git a/path/to/file b/path/to/file
--- a/path/to/file
+++ b/path/to/file
@@ -1,3 +1,4 @@
 a line that stays
-a line that goes
+a line that comes
```

A new file has `--- /dev/null`. The last such block counts. What it changes in tests, or in the
configuration of tests and builds, is left out.
"""
_SHELL = """## How to answer

The repository lies in the working directory of `run`, which runs a command in a shell. Leave your
changes in its files: what they are when you stop is graded. What you change in tests, or in the
configuration of tests and builds, is left out.
"""


@dataclass(frozen=True, slots=True)
class Message:
    """A turn of the conversation that a model goes on with."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class RewardModel:
    """How the answer is judged: by a function that is given the `ground_truth`."""

    style: str
    ground_truth: str  # the task's id


@dataclass(frozen=True, slots=True)
class ExtraInfo:
    """What the reward function and the logs are given besides."""

    split: str
    index: int  # of the row in the file
    task_id: str
    register: str
    dataset: str  # where the grader finds the task
    repository: str
    tier: str
    difficulty: float  # in [0, 1], in this register


@dataclass(frozen=True, slots=True)
class Prompt:
    """A row of the file."""

    data_source: str
    prompt: tuple[Message, ...]
    ability: str
    reward_model: RewardModel
    extra_info: ExtraInfo
    agent_name: str


@dataclass(frozen=True, slots=True)
class Written:
    """How many prompts were written, and which tasks were left out."""

    prompts: int
    not_offered: tuple[str, ...]  # in the register that was asked for
    too_large: tuple[str, ...]  # what has to be shown is more than may be
    needed_chars: int  # by the largest of them


def write_prompts(
    dataset: str,
    file: str,
    register: Register,
    context_chars: int,
    split: str | None = None,
    *,
    shell: bool = False,
) -> Written:
    """Write the prompts of a dataset's tasks, of one split or all, to a Parquet file.

    With `shell` they are for models that look at the tree by themselves, and show nothing of it.
    `file` is a path or an fsspec URL. Raises `UsageError` where there is nothing to write.
    """
    tables.check_file(file)
    location = tables.located(dataset)
    rows: list[Prompt] = []
    not_offered: list[str] = []
    too_large: dict[str, int] = {}
    for task in tables.read_tasks(location, **({"split": split} if split else {})):
        if getattr(task, f"statement_{register}") is None:
            not_offered.append(task.task_id)
            continue
        context = None if shell else _context(task, location, register, context_chars)
        if context and context.needed_chars > context_chars:
            too_large[task.task_id] = context.needed_chars
            continue
        rows.append(_row(task, location, register, context, len(rows)))
    if not rows:
        of = f" of the split {split!r}" if split else ""
        more = f"; {max(too_large.values())} characters would do" if too_large else ""
        raise UsageError(f"{dataset}: no task{of} gives a prompt in {register!r}{more}")
    tables.write_table(file, rows, Prompt)
    return Written(
        len(rows), tuple(not_offered), tuple(too_large), max(too_large.values(), default=0)
    )


def _context(task: Task, dataset: str, register: Register, chars: int) -> Context:
    given = [file.path for file in task.hidden_files] if register == "terse" else []
    with scratch_directory() as scratch:
        tree = scratch / "tree"
        written = materialize(task, dataset, tree, register)
        return context_of(tree, statement_of(task, register), chars, given, written.name)


def _row(
    task: Task, dataset: str, register: Register, context: Context | None, index: int
) -> Prompt:
    text = prompt_text(statement_of(task, register), context)
    return Prompt(
        data_source=f"featuredel/{task.repository}",
        prompt=(Message("user", text),),
        ability="code",
        reward_model=RewardModel("rule", task.task_id),
        extra_info=ExtraInfo(
            task.split, index, task.task_id, register, dataset, task.repository, task.tier,
            getattr(task.difficulty, register),
        ),
        agent_name="single_turn_agent" if context else "tool_agent",
    )  # fmt: skip


def prompt_text(statement: str, context: Context | None) -> str:
    """Return what a model reads: the statement, what of the tree is shown, how to answer."""
    if context is None:
        return f"{statement.strip()}\n\n{_SHELL}"
    parts = [statement.strip(), "## The repository\n\nIts files:", _fenced(_listed(context))]
    if context.contents:
        parts.append("## Some of the files")
    for path, content in context.contents.items():
        parts += [f"`{path}`:", _fenced(content)]
    return "\n\n".join([*parts, _ANSWER])


def _listed(context: Context) -> str:
    more = [f"and {context.unlisted} more"] if context.unlisted else []
    return "\n".join([*context.listed, *more])


def _fenced(text: str) -> str:
    """Return a block of Markdown that nothing in `text` ends."""
    ticks = max(map(len, re.findall(r"`{3,}", text)), default=2) + 1
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{'`' * ticks}\n{text}{end}{'`' * ticks}"
