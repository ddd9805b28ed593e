"""The Protocol by means of a Docker engine."""

import contextlib
import marshal
import os
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from featuredel.errors import SandboxError
from featuredel.sandbox import WORKSPACE, Command, ExecResult, Ground, Mount
from featuredel.sandbox.capture import Stream, drain, until_end
from featuredel.sandbox.docker import clean, container, saved, stock, warden
from featuredel.sandbox.docker.engine import connect
from featuredel.sandbox.docker.images import Image
from featuredel.sandbox.docker.pipes import Pipes
from featuredel.sandbox.launch import GRACE_S, Ending, last_word, rlimits
from featuredel.sandbox.launcher import pack, trees
from featuredel.sandbox.root import VARIABLES
from featuredel.sandbox.seen import of_mounts
from featuredel.sandbox.session import PipedSession


class Docker:
    """Runs commands in containers of the engine on this machine.

    Trees are copied into memory. Writable mounts are copied in, and what is new or changed in them
    comes back if the command exits. Mounts that last become layers of an image, made when they are
    first asked for.
    """

    name = "docker"

    def __init__(self, base_image: str = "") -> None:
        """Take `base_image`, a name with a digest or an id; "" is that of `make base-image`.

        Raises `SandboxError` without an engine.
        """
        self._client = connect()
        weakref.finalize(self, self._client.close)
        self._dismiss = weakref.finalize(self, warden.dismiss, warden.post(), os.getpid())
        self._base_image = base_image
        self._images: dict[object, Image] = {}
        self._lock = threading.Lock()
        clean.sweep(self._client)

    def run(self, command: Command) -> ExecResult:
        """Run `command` to its end; see `Sandbox.run`."""
        with contextlib.ExitStack() as stack:
            pipes = self._start(command, stack)
            _tell(command, pipes, session=False)
            began = time.monotonic()
            *streams, status = pipes.streams(command.limits)
            cut = until_end(streams, status.descriptor, began + command.limits.wall_s)
            _finish(pipes, (*streams, status))
            wall_s = time.monotonic() - began
            stdout, stderr, report = (bytes(stream.data) for stream in streams)
            word = last_word(status, stderr)
            if word["kept"]:
                with pipes.changes() as changes:
                    for place in _kept(command).values():
                        pack.lay(pack.receive(changes), str(place))
        if any(stream.exceeded for stream in streams):
            cut = "output"
        ending = Ending(cut, stdout, stderr, report, word, wall_s)
        ended: Literal["processes", "exited"]
        ended = "processes" if word["ended"] == "processes" else "exited"
        return ending.result(ended, word["code"])

    @contextlib.contextmanager
    def seen(self, command: Command) -> Iterator[tuple[Ground, ...]]:
        """Give the layers of the command's image, and what is mounted; see `Sandbox.seen`.

        What a layer holds counts though one above hides it.
        """
        image = self.image(command.mounts, command.hidden)
        mounted = of_mounts(container.bound(command), command.hidden)
        with saved.layers_on_demand(self._client, image.id, image.layers) as layers:
            yield (*layers, *mounted)

    def open(self, command: Command) -> PipedSession | None:
        """Start a command that answers questions; None if it needs namespaces of its own."""
        if command.nesting:
            return None  # the engine's filter of system calls allows none
        with contextlib.ExitStack() as stack:
            pipes = self._start(command, stack)
            _tell(command, pipes, session=True)
            out, err, answers, status = pipes.streams(command.limits)
            everything = stack.pop_all()

        def end() -> None:
            with everything:
                _finish(pipes, (out, err, answers, status))

        questions = pipes.written["questions"]
        return PipedSession(questions, (out, err, answers), status.descriptor, end)

    def image(self, mounts: Sequence[Mount] = (), hidden: Sequence[str] = ()) -> Image:
        """Return the image of an environment: the base, the profile, and lasting mounts."""
        lasting = tuple(mount for mount in mounts if container.is_lasting(mount))
        within = tuple(path for path in hidden if container.is_within(path, lasting))
        with self._lock:
            if (lasting, within) not in self._images:
                below = stock.profile(self._client, stock.base(self._client, self._base_image))
                made = stock.environment(self._client, below, lasting, within)
                self._images[lasting, within] = made
            return self._images[lasting, within]

    def task_image(self, command: Command, layers: Sequence[Path], name: str) -> Image:
        """Return the image that a solver gets: that in which `command` runs, and `layers`.

        Each of them is one layer more, the first the lowest; the command's own do not count.
        """
        below = self.image(command.mounts, command.hidden)
        return stock.task(self._client, below, layers, name)

    def close(self) -> None:
        """Close the connections to the engine, and let nobody wait for the end of this process."""
        self._client.close()
        self._dismiss()

    def _start(self, command: Command, stack: contextlib.ExitStack) -> Pipes:
        for path in (*command.layers, *(mount.source for mount in command.mounts)):
            if not path.exists():
                raise SandboxError(f"could not start the command: {path} is missing")
        pipes = Pipes.open(stack)
        scratch = container.places(command, _tree_bytes(command))
        image = self.image(command.mounts, command.hidden)
        try:
            container.start(self._client, image.id, command, scratch, pipes, stack)
        except SandboxError:
            with self._lock:  # somebody may have removed an image
                self._images.clear()
            raise
        return pipes


def _tree_bytes(command: Command) -> int:
    return sum(trees.size_bytes(str(layer)) for layer in command.layers)


def _writable(command: Command) -> list[Mount]:
    return [mount for mount in command.mounts if mount.writable]


def _kept(command: Command) -> dict[str, Path]:
    """Return where changes come back to, by where they were made."""
    places = {mount.target: mount.source for mount in _writable(command)}
    return {WORKSPACE: command.keep_changes, **places} if command.keep_changes else places


def _tell(command: Command, pipes: Pipes, *, session: bool) -> None:
    """Tell the first process what to run, on which trees."""
    writable = _writable(command)
    spec: dict[str, Any] = {
        "argv": list(command.argv),
        "directory": WORKSPACE,
        "keep": list(_kept(command)),
        "keep_bytes": 2 * command.limits.scratch_bytes + _tree_bytes(command),
        "limits": rlimits(command.limits),
        "processes": command.limits.processes,
        "sealed": list(command.sealed),
        "session": session,
        "trees": [WORKSPACE, *(mount.target for mount in writable)],
        "variables": {**VARIABLES, **command.variables},
    }
    # an early end is told on another pipe, and better
    with contextlib.suppress(BrokenPipeError), pipes.source() as source:
        pack.give(marshal.dumps(spec, pack.FORMAT), source)
        if not session:
            pack.give(command.stdin, source)
        pack.send(_tree(command), source)
        for mount in writable:
            pack.send(pack.entries(str(mount.source)), source)


def _tree(command: Command) -> Iterator[pack.Entry]:
    return chain.from_iterable(pack.entries(str(layer)) for layer in reversed(command.layers))


def _finish(pipes: Pipes, streams: Sequence[Stream]) -> None:
    """Have the first process end everything, and wait until it has."""
    pipes.end()
    if not drain(streams, time.monotonic() + GRACE_S):
        raise SandboxError("the sandbox did not end")
