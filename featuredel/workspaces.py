"""Tasks of many turns, as TRL plays them: a shell in the sandbox, and what it left is graded.

    GRPOTrainer(..., environment_factory=Workspace, reward_funcs=grade_workspaces)

The rows are those of `featuredel export prompts --shell`.
"""

import weakref
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from featuredel.api import Task
from featuredel.scratch import scratch_directory
from featuredel.tasks.shell import OUTPUT_BYTES, TIMEOUT_S, Shell
from featuredel.trainers import at_once, task_at


class Workspace:
    """A solver's tree, and a shell on it. One after the other it is that of many tasks.

    Its public methods are what a model may call, so it has no others.
    """

    def __init__(
        self,
        dataset: str = "",
        *,
        sandbox: str = "auto",
        base_image: str = "",
        work: str | None = None,
        timeout_s: float = TIMEOUT_S,
        output_bytes: int = OUTPUT_BYTES,
    ) -> None:
        self._dataset = dataset
        self._where: dict[str, Any] = {"sandbox": sandbox, "base_image": base_image, "work": work}
        self._limits: dict[str, Any] = {"timeout_s": timeout_s, "output_bytes": output_bytes}
        self._stack = ExitStack()
        weakref.finalize(self, self._stack.close)
        self._task: Task | None = None
        self._tree: Path | None = None
        self._shell: Shell | None = None

    def reset(
        self, *, extra_info: Mapping[str, Any], reward_model: Mapping[str, Any], **_: Any
    ) -> None:
        """Lay out the tree of the task that a row is of; the one before is removed.

        Raises as `compute_score` does.
        """
        self._stack.close()
        self._task = task_at(reward_model["ground_truth"], self._dataset, extra_info, **self._where)
        self._tree = self._stack.enter_context(scratch_directory()) / "tree"
        self._task.materialize(self._tree, extra_info["register"])
        self._shell = self._task.shell(self._tree, **self._limits)

    def run(self, command: str) -> str:
        """Run a command in the folder of the repository, and return what it says.

        What it changes in files stays; processes that it starts do not. The exit code is told if
        it is not 0.

        Args:
            command: What bash is to run.

        """
        assert self._shell, "reset comes first"
        said = self._shell.run(command)
        return f"{said.output}\n[exit code {said.exit_code}]" if said.exit_code else said.output

    def _earned(self) -> float:
        assert self._task and self._tree, "reset comes first"
        return self._task.grade(self._tree).reward


def grade_workspaces(
    environments: Sequence[Workspace], *, workers: int = 0, **_: Any
) -> list[float | None]:
    """Return what the tree in each workspace earns; None where that could not be graded.

    So many as `workers` are graded at once; 0 stands for one a core.
    """
    return at_once([environment._earned for environment in environments], workers)
