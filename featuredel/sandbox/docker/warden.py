"""A process that waits for another's death, and then removes the containers that it has left.

A running container ends by itself when its owner is dead. One that was made and not started does
not, and neither does one that the engine is still making or removing.
"""

import os
import select
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

from featuredel.errors import SandboxError

# all that takes long to import waits until it is needed
PROGRAM = (
    "import sys; sys.path[:] = sys.argv.pop().split('\\n');"
    " from featuredel.sandbox.docker.warden import main; main()"
)
ROUNDS, PAUSE_S = 5, 0.5
"""How often it looks: an engine may come to a request after the one who asked is dead."""


def post() -> "subprocess.Popen[bytes]":
    """Start a warden of this process, which is its caller's to `dismiss`."""
    paths = "\n".join(path or str(Path.cwd()) for path in sys.path)
    return subprocess.Popen(
        [sys.executable, "-S", "-c", PROGRAM, str(os.getpid()), paths],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
        start_new_session=True,  # what ends a terminal's processes must not end it
    )  # fmt: skip


def dismiss(warden: "subprocess.Popen[bytes]", owner: int) -> None:
    """End a warden, unless this is a fork of the process `owner` that started it."""
    if os.getpid() == owner:
        warden.kill()
        warden.wait()


def main() -> None:
    """Wait until the process that the first argument names is dead, and clear up after it."""
    owner = int(sys.argv[1])
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(owner)
        if os.getppid() == owner:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            poll.poll()

    from featuredel.sandbox.docker.clean import sweep
    from featuredel.sandbox.docker.engine import connect

    for _ in range(ROUNDS):
        with suppress(SandboxError), closing(connect()) as client:
            sweep(client)
        time.sleep(PAUSE_S)
