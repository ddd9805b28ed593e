"""A shell in the sandbox of a task: command after command on a solver's tree, which is kept."""

import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from featuredel.errors import ChangesError
from featuredel.grading import layers_of
from featuredel.languages import front_end
from featuredel.model import Environment, Task, TestRequest
from featuredel.sandbox import Command, Limits, Sandbox
from featuredel.sandbox.launcher import trees
from featuredel.scratch import scratch_directory
from featuredel.tasks.grade import EnsureEnvironment
from featuredel.tasks.read import kept_snapshot, recorded_environment

TIMEOUT_S, OUTPUT_BYTES = 120.0, 16_000
TREE_BYTES = 2 << 30
SCRATCH_BYTES = 512 << 20
GRACE_S = 60.0
"""So much longer than its command a sandbox may take, to read its output and list its files."""

MAX_COMMAND_BYTES = 100_000
"""Of one argument of a program; Linux allows 128 KiB."""

TIMED_OUT, NOT_RUN = 124, 126
WHOLE = b"that is all"
SCRIPT = r"""
exec 4>"$TMPDIR/.said"
timeout --kill-after 2 "$2" /bin/bash -c "$1" </dev/null >&4 2>&4 3>&- 4>&-
code=$?
said=/proc/self/fd/4
size=$(stat --dereference --format %s "$said")
if [ "$size" -gt "$3" ]; then
    head --bytes $(($3 / 2)) "$said"
    printf '\n[... %d bytes are left out here ...]\n' $((size - $3))
    tail --bytes $(($3 / 2)) "$said"
else
    cat "$said"
fi
chmod u+rwx "$PWD"
find . -type d ! -perm -700 -exec chmod u+rwx {} \; , -print0 >&3 &&
    printf 'that is all' >&3
exit $code
"""
"""Runs the command $1 for $2 seconds, says $3 bytes of what it said, and reports what is there.

Folders that the command has closed are opened, so that what is in them is seen."""


@dataclass(frozen=True, slots=True)
class Said:
    """How a command ended, and what it said on both its outputs, cut in the middle."""

    exit_code: int  # as a shell has it: 124 after its time, 128 + n ended by signal n
    output: str


@dataclass(frozen=True, slots=True)
class Shell:
    """Each command is a bash of its own in a sandbox of its own, without a network.

    What it changes in the tree is there for the next one, and in `tree` itself; processes, /tmp
    and the home are not. The tree is hostile from the first command on: nothing but `Task.grade`
    should read it. For one thread.
    """

    tree: Path
    sandbox: Sandbox
    environment: Environment
    language: str
    timeout_s: float = TIMEOUT_S  # of a command
    output_bytes: int = OUTPUT_BYTES  # of what it says

    def run(self, command: str) -> Said:
        """Run `command` and return how it ended; nothing that it does raises.

        Raises `SandboxError` if the sandbox could not do its work.
        """
        command = command.encode("utf-8", "backslashreplace").decode()
        if "\0" in command or len(command.encode()) > MAX_COMMAND_BYTES:
            most = f"a command is text of at most {MAX_COMMAND_BYTES} bytes"
            return Said(NOT_RUN, f"[not run: {most}; write a long file in parts]")
        with scratch_directory() as scratch:
            changes, top = str(scratch), str(self.tree)
            try:
                result = self.sandbox.run(self._command(command, scratch))
                if trees.size_bytes(changes) + trees.size_bytes(top) > TREE_BYTES:
                    raise ChangesError
            except ChangesError:
                return Said(1, "[more was written to /workspace than there is room for: lost]")
            if result.ended != "exited":
                return Said(137, f"[ended at a limit: {result.ended}; what was written is lost]")
            *there, last = result.report.split(b"\0")
            if last == WHOLE:  # else the shell was ended before it could tell
                _remove_others(top, "", {os.fsdecode(path) for path in there})
            trees.copy(changes, top)
        code = result.exit_code if result.exit_code is not None else TIMED_OUT
        output = result.stdout.decode(errors="replace")
        if code == TIMED_OUT and result.wall_s >= self.timeout_s:
            output += f"\n[ended after {self.timeout_s:g} seconds]"
        return Said(code if code >= 0 else 128 - code, output)

    def _command(self, command: str, changes: Path) -> Command:
        layers = layers_of(self.environment, self.tree)
        tests = front_end(self.language).test_command(self.environment, layers, TestRequest())
        asked = (command, f"{self.timeout_s:g}", str(self.output_bytes))
        limits = Limits(
            wall_s=self.timeout_s + GRACE_S,
            cpu_s=2 * self.timeout_s,
            scratch_bytes=SCRATCH_BYTES,
        )
        return replace(
            tests,
            argv=("/bin/bash", "-c", SCRIPT, "bash", *asked),
            stdin=b"",
            keep_changes=changes,
            limits=limits,
        )


def _remove_others(top: str, folder: str, there: Collection[str]) -> None:
    """Remove what a command has removed: a sandbox keeps only what is new or changed."""
    with os.scandir(f"{top}/{folder}") as entries:
        for entry in list(entries):
            path = f"{folder}/{entry.name}"
            if f".{path}" not in there:
                trees.clear(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                _remove_others(top, path, there)


def open_shell(
    task: Task, dataset: str, tree: Path, ensure_environment: EnsureEnvironment, sandbox: Sandbox,
    work: Path, timeout_s: float = TIMEOUT_S, output_bytes: int = OUTPUT_BYTES,
) -> Shell:  # fmt: skip
    """Return the shell of a solver of `task`, on a tree that `materialize` wrote.

    Its environment is built again where this machine lacks it.
    """
    snapshot = kept_snapshot(dataset, task, work)
    environment = ensure_environment(recorded_environment(dataset, task), snapshot)
    return Shell(tree.resolve(), sandbox, environment, task.language, timeout_s, output_bytes)
