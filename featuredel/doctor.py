"""doctor: what this machine has and lacks for running featuredel."""

import os
import shutil
import sys
from dataclasses import dataclass

from featuredel.languages.python.interpreters import interpreters
from featuredel.sandbox.table import check
from featuredel.tasks.workplace import work_directory

_WANTED_DISK_BYTES = 5 << 30


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    what: str
    fine: bool
    detail: str
    needed: bool = True


def examine() -> tuple[Finding, ...]:
    """Look at everything that featuredel needs or makes use of."""
    return (_python(), *_sandboxes(), _git(), _interpreters(), _disk(), _cores())


def _python() -> Finding:
    return Finding("Python", sys.version_info >= (3, 11), sys.version.split()[0])


def _sandboxes() -> list[Finding]:
    problems = check()
    none = all(problems.values())
    return [
        Finding(f"sandbox {name}", not problem, problem or "works", needed=none)
        for name, problem in problems.items()
    ]


def _git() -> Finding:
    path = shutil.which("git")
    return Finding("git", path is not None, path or "missing: apt-get install git")


def _interpreters() -> Finding:
    found = [str(interpreter.version) for interpreter in interpreters()]
    fast = any(tuple(map(int, version.split(".")[:2])) >= (3, 12) for version in found)
    advice = "" if fast else "; baselines run two to three times as fast on Python >= 3.12"
    return Finding("interpreters for projects", bool(found), ", ".join(found) + advice)


def _disk() -> Finding:
    place = work_directory()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    return Finding(
        "disk", free >= _WANTED_DISK_BYTES, f"{free >> 30} GiB free for {work_directory()}"
    )


def _cores() -> Finding:
    return Finding("cores", True, f"{os.cpu_count()}", needed=False)
