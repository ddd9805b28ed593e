"""Another user in a container of its own: what it can reach, and what is left of it."""

import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import featuredel
from featuredel.errors import SandboxError
from featuredel.sandbox import Command, ExecResult, Limits, Mount
from featuredel.sandbox.account import Account
from featuredel.sandbox.docker import labels
from featuredel.sandbox.docker.back_end import Docker
from featuredel.sandbox.docker.stock import OWN_BASE

ROOT = Path(featuredel.__file__).parents[1]
PREPARED = "/usr/sbin/useradd --uid 1000 solver && touch /.featuredel-account"
PROGRAM = """\
import pickle, sys
from featuredel.errors import SandboxError
from featuredel.sandbox.account import Account

commands = pickle.load(sys.stdin.buffer)
try:
    account = Account()
    results = [account.run(command) for command in commands]
except SandboxError as error:
    results = str(error)
sys.stdout.buffer.write(pickle.dumps(results))
"""

Run = Callable[..., list[ExecResult]]


def in_container(
    commands: Sequence[Command], shared: Path, before: str = PREPARED
) -> list[ExecResult] | str:
    """Run commands one after the other in a new container, as root would in a verifier.

    `shared` is there at its own path. Returns what went wrong instead, if it did.
    """
    seen = [f"{path}:{path}:ro" for path in dict.fromkeys([ROOT, sys.prefix, sys.base_prefix])]
    volumes = [word for one in [*seen, f"{shared}:{shared}"] for word in ("--volume", one)]
    script = f'{before} && exec "$0" -c "$1"'
    done = subprocess.run(
        [
            *("docker", "run", "--rm", "--interactive", "--network", "none"),
            *("--label", f"{labels.OWNER}={labels.running()[labels.OWNER]}"),
            *("--label", f"{labels.KIND}=run", "--env", f"PYTHONPATH={ROOT}", *volumes),
            *(OWN_BASE, "/bin/sh", "-c", script, sys.executable, PROGRAM),
        ],
        input=pickle.dumps(commands),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    found: list[ExecResult] | str = pickle.loads(done.stdout)
    return found


@pytest.fixture
def run(docker: Docker, tree: Path, tmp_path: Path) -> Run:
    """Return a function that runs shell scripts on the tree, each as a command."""
    for path in (tmp_path, *tmp_path.parents):
        if path.name.startswith("pytest-"):
            path.chmod(0o755)

    def scripts(*words: str, before: str = PREPARED, **fields: object) -> list[ExecResult]:
        commands = [
            Command(argv=("/bin/sh", "-c", word), layers=(tree,), **fields)  # type: ignore[arg-type]
            for word in words
        ]
        found = in_container(commands, tmp_path, before)
        assert not isinstance(found, str), found
        return found

    return scripts


pytestmark = pytest.mark.docker


def test_output_report_and_exit_code_come_back(run: Run) -> None:
    one, two = run("cat; cat link; echo report >&3; exit 7", "kill -TERM $$", stdin=b"in\n")
    assert (one.stdout, one.report, one.exit_code) == (b"in\nx = 1\n", b"report\n", 7)
    assert two.exit_code == -15


def test_it_is_an_ordinary_user(run: Run) -> None:
    (result,) = run("id; grep -E 'NoNewPrivs|CapEff|CapBnd' /proc/self/status; pwd; ./run.sh")
    said = result.stdout.decode()
    assert said.startswith("uid=1000(solver) gid=1000(solver) groups=1000(solver)\n")
    assert "CapEff:\t0000000000000000" in said and "NoNewPrivs:\t1" in said
    assert said.endswith("/workspace\nran\n")


def test_what_is_roots_is_out_of_reach(run: Run) -> None:
    before = f"{PREPARED} && install -d -m 700 /pool && echo control >/pool/file"
    script = """
        cat /pool/file; ls /pool; echo reward >/pool/reward.json; echo x >/x; mkdir /y
        for process in /proc/[0-9]*; do
            [ "$(stat -c %u $process)" = 0 ] || continue
            kill -9 ${process#/proc/} && echo killed
            cat $process/environ $process/mem && echo read
            ls -l $process/fd && echo listed
        done 2>/dev/null
        echo over
    """
    first, second = run(script, "ls /", before=before)
    assert first.stdout == b"over\n"
    assert not {b"x", b"y"} & set(second.stdout.split())


def test_nothing_of_one_command_is_there_for_the_next(run: Run) -> None:
    places = "/workspace/src /tmp /var/tmp /dev/shm /dev/mqueue /run/lock $HOME"
    leaves = f"""
        for place in {places}; do
            mkdir -p $place/note/closed && chmod 000 $place/note/closed; echo told >$place/file
        done 2>/dev/null
        setsid sh -c 'sleep 600 & sleep 600' >/dev/null 2>&1 &
        ipcmk -M 100 -S 1 -Q -p 666
        ls /workspace/src /tmp
    """
    finds = f"""
        find {places} -user solver ! -path '*/mod.py' -mindepth 1
        for process in /proc/[0-9]*; do
            [ "$(stat -c %u $process)" != 1000 ] || tr '\\0' ' ' <$process/cmdline
        done 2>/dev/null | grep -c 'sleep 60[0]'
        tail -q -n +2 /proc/sysvipc/*
    """
    first, second = run(leaves, finds)
    assert b"note" in first.stdout and b"file" in first.stdout  # they were there
    assert first.left >= 1
    assert second.stdout == b"0\n"


def test_the_files_that_judge_are_sealed(run: Run) -> None:
    script = """
        echo bad >src/mod.py; rm -f src/mod.py; mv src/mod.py src/other; mv src elsewhere
        rm -rf src; echo good >src/new && cat src/new src/mod.py
    """
    (result,) = run(script, sealed=("src/mod.py",))
    assert result.stdout == b"good\nx = 1\n"


def test_changes_come_back(run: Run, tmp_path: Path) -> None:
    keep, out = tmp_path / "keep", tmp_path / "out"
    for path in (keep, out):
        path.mkdir()
    before = f"{PREPARED} && chmod 700 {keep} {out}"
    run(
        "echo 2 >src/mod.py; echo n >new; rm run.sh; echo built >/out/file; echo no >/tools",
        before=before, keep_changes=keep,
        mounts=(Mount(out, "/out", writable=True), Mount(Path("/bin/true"), "/tools")),
    )  # fmt: skip
    assert sorted(path.name for path in keep.rglob("*")) == ["mod.py", "new", "src"]
    assert (out / "file").read_text() == "built\n"


def test_trees_that_are_too_deep_are_neither_kept_nor_in_the_way(run: Run, tmp_path: Path) -> None:
    keep = tmp_path / "keep"
    keep.mkdir()
    deep = "for i in $(seq 1200); do mkdir d && cd d; done"
    left, empty = run(f"cd /tmp && {deep} && echo made", "ls -d /tmp/d")
    assert (left.stdout, empty.stdout) == (b"made\n", b"")
    with pytest.raises(AssertionError, match="keep the changes: File too large"):
        run(deep, keep_changes=keep)


def test_limits_hold(run: Run) -> None:
    (late,) = run("sleep 600 & sleep 600", limits=Limits(wall_s=2))
    (loud,) = run("yes", limits=Limits(output_bytes=10_000))
    (many,) = run("for i in $(seq 40); do sleep 600 & done; wait", limits=Limits(processes=20))
    assert [one.ended for one in (late, loud, many)] == ["timeout", "output", "processes"]


@pytest.mark.parametrize(
    "before, told",
    [
        ("true", "a container of its own"),
        ("touch /.featuredel-account", "no user solver"),
        (f"{PREPARED} && mkdir /workspace", "/workspace is in use"),
        (f"{PREPARED} && mkdir -m 777 /srv/notes", "may write to /srv/notes"),
    ],
)
def test_it_is_refused_where_it_would_not_hold(
    docker: Docker, tmp_path: Path, before: str, told: str
) -> None:
    found = in_container([], tmp_path, before)
    assert isinstance(found, str) and told in found


def test_it_is_refused_here() -> None:
    with pytest.raises(SandboxError, match="a container of its own"):
        Account()


def test_what_a_killed_launcher_left_is_ended(run: Run) -> None:
    left = "setsid sleep 600.5 >/dev/null 2>&1 &"
    (result,) = run(
        "grep -l 600[.]5 /proc/[0-9]*/cmdline | wc -l",
        before=f"{PREPARED} && setpriv --reuid 1000 sh -c '{left}'",
    )
    assert result.stdout == b"0\n"
