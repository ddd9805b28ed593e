"""What of this machine a command in bubblewrap can see: the arguments that lay out its root."""

from pathlib import Path

from featuredel.sandbox import HOME, WORKSPACE, Command, Mount, host
from featuredel.sandbox.launcher.become import USER
from featuredel.sandbox.launcher.mounts import PRIVATE

SCRATCH = (("tmp", 0o1777), ("shm", 0o1777), ("home", 0o755))
HOSTNAME = "sandbox"
UID = str(USER)

VARIABLES = {
    "HOME": HOME,
    "LANG": "C.UTF-8",
    "PATH": "/env/bin:/usr/local/bin:/usr/bin:/bin",
    "TMPDIR": "/tmp",  # noqa: S108 -- private to the sandbox
}

ETC = {
    "passwd": f"root:x:0:0:root:/:/bin/sh\nsolver:x:{UID}:{UID}:solver:{HOME}:/bin/sh\n",
    "group": f"root:x:0:\nsolver:x:{UID}:\n",
    "hosts": f"127.0.0.1 localhost {HOSTNAME}\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


def etc(network: bool) -> dict[str, str]:
    """Return the files of /etc that are the same on every machine, and the resolver if wanted."""
    resolver = Path("/etc/resolv.conf")
    if network and resolver.exists():
        return {**ETC, "resolv.conf": resolver.read_text()}
    return ETC


def arguments(command: Command) -> list[str]:
    """Return bubblewrap's arguments for `command`, without the command itself."""
    return [
        *("--unshare-all", "--new-session", "--cap-drop", "ALL"),
        *("--uid", UID, "--gid", UID, "--hostname", HOSTNAME),
        *(["--share-net"] if command.network else []),
        *system(command.network),
        *("--proc", "/proc", "--dev", "/dev", "--bind", f"{PRIVATE}/shm", "/dev/shm"),  # noqa: S108
        *("--remount-ro", "/dev"),
        # the kernel lets root's processes write here though they hold no capability
        *("--ro-bind", f"{PRIVATE}/proc/sys", "/proc/sys"),
        *("--bind", f"{PRIVATE}/tmp", "/tmp", "--bind", f"{PRIVATE}/home", HOME),  # noqa: S108
        *("--bind", f"{PRIVATE}/workspace", WORKSPACE),
        *sealed(command),
        *mounts(command),
        *("--remount-ro", "/", "--chdir", WORKSPACE, "--clearenv"),
        *variables(command),
    ]


def system(network: bool) -> list[str]:
    """Return the arguments for the read-only parts of this machine's root."""
    words = []
    for path in [Path("/usr")] if network else host.shown():
        words += ["--ro-bind", str(path), str(path)]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path, usr = Path("/", name), Path("/usr", name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            parts = [path] if network else host.shown_of(path)
            words += [word for part in parts for word in ("--ro-bind", str(part), str(part))]
        if not network and usr.is_symlink():
            words += ["--symlink", str(usr.readlink()), str(usr)]
    words += ["--bind", f"{PRIVATE}/etc", "/etc"]
    words += ["--symlink", "/usr/share/zoneinfo/UTC", "/etc/localtime"]
    shared = ["alternatives", "ld.so.cache"]
    shared += ["ssl/certs", "ssl/openssl.cnf", "pki/tls/certs"] if network else []
    for name in shared:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return [*words, "--remount-ro", "/etc"]


def sealed(command: Command) -> list[str]:
    """Return the arguments that keep files of the tree from being written, moved or removed."""
    return [
        word
        for path in command.sealed
        for word in ("--ro-bind", f"{PRIVATE}/workspace/{path}", f"{WORKSPACE}/{path}")
    ]


def mounts(command: Command) -> list[str]:
    """Return the arguments for the paths that the command asked for, and what they hide."""
    above = [mount for mount in command.mounts if not _is_hidden(mount, command)]
    below = [mount for mount in command.mounts if _is_hidden(mount, command)]
    words = [word for mount in above for word in _bind(mount)]
    for path in command.hidden:
        words += ["--tmpfs", path]
    words += [word for mount in below for word in _bind(mount)]
    for path in command.hidden:
        words += ["--remount-ro", path]
    return words


def _bind(mount: Mount) -> tuple[str, str, str]:
    return "--bind" if mount.writable else "--ro-bind", str(mount.source), mount.target


def _is_hidden(mount: Mount, command: Command) -> bool:
    return any(mount.target.startswith(f"{path}/") for path in command.hidden)


def variables(command: Command) -> list[str]:
    """Return the arguments for the whole environment."""
    words: list[str] = []
    for name, value in sorted({**VARIABLES, **command.variables}.items()):
        words += ["--setenv", name, value]
    return words
