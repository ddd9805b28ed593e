"""What trainers' own packages make of a dataset: python -m bench.trainers DATA [SECTION].

Runs the checks of tests/consumers that grade with TRL, VeRL and verifiers, and writes a section of
RESULTS.md for each, or for the one that is named: which tasks' gold patches earned the reward, and
which had it for nothing. Ends with pytest's status: 0 where every check passed.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

from bench.results import machine, table, write_section

SECTIONS = {
    "TRL and VeRL": {"test_trl": "TRL, a step of GRPO", "test_verl": "VeRL, its reward manager"},
    "verifiers": {"test_verifiers": "vf-validate"},
}
ANSWERS = ("gold", "no-op")

Earned = dict[str, dict[str, dict[str, list[float]]]]
"""Rewards by test file, repository and answer."""


def main(dataset: str, only: str = "") -> int:
    """Run the checks on a dataset, write what came of them, and return pytest's status."""
    sections = {name: SECTIONS[name] for name in ([only] if only else SECTIONS)}
    files = [name for consumers in sections.values() for name in consumers]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        status = subprocess.run(
            [
                sys.executable, "-m", "pytest", *(f"tests/consumers/{name}.py" for name in files),
                "-m", "consumer", f"--junitxml={report}", "-o", "junit_family=xunit1",
            ],
            env=os.environ | {"FEATUREDEL_DATA": dataset},
        ).returncode  # fmt: skip
        found = earned(report.read_text())
    for name, consumers in sections.items():
        write_section(name, "make bench-trainers", section(name, consumers, found))
    return status


def earned(report: str) -> Earned:
    """Return the rewards that checks have put in a report in JUnit's form."""
    found: Earned = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for case in ElementTree.fromstring(report).iter("testcase"):
        file = case.get("classname", "").rpartition(".")[2]
        for told in case.iter("property"):
            for repository, reward in json.loads(told.get("value", "[]")):
                found[file][repository][told.get("name", "")].append(reward)
    return found


def section(name: str, consumers: dict[str, str], found: Earned) -> str:
    """Return what a section says: of each consumer and repository, how many tasks earned 1."""
    rows = [
        (told, repository, *(_share(answers[answer]) for answer in ANSWERS))
        for file, told in consumers.items()
        for repository, answers in sorted(found[file].items())
    ]
    return "\n\n".join(
        [
            f"## {name}",
            "How many tasks earned 1 in the consumer's own package: by the gold patch, and by"
            " nothing (noise of a model that has learned nothing, words, the untouched tree).",
            f"{machine()}.",
            table(("consumer", "repository", *ANSWERS), rows),
        ]
    )


def _share(rewards: list[float]) -> str:
    return f"{sum(reward == 1 for reward in rewards)} of {len(rewards)}"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
