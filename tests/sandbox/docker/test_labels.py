import os
import subprocess

from featuredel.sandbox.docker import labels


def test_what_is_of_this_process_is_not_abandoned() -> None:
    assert not labels.is_abandoned(labels.running())


def test_what_is_of_a_process_that_ended_is_abandoned() -> None:
    child = subprocess.Popen(["sleep", "600"])
    marked = labels.running(child.pid)
    assert not labels.is_abandoned(marked)
    child.kill()
    child.wait()
    assert labels.is_abandoned(marked)


def test_another_process_of_the_same_number_is_not_the_owner() -> None:
    marked = labels.running()
    here, _, mark = marked[labels.OWNER].rpartition("/")
    assert mark.startswith(f"{os.getpid()}.")
    assert labels.is_abandoned({labels.OWNER: f"{here}/{os.getpid()}.1"})


def test_nobody_knows_of_other_machines() -> None:
    assert not labels.is_abandoned({labels.OWNER: "elsewhere.1/1.1"})
    assert not labels.is_abandoned({})
