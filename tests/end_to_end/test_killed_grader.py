"""A grader that is killed at any moment leaves no process, mount or container, and no litter."""

import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from candidates import FILES
from engine import docker_engine
from processes import eventually
from toy_dataset import MUL, NEG, have_small_environment, write_two_tasks

import featuredel
from featuredel.sandbox import cgroup
from featuredel.sandbox.docker import labels
from featuredel.sandbox.docker.engine import connect

pytestmark = pytest.mark.sandbox

SEED = 20000101
PR_SET_CHILD_SUBREAPER = 36
LINGERS = b"""
import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(3600)
time.sleep(0.5)
"""
"""What a hostile solution does when it is imported: it stays, and takes its time."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where graders run, and all that they may leave."""

    folder: Path
    dataset: featuredel.Dataset
    sandbox: str

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    def start(self, *words: str, prints: int = subprocess.DEVNULL) -> "subprocess.Popen[bytes]":
        """Start `featuredel grade` with these words."""
        where = ("--sandbox", self.sandbox, "--work", str(self.folder / "work"))
        return subprocess.Popen(
            [sys.executable, "-m", "featuredel", "grade", self.dataset.location, *words, *where],
            env={**os.environ, "TMPDIR": str(self.temporary)},
            stdout=prints, stderr=None,
        )  # fmt: skip

    def finish(self, *words: str) -> bytes:
        """Grade to the end and return what is printed."""
        with self.start(*words, prints=subprocess.PIPE) as grader:
            printed = grader.communicate()[0]
        assert grader.returncode == 0
        return printed

    def forget_trees(self) -> None:
        """Have the next grader unpack everything."""
        for name in ("snapshots", "tasks"):
            shutil.rmtree(self.folder / "work" / name, ignore_errors=True)

    def hostile(self, task_id: str) -> str:
        """Return a diff that solves a task, but for what it does besides."""
        tree = self.folder / f"solver-{task_id}"
        if not tree.exists():
            self.dataset[task_id].materialize(tree)
            (tree / "calc/__init__.py").write_bytes(FILES["calc/__init__.py"])
            (tree / "calc/more.py").write_bytes(FILES["calc/more.py"] + LINGERS)
        done = subprocess.run(["git", "diff"], cwd=tree, capture_output=True, check=True)
        return done.stdout.decode()


@pytest.fixture(params=["bubblewrap", pytest.param("docker", marks=pytest.mark.docker)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "docker":
        with docker_engine():
            yield made(tmp_path, "docker")
    else:
        yield made(tmp_path, "bubblewrap")


def made(folder: Path, sandbox: str) -> Place:
    (folder / "tmp").mkdir()
    have_small_environment(folder / "work")
    return Place(folder, featuredel.load(write_two_tasks(folder)), sandbox)


@pytest.fixture(autouse=True)
def orphans() -> Iterator[None]:
    """Make this process the parent of whatever a killed child leaves behind."""
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def test_one_grading(place: Place) -> None:
    solution = place.folder / "hostile.diff"
    solution.write_text(place.hostile(MUL))
    words = (MUL, str(solution))
    killed = kill_at_moments(place, words, 10 if place.sandbox == "bubblewrap" else 5)
    assert killed > 0
    solution.write_bytes(place.dataset[MUL].row.gold_patch)
    assert json.loads(place.finish(*words))["resolved"]
    assert left_lying(place) == []


def test_a_batch(place: Place) -> None:
    predictions, out = place.folder / "predictions", place.folder / "out"
    asked = [
        {"instance_id": task, "model_name_or_path": model, "model_patch": patch}
        for task in (MUL, NEG)
        for model, patch in {
            "hostile": place.hostile(task),
            "gold": place.dataset[task].row.gold_patch.decode(),
            "none": None,
        }.items()
    ]
    predictions.write_text(json.dumps(asked))
    words = ("--batch", str(predictions), "--workers", "2", "--out")
    killed = kill_at_moments(place, (*words, str(place.folder / "first")), 4, (*words, str(out)))
    assert killed > 0
    place.finish(*words, str(out))
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert sorted((row["instance_id"], row["model"]) for row in rows) == sorted(
        (entry["instance_id"], entry["model_name_or_path"]) for entry in asked
    )
    for row in rows:
        assert row["error"] is None
        assert row["model"] == "hostile" or row["resolved"] == (row["model"] == "gold")
    assert left_lying(place) == []


def kill_at_moments(
    place: Place, words: tuple[str, ...], times: int, others: tuple[str, ...] = ()
) -> int:
    """Kill graders at moments over the whole course of one; return how many had not ended.

    What is killed is started with `others`, if they are given.
    """
    before, own = set(mentioning(place.folder)), set(descendants())

    def alone() -> bool:
        return set(descendants()) <= own

    began = time.monotonic()
    place.finish(*words)
    course_s = time.monotonic() - began
    # what python tracks resources with goes last
    assert eventually(alone), commands(descendants())
    drawn, killed = random.Random(SEED), 0
    for _ in range(times):
        place.forget_trees()
        grader = place.start(*(others or words))
        time.sleep(drawn.uniform(0, course_s))
        grader.send_signal(signal.SIGKILL)
        grader.wait()
        killed += grader.returncode == -signal.SIGKILL
        assert eventually(alone), commands(descendants())
        assert place.sandbox != "docker" or eventually(lambda: abandoned() == [])
        assert eventually(lambda: set(mentioning(place.folder)) <= before)
    return killed


def descendants() -> list[int]:
    """Return the processes below this one, of which those that have ended are buried."""
    parents: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, state, parent = parsed(status.read_text())
        except OSError:
            continue
        if state == "Z" and parent == os.getpid():
            os.waitpid(number, os.WNOHANG)
        elif state not in "ZX":
            parents.setdefault(parent, []).append(number)
    found, left = [], [os.getpid()]
    while left:
        children = parents.get(left.pop(), [])
        found += children
        left += children
    return found


def parsed(status: str) -> tuple[int, str, int]:
    """Return number, state and parent of a process from its `stat`."""
    front, _, back = status.rpartition(") ")
    state, parent = back.split()[:2]
    return int(front.partition(" ")[0]), state, int(parent)


def commands(processes: list[int]) -> list[str]:
    """Return the command lines, for what is said when there should be none."""
    return [
        Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        for process in processes
        if Path(f"/proc/{process}").exists()
    ]


def mentioning(folder: Path) -> Iterator[str]:
    """Yield what is mounted from or to a folder in any namespace of this machine."""
    for table in Path("/proc").glob("[0-9]*/mountinfo"):
        try:
            lines = table.read_text().splitlines()
        except OSError:
            continue
        yield from (line for line in lines if str(folder) in line)


def abandoned() -> list[str]:
    """Return the containers of ours whose process is gone."""
    client = connect()
    try:
        found = client.api.containers(all=True, filters={"label": labels.OWNER})
    finally:
        client.close()
    return [one["Id"] for one in found if labels.is_abandoned(one["Labels"])]


def left_lying(place: Place) -> list[str]:
    """Return what is left where graders have their temporary files, and in the kernel."""
    own, work = cgroup.own_group(), place.folder / "work"
    groups = [
        group
        for group in (own.glob(f"{cgroup.PREFIX}*-*") if own else ())
        if not Path("/proc", group.name.removeprefix(cgroup.PREFIX).partition("-")[0]).exists()
    ]
    found = (*place.temporary.iterdir(), *work.glob(".*"), *work.glob("*/.*"), *groups)
    return [str(path) for path in found]
