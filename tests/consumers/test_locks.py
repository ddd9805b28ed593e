"""Locks of programs that featuredel runs in have what featuredel needs."""

import re
import tomllib

import pytest
from consumers.environments import LOCKS
from packaging.requirements import Requirement

PROJECT = LOCKS.parents[2] / "pyproject.toml"


@pytest.mark.parametrize("name", ["harbor", "trainers", "verifiers"])
def test_a_lock_has_what_featuredel_needs(name: str) -> None:
    lock = (LOCKS / f"{name}.txt").read_text()
    pinned = dict(re.findall(r"^([a-z0-9._-]+)(?:\[.*\])?==(\S+)", lock, re.MULTILINE))
    (version,) = re.findall(r"--python-version (\S+)", lock)
    python = {"python_version": version, "python_full_version": f"{version}.0"}
    needed = map(Requirement, tomllib.loads(PROJECT.read_text())["project"]["dependencies"])
    for one in needed:
        if one.marker is None or one.marker.evaluate(python):
            assert one.name in pinned and one.specifier.contains(pinned[one.name]), one
