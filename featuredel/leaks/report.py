"""The report of a task: what was looked for, where, and what was found, as JSON and its digest.

The same task on the same base gives the same bytes: no clocks, no paths outside of the sandbox, no
sizes that a compressor's version decides. Needles are named by hashes only, since who sees a
needle has seen the answer.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from featuredel.leaks.finding import Finding
from featuredel.leaks.needle import Needle, Needles

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Report:
    """What proves that a task holds no trace of its answer, or shows the traces."""

    needles: Needles
    candidates: int
    in_base: int
    in_tree: int
    environment: Mapping[str, str]  # what names it
    files: int  # of the tree that a solver gets
    explained: Mapping[str, int]  # files of the environment by what explains them
    findings: tuple[Finding, ...]

    @property
    def text(self) -> str:
        """The report as JSON, keys sorted."""
        secret = self.needles.secret
        return json.dumps(
            {
                "format": FORMAT,
                "needles": {
                    "candidates": self.candidates,
                    "in_base": self.in_base,
                    "in_tree": self.in_tree,
                    "secret": len(secret),
                    "by_kind": dict(Counter(needle.kind for needle in secret)),
                    "sha256": digest_of(secret),
                },
                "environment": dict(self.environment),
                "explained": dict(self.explained),
                "files": self.files,
                "findings": sorted(str(finding) for finding in self.findings),
            },
            sort_keys=True,
        )

    @property
    def sha256(self) -> str:
        """The digest of the report, hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def digest_of(needles: Iterable[Needle]) -> str:
    """Return a sha256 that stands for needles, whatever their order, hexadecimal."""
    lines = sorted(f"{needle.kind}\0{needle.text}\n" for needle in needles)
    return hashlib.sha256("".join(lines).encode(errors="surrogatepass")).hexdigest()
