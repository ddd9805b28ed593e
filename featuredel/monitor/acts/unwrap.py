"""The command inside of commands that run another: `env`, `sudo`, `timeout`, `xargs` and so on."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "ash", "rbash"})

_TAKING: Mapping[str, frozenset[str]] = {
    "env": frozenset({"-u", "--unset", "-C", "--chdir"}),
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-C", "-r", "-t", "-D", "-U"}),
    "doas": frozenset({"-u", "-C"}),
    "timeout": frozenset({"-s", "--signal", "-k", "--kill-after"}),
    "gtimeout": frozenset({"-s", "-k"}),
    "nice": frozenset({"-n", "--adjustment"}),
    "ionice": frozenset({"-c", "-n", "-p"}),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "time": frozenset({"-f", "-o"}),
    "strace": frozenset({"-e", "-o", "-s", "-p", "-E", "-u"}),
    "ltrace": frozenset({"-e", "-o", "-s", "-p"}),
    "taskset": frozenset({"-p"}),
    "chrt": frozenset(),
    "setsid": frozenset(),
    "nohup": frozenset(),
    "command": frozenset(),
    "builtin": frozenset(),
    "exec": frozenset({"-a"}),
    "coproc": frozenset(),
    "unbuffer": frozenset(),
    "chronic": frozenset(),
    "busybox": frozenset(),
    "toybox": frozenset(),
    "daemonize": frozenset({"-o", "-e", "-p", "-c"}),
    "proxychains": frozenset({"-f"}),
    "proxychains4": frozenset({"-f"}),
    "torsocks": frozenset(),
    "unshare": frozenset(),
    "faketime": frozenset(),
    "rtk": frozenset(),
    "parallel": frozenset({"-j", "--jobs"}),
    "watch": frozenset({"-n", "--interval"}),
    "entr": frozenset(),
    "xvfb-run": frozenset({"-s", "-n"}),
    "catchsegv": frozenset(),
    "systemd-run": frozenset({"-u", "--unit", "--on-active", "-p"}),
    "fakeroot": frozenset(),
    "not": frozenset(),
}
_RUNNERS: Mapping[str, frozenset[str]] = {
    "uv": frozenset({"--with", "--python", "-p", "--extra", "--group", "--index-url", "--project"}),
    "poetry": frozenset(), "pdm": frozenset(), "pipenv": frozenset(), "hatch": frozenset(),
    "rye": frozenset(), "pixi": frozenset(),
    "conda": frozenset({"-n", "-p", "--name", "--prefix"}), "mamba": frozenset({"-n", "-p"}),
    "micromamba": frozenset({"-n", "-p"}),
}  # fmt: skip
_XARGS = frozenset({"-n", "-I", "-P", "-L", "-d", "-s", "-a", "-E", "--max-args", "--max-procs"})


@dataclass(frozen=True, slots=True)
class Inner:
    """What one layer of wrapping holds: an argv, or a text for another shell."""

    argv: tuple[str, ...] = ()
    script: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None


def unwrap(argv: Sequence[str], fed: str | None) -> Inner | None:
    """Return what `argv` runs, one layer down; None if it runs nothing else.

    `fed` is what a pipe gives to it, which becomes arguments for xargs and a script for a shell.
    """
    name = posixpath.basename(argv[0])
    rest = list(argv[1:])
    if name in SHELLS:
        return _shell(rest, fed)
    if name == "eval":
        return Inner(script=" ".join(rest))
    if name == "trap" and rest:
        return Inner(script=rest[0])
    if name in ("su", "runuser", "script", "flock"):
        flags = [n for n, w in enumerate(rest[:-1]) if re.match(r"^-[a-z]*c$|^--command$", w)]
        return Inner(script=rest[flags[0] + 1]) if flags else None
    if name in ("xargs", "parallel"):
        return _xargs(rest, fed)
    if name == "env":
        return _env(rest)
    if name in _RUNNERS:
        return _runner(name, rest)
    if name == "chroot" and len(rest) > 1:
        return Inner(tuple(rest[1:]))
    if name == "command" and rest[:1] in (["-v"], ["-V"]):
        return None
    if name in _TAKING:
        return _plain(name, rest)
    return None


def _shell(rest: list[str], fed: str | None) -> Inner | None:
    for number, word in enumerate(rest):
        if word.startswith("-") and not word.startswith("--") and "c" in word:
            given = rest[number + 1 :]
            return Inner(script=_filled(given[0], given[1:])) if given else None
        if not word.startswith(("-", "+")):
            return None  # a script, which the session knows or not
    return Inner(script=fed) if fed is not None else None


def _filled(script: str, given: list[str]) -> str:
    """Return a script of `sh -c` with its arguments in place; the first of them is $0."""
    if not given:
        return script
    for sign in ('"$@"', '"$*"', "$@", "$*"):
        script = script.replace(sign, " ".join(given[1:]))
    for number, word in enumerate(given[:10]):
        script = script.replace(f"${number}", word)
    return script


def _env(rest: list[str]) -> Inner | None:
    variables: dict[str, str] = {}
    number, cwd = 0, None
    while number < len(rest):
        word = rest[number]
        if word in ("-S", "--split-string") and number + 1 < len(rest):
            return Inner(script=" ".join(rest[number + 1 :]), variables=variables)
        if word in _TAKING["env"]:
            cwd = rest[number + 1] if word in ("-C", "--chdir") and number + 1 < len(rest) else cwd
            number += 1
        elif "=" in word and not word.startswith("-"):
            key, _, value = word.partition("=")
            variables[key] = value
        elif not word.startswith("-"):
            return Inner(tuple(rest[number:]), variables=variables, cwd=cwd)
        number += 1
    return None


def _plain(name: str, rest: list[str]) -> Inner | None:
    number = 0
    while number < len(rest) and rest[number].startswith("-"):
        number += 2 if rest[number] in _TAKING[name] else 1
    if name in ("timeout", "gtimeout", "taskset", "chrt", "faketime"):
        number += 1
    inner = rest[number:]
    if name == "watch" and len(inner) == 1:
        return Inner(script=inner[0])
    while inner and "=" in inner[0] and name in ("sudo", "doas"):
        inner = inner[1:]
    return Inner(tuple(inner)) if inner else None


def _runner(name: str, rest: list[str]) -> Inner | None:
    """Unwrap `uv run pytest`, `conda run -n env cmd` and the like; other uses run nothing."""
    if rest[:1] not in (["run"], ["exec"], ["shell"]):
        return None
    number = 1
    while number < len(rest) and rest[number].startswith("-"):
        taken = rest[number] in _RUNNERS[name]
        number += 2 if taken else 1
    inner = rest[number:]
    return Inner(tuple(inner)) if inner else None


def _xargs(rest: list[str], fed: str | None) -> Inner | None:
    number, hole = 0, ""
    while number < len(rest) and rest[number].startswith("-"):
        word = rest[number]
        if word.startswith("-I"):
            hole = word[2:] or (rest[number + 1] if number + 1 < len(rest) else "")
        number += 2 if word in _XARGS else 1
    inner = rest[number:] or ["echo"]
    words = (fed or "").split()[:20]
    if len(inner) == 1 and " " in inner[0]:  # parallel 'cmd {}'
        return Inner(script=inner[0].replace("{}", " ".join(words)))
    if hole and any(hole in part for part in inner):
        return Inner(tuple(part.replace(hole, " ".join(words)) for part in inner))
    return Inner((*inner, *words))
