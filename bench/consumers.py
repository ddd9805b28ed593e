"""What others' own packages accept of a dataset: python -m bench.consumers DATASET.

Runs tests/consumers, each in the environment of its lock, and writes a section of RESULTS.md.
Ends with pytest's status: 0 where every check passed.
"""

import importlib.metadata
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from xml.etree import ElementTree

from packaging.requirements import Requirement

from bench.results import machine, table, write_section
from featuredel import tables

TESTS = Path("tests/consumers")
OUTCOMES = ("passed", "failed", "error", "skipped")

HEAD = """## Consumers

Each check runs the consumer's own package, in an environment of exactly what its lock says. All of
them are in `tests/consumers/`.
"""


def main(dataset: str) -> int:
    """Run the checks on a dataset, write what came of them, and return pytest's status."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        status = subprocess.run(
            [
                sys.executable, "-m", "pytest", str(TESTS), "-m", "consumer or network",
                f"--junitxml={report}", "-o", "junit_family=xunit1",  # which has properties
            ],
            env=os.environ | {"FEATUREDEL_DATA": dataset},
        ).returncode  # fmt: skip
        counts = outcomes(report.read_text())
    write_section("consumers", "make test-consumers", _section(dataset, counts))
    return status


def outcomes(report: str) -> dict[str, Counter[str]]:
    """Return by test file how many checks came out how, from a report in JUnit's form."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for case in ElementTree.fromstring(report).iter("testcase"):
        told = {child.tag.replace("failure", "failed") for child in case} & set(OUTCOMES)
        found[case.get("classname", "").rpartition(".")[2]][told.pop() if told else "passed"] += 1
    return found


def asked_for(locks: Path) -> list[tuple[str, str]]:
    """Return each lock, and what is asked for by name in it, with the version that it has.

    What featuredel itself needs is left out.
    """
    found = []
    own = {Requirement(line).name for line in importlib.metadata.requires("featuredel") or ()}
    for asked in sorted(locks.glob("*.in")):
        names = {Requirement(line).name for line in _lines(asked)} - own
        pinned = (line.split()[0] for line in _lines(asked.with_suffix(".txt")) if "==" in line)
        versions = [pin for pin in pinned if pin.split("==")[0].split("[")[0] in names]
        found.append((asked.stem, ", ".join(pin.replace("==", " ") for pin in versions)))
    return found


def _lines(file: Path) -> list[str]:
    lines = (line.split("#")[0].strip() for line in file.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("-")]


def _section(dataset: str, counts: dict[str, Counter[str]]) -> str:
    projects = Counter(task.repository for task in tables.read_tasks(dataset))
    of = ", ".join(f"{name} {n}" for name, n in sorted(projects.items()))
    rows = [(file, *(count[outcome] for outcome in OUTCOMES)) for file, count in counts.items()]
    return "\n\n".join(
        [
            HEAD.strip(),
            f"On {projects.total()} tasks ({of}); {machine()}.",
            table(("lock", "asked for"), asked_for(TESTS / "locks")),
            table(("checks", *OUTCOMES), rows),
        ]
    )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
