"""RESULTS.md: each benchmark writes its own section, between markers, and leaves the others."""

import os
import platform
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

RESULTS = Path(__file__).parent / "RESULTS.md"


def write_section(name: str, command: str, section: str, results: Path = RESULTS) -> None:
    """Put the section of a benchmark between its markers, or at the end where there are none."""
    begin, end = f"<!-- {name}: written by `{command}` -->", f"<!-- end of {name} -->"
    block = f"{begin}\n\n{section.strip()}\n\n{end}"
    before, found, rest = (results.read_text() if results.exists() else "").partition(begin)
    after = rest.partition(end)[2] if found else "\n"
    results.write_text(f"{before.rstrip()}\n\n{block}{after}".lstrip())


def machine() -> str:
    """Return what this runs on."""
    info = Path("/proc/cpuinfo").read_text()
    model = re.search(r"^model name\s*:\s*(.*)", info, re.MULTILINE)
    processor = model[1] if model else platform.processor() or platform.machine()
    return (
        f"{processor}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, CPython"
        f" {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
