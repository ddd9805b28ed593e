"""Environments that hold a consumer's own package, each made once from a lock with hashes.

`locks/<name>.in` says what is asked for, and `locks/<name>.txt` is what uv made of it:

    uv pip compile --generate-hashes --python-version 3.N locks/<name>.in -o locks/<name>.txt

What comes in another build for each machine has no hash that a lock could hold; pip installs it.
"""

import fcntl
import hashlib
import shutil
import sys
from pathlib import Path

import platformdirs
import pytest
from consumers.programs import attempt
from uv import find_uv_bin

from featuredel.languages.python.interpreters import interpreters
from featuredel.languages.python.uv import network_trouble

LOCKS = Path(__file__).with_name("locks")


def consumer(name: str, oldest: tuple[int, int] = (3, 11), beside: tuple[str, ...] = ()) -> Path:
    """Return the Python of an environment with what `locks/<name>.txt` says.

    Nothing else is in it but `beside`, requirements in the build that fits this machine.
    Skips the test where no interpreter is new enough, or no package index can be reached.
    """
    fitting = [found for found in interpreters() if found.minor >= oldest]
    if not fitting:
        pytest.skip(f"needs Python {oldest[0]}.{oldest[1]} or later")
    python = min(fitting, key=lambda found: found.minor).executable
    lock = LOCKS / f"{name}.txt"
    key = hashlib.sha256(f"{python} {beside}\n".encode() + lock.read_bytes()).hexdigest()[:16]
    folder = platformdirs.user_cache_path("featuredel-consumers") / f"{name}-{key}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # tests run side by side
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            _make(folder, python, lock, beside)
            (folder / "ready").touch()
    return folder / "bin" / "python"


def _make(folder: Path, python: Path, lock: Path, beside: tuple[str, ...]) -> None:
    _run(find_uv_bin(), "venv", "--quiet", "--python", str(python), str(folder))
    sync = ("pip", "sync", "--quiet", "--require-hashes", "--python", str(folder), str(lock))
    _run(find_uv_bin(), *sync)
    if beside:
        # uv asks an index alone; pip knows of wheels that lie on the machine
        _run(sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet", *beside)


def _run(*command: str) -> None:
    done = attempt(command)
    if done.returncode and network_trouble(done.stderr):
        pytest.skip(f"no package index can be reached: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
