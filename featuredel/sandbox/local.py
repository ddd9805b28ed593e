"""`--sandbox none`: no protection at all, for trusted code on machines that have no sandbox."""

import contextlib
import re
from pathlib import Path

from featuredel.sandbox import HOME, WORKSPACE, Command, ExecResult, Ground, root
from featuredel.sandbox.launch import launch, rlimits
from featuredel.sandbox.launcher import trees
from featuredel.sandbox.seen import of_machine
from featuredel.scratch import scratch_directory


class Local:
    """Runs commands on a copy of the tree, as the user who runs this and with all that they may do.

    Where /workspace or a mount's target stands in an argument or variable, the real path is put;
    files that hold those paths (an editable install) are not changed. The limits on each process,
    on time and on output hold; those on the number of processes and on scratch space do not, and
    there is always a network. Processes that leave their session survive.
    """

    name = "none"

    def run(self, command: Command) -> ExecResult:
        """Run `command` to its end; see `Sandbox.run`."""
        with scratch_directory() as place:
            tree, home, scratch = (place / name for name in ("workspace", "home", "tmp"))
            for directory in (tree, home, scratch):
                directory.mkdir()
            for layer in reversed(command.layers):
                trees.copy(str(layer), str(tree))
            paths = {mount.target: mount.source for mount in command.mounts}
            paths |= {WORKSPACE: tree, HOME: home, root.VARIABLES["TMPDIR"]: scratch}
            variables = {**root.VARIABLES, **command.variables}
            spec = {
                "argv": [real(word, paths) for word in command.argv],
                "directory": str(tree),
                "limits": rlimits(command.limits),
                "variables": {name: real(value, paths) for name, value in variables.items()},
            }
            ending = launch("plain", command, spec)
            if command.keep_changes:
                layers = [str(layer) for layer in command.layers]
                trees.copy_changes(str(tree), layers, str(command.keep_changes))
        return ending.result("exited", ending.status["code"])

    def seen(self, command: Command) -> contextlib.nullcontext[tuple[Ground, ...]]:
        """Give what bubblewrap would show; a command sees the whole machine."""
        return contextlib.nullcontext(of_machine(command))

    def open(self, command: Command) -> None:
        """Return None: questions would tell of paths that are not there."""


def real(text: str, paths: dict[str, Path]) -> str:
    """Put real paths for those of the sandbox, wherever one stands as a whole path or its start."""
    choices = "|".join(re.escape(path) for path in sorted(paths, key=len, reverse=True))
    return re.sub(rf"(?<![\w./-])(?:{choices})(?![\w.-])", lambda m: str(paths[m[0]]), text)
