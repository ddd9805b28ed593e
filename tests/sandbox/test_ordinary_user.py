"""The same promises when the user who runs this is not root."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import featuredel

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(os.geteuid() != 0, reason="all tests here run as an ordinary user"),
    pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv to drop privileges"),
]

NOBODY = "65534"
DROP = [
    *("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--inh-caps=-all"),
    # setpriv still holds capabilities when it starts this, which then holds none
    *("sh", "-c", 'exec "$0" "$@"'),
]

SCRIPT = """
import sys
from pathlib import Path
from featuredel.sandbox import Command, Limits, Mount
from featuredel.sandbox.bubblewrap import Bubblewrap
root = Path(sys.argv[1])
keep = root / "keep"

def run(script, **fields):
    command = Command(argv=("/bin/bash", "-c", script), layers=(root / "tree",), **fields)
    return Bubblewrap().run(command)

result = run("id -u; cat f; echo 2 > f; rm -r d; echo n > n; echo r >&3; exit 4", keep_changes=keep)
assert (result.exit_code, result.stdout, result.report) == (4, b"1000\\n1\\n", b"r\\n"), result
assert sorted(path.name for path in keep.iterdir()) == ["f", "n"]
assert (root / "tree/f").read_text() == "1\\n" and (root / "tree/d").is_dir()
bomb = run("bomb() { bomb | bomb & }; bomb; sleep 60", limits=Limits(processes=64, wall_s=60))
assert bomb.ended == "processes", bomb
assert run("unshare -U true; exit 3").exit_code == 3
assert run("sleep 60", limits=Limits(wall_s=0.3)).ended == "timeout"
writable = run("find / -path '/proc/[0-9]*' -prune -o -xdev -writable ! -type l -print 2>/dev/null")
assert set(writable.stdout.split()) == {b"/workspace", b"/tmp", b"/home/solver"}, writable
print("held")
"""


def interpreter() -> str | None:
    """Return a new enough Python that everybody may run."""
    check = "import sys; sys.exit(sys.version_info < (3, 11))"
    for program in (sys.executable, shutil.which("python3", path="/usr/local/bin:/usr/bin")):
        command = [*DROP, str(program), "-c", check]
        if program and subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0:
            return program
    return None


@pytest.fixture
def place() -> Iterator[Path]:
    """Return a directory of an ordinary user with a tree and a copy of the package in it."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "tree" / "d").mkdir(parents=True)
        (root / "tree" / "f").write_text("1\n")
        (root / "keep").mkdir()
        shutil.copytree(Path(featuredel.__file__).parent, root / "code" / "featuredel")
        for path in (root, *root.rglob("*")):
            os.lchown(path, int(NOBODY), int(NOBODY))
        yield root


def test_the_promises_hold(place: Path) -> None:
    program = interpreter()
    if program is None:
        pytest.skip("no Python 3.11 that an ordinary user may run")
    result = subprocess.run(
        [*DROP, program, "-c", SCRIPT, str(place)],
        env={"PYTHONPATH": str(place / "code"), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        cwd="/",
    )
    assert (result.stdout, result.stderr) == ("held\n", "")
