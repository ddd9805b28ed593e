"""A trial collection by pytest: the command, and what its output says is missing."""

import re
import shlex
from dataclasses import dataclass

from featuredel.languages.python.distributions import MARK_TO_DISTRIBUTION, distribution_of
from featuredel.languages.python.pytest_options import PytestOptions
from featuredel.sandbox import ENVIRONMENT, WORKSPACE

_MISSING = re.compile(r"No module named ['\"]?([A-Za-z_][\w.]*)")
_MARK = re.compile(r"Unknown pytest\.mark\.(\w+)")
_PLUGINS = re.compile(r"Missing required plugins: ([\w.,= <>-]+)")


@dataclass(frozen=True, slots=True)
class Collected:
    """What pytest found, and what kept it from finding more."""

    tests: int
    broken: tuple[str, ...]  # test files that could not be imported
    missing: tuple[str, ...]  # distributions that would likely mend it
    detail: str  # the end of the output

    @property
    def sound(self) -> bool:
        """Tell whether there are tests and every test file could be imported."""
        return bool(self.tests) and not self.broken


def arguments(roots: tuple[str, ...], options: PytestOptions) -> tuple[str, ...]:
    """Return the command that collects without running a test."""
    configuration = ("-c", f"{WORKSPACE}/{options.file}") if options.file else ()
    values = {
        "addopts": shlex.join(options.addopts),
        "required_plugins": "",
        "minversion": "0",
        "log_cli": "false",
    }
    return (
        *(f"{ENVIRONMENT}/bin/python", "-m", "pytest", "--collect-only", "-qq", "-rs"),
        *("--tb=short", "--color=no", "--continue-on-collection-errors"),
        *("-p", "no:cacheprovider", "--rootdir", WORKSPACE, *configuration),
        *(part for key, value in values.items() for part in ("-o", f"{key}={value}")),
        *roots,
    )


def read(stdout: bytes, stderr: bytes) -> Collected:
    """Return what a collection's output says."""
    text = stdout.decode(errors="replace") + "\n" + stderr.decode(errors="replace")
    counts = sum(int(n) for n in re.findall(r"^\S.*\.\w+: (\d+)$", text, re.MULTILINE))
    summary = re.search(r"^(?:=+ )?(\d+)(?:/\d+)? tests? (?:collected|found)", text, re.MULTILINE)
    broken = re.findall(r"^_+ ERROR collecting (\S.*?) _+$", text, re.MULTILINE)
    conftest = re.findall(r"ImportError while loading conftest '([^']+)'", text)
    modules = (name for name in _MISSING.findall(text))
    missing = [d for name in modules if (d := distribution_of(name))]
    missing += [MARK_TO_DISTRIBUTION[m] for m in _MARK.findall(text) if m in MARK_TO_DISTRIBUTION]
    for names in _PLUGINS.findall(text):
        missing += re.findall(r"[A-Za-z][\w.-]*", names)
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return Collected(
        tests=counts or int(summary.group(1) if summary else 0),
        broken=tuple(dict.fromkeys((*broken, *conftest))),
        missing=tuple(dict.fromkeys(missing)),
        detail="\n".join(lines[-15:])[-2000:],
    )
