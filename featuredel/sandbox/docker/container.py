"""How a container is set up, started, and gone."""

import contextlib
import functools
import marshal
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import requests
from docker.errors import APIError, NotFound
from docker.types import Mount as Bind

from featuredel.errors import SandboxError
from featuredel.sandbox import HOME, WORKSPACE, Command, Mount
from featuredel.sandbox.docker import labels
from featuredel.sandbox.docker.engine import translated
from featuredel.sandbox.docker.pipes import SOURCE, Pipes
from featuredel.sandbox.launcher import pack
from featuredel.sandbox.root import HOSTNAME, UID

PIPES = "/run/pipes"
OWN_PROCESSES = 2  # the first one, and one more than is looked out for
START_S = 120.0
SLICE_S = 1.0
SYSTEM, NOT_OF_SYSTEM = "/usr/", "/usr/local/"
"""An image has its own; those of this machine are not mounted over it."""

TO_SEAL = ("CHOWN", "SETGID", "SETUID")
"""What the first process may do where files are to be given to root; the command may not."""

CERTIFICATES = Path("/etc/ssl/certs")

MODULES = ("mounts", "trees", "pack", "become", "watch", "contained")
"""Of the package `launcher`, in the order in which they import each other."""

# The program comes in through the pipe: nothing of featuredel is a file in the container.
PROGRAM = f"""
import marshal, os, sys
def opened(path, flags):
    # would wait for ever if the other side died before it came to this
    number = os.open(path, flags | os.O_NONBLOCK)
    os.set_blocking(number, True)
    return number
place = sys.argv[1]
source = open(place + "/{SOURCE}", "rb", buffering=0, opener=opened)
size = int.from_bytes(source.read({pack.LENGTH_BYTES}), "big")
data = b""
while len(data) < size:
    block = source.read(size - len(data))
    if not block:
        sys.exit("nobody is there")
    data += block
package = sys.modules["launcher"] = type(sys)("launcher")
package.__path__ = []
for name, text in marshal.loads(data):
    module = sys.modules["launcher." + name] = type(sys)("launcher." + name)
    module.__package__ = "launcher"
    setattr(package, name, module)
    exec(compile(text, name, "exec"), module.__dict__)
module.main(place, source, opened)
"""


@functools.cache
def program() -> bytes:
    """Return the first process's modules, as it reads them."""
    folder = Path(pack.__file__).parent
    texts = [(name, (folder / f"{name}.py").read_text()) for name in MODULES]
    data = marshal.dumps(texts, pack.FORMAT)
    return len(data).to_bytes(pack.LENGTH_BYTES, "big") + data


def start(
    client: Any, image: str, command: Command, scratch: Mapping[str, int], pipes: Pipes,
    stack: contextlib.ExitStack,
) -> None:  # fmt: skip
    """Start a container whose first process waits for its orders; the stack removes it.

    `scratch` are the writable places that are private to it, with their sizes.
    """
    binds = [Mount(pipes.place, PIPES), *bound(command)]
    with translated("set up a container"):
        host = client.api.create_host_config(
            auto_remove=True,
            mounts=[_bind(mount) for mount in binds],
            tmpfs={**empty(command), **tmpfs(scratch)},
            **confinement(command, sum(scratch.values())),
        )
        found = client.api.create_container(
            image,
            entrypoint=["python3", "-I", "-S", "-c", PROGRAM, PIPES],
            command=[],
            user="0:0" if command.sealed else f"{UID}:{UID}",
            working_dir="/",
            hostname=HOSTNAME,
            labels=labels.running(),
            host_config=host,
        )
    stack.callback(remove, client, found["Id"])
    pipes.feed(program())
    with translated("start a container"):
        client.api.start(found["Id"])
    deadline = time.monotonic() + START_S
    while not pipes.wait(SLICE_S):
        if not _is_running(client, found["Id"]) or time.monotonic() > deadline:
            raise SandboxError("the container did not start: does its image have python3?")


def confinement(command: Command, scratch_bytes: int) -> dict[str, Any]:
    """Return the settings that hold a command, as the engine has them."""
    limits = command.limits
    total = limits.memory_bytes + scratch_bytes
    return {
        "read_only": True,
        "cap_drop": ["ALL"],
        "cap_add": list(TO_SEAL) if command.sealed else [],
        "security_opt": ["no-new-privileges"],
        "network_mode": "host" if command.network else "none",
        "ipc_mode": "private",
        "shm_size": limits.scratch_bytes,
        "pids_limit": limits.processes + OWN_PROCESSES,
        # what is in memory file systems counts as well
        "mem_limit": total,
        "memswap_limit": total,
        "log_config": {"Type": "none"},
        "init": False,
    }


def bound(command: Command) -> list[Mount]:
    """Return the mounts that the container sees as they are on this machine."""
    mounts = [mount for mount in command.mounts if not (mount.writable or is_lasting(mount))]
    if command.network and CERTIFICATES.is_dir():
        mounts.append(Mount(CERTIFICATES, str(CERTIFICATES)))
    return [mount for mount in mounts if not _is_of_system(mount.target)]


def is_lasting(mount: Mount) -> bool:
    """Say whether a mount is to be in a layer of the image."""
    return mount.lasting and not _is_of_system(mount.target)


def is_within(path: str, mounts: Iterable[Mount]) -> bool:
    """Say whether a path is in one of the mounts."""
    return any(path.startswith(f"{mount.target}/") for mount in mounts)


def _is_of_system(path: str) -> bool:
    return f"{path}/".startswith(SYSTEM) and not f"{path}/".startswith(NOT_OF_SYSTEM)


def empty(command: Command) -> dict[str, str]:
    """Return empty file systems over what is hidden, where a layer has not left it out."""
    lasting = [mount for mount in command.mounts if is_lasting(mount)]
    return {
        path: "rw,nosuid,nodev,noexec,size=4k,mode=755"  # it is root's
        for path in command.hidden
        if not is_within(path, lasting)
    }


def tmpfs(scratch: Mapping[str, int]) -> dict[str, str]:
    """Return the private file systems: path and options."""
    shared = {"/tmp": "mode=1777", HOME: f"mode=755,uid={UID},gid={UID}"}  # noqa: S108
    owned = f"mode=755,uid={UID},gid={UID}"
    return {
        path: f"rw,exec,nosuid,nodev,size={size},nr_inodes={max(size // 4096, 1024)},"
        f"{shared.get(path, owned)}"
        for path, size in scratch.items()
    }


def places(command: Command, tree_bytes: int) -> dict[str, int]:
    """Return the writable places of a command and their sizes in bytes."""
    size = command.limits.scratch_bytes
    more = {mount.target: size for mount in command.mounts if mount.writable}
    return {"/tmp": size, HOME: size, WORKSPACE: size + tree_bytes, **more}  # noqa: S108


def _bind(mount: Mount) -> Bind:
    return Bind(mount.target, str(mount.source.resolve()), type="bind", read_only=True)


def _is_running(client: Any, container: str) -> bool:
    with translated("look at a container"):
        try:
            return bool(client.api.inspect_container(container)["State"]["Running"])
        except NotFound:
            return False


def remove(client: Any, container: str) -> None:
    """End a container and see it gone."""
    with translated("remove a container"):
        try:
            client.api.remove_container(container, force=True, v=True)
        except NotFound:
            return
        except APIError as error:
            if error.status_code != requests.codes.conflict:  # it is being removed
                raise
        with contextlib.suppress(NotFound):
            client.api.wait(container, condition="removed")
