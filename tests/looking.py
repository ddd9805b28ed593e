"""What the tests of views share: one function, and all that the views show of some content."""

from pathlib import Path

from featuredel.leaks.bounds import Bounds, Budget
from featuredel.leaks.expand import expand
from featuredel.leaks.finding import Finding
from featuredel.leaks.views.view import View
from featuredel.leaks.walk import walk

CODE = '''\
from typing import Dict, List, Tuple


def zorptastic_merge(
    alpha_quux: Dict[str, int], beta_frob: List[int], *, gamma_wibble: float = 2.7182
) -> Tuple[int, str]:
    """Merge quuxes the zorptastic way, which nobody else does."""
    snork_total = 7919 * len(beta_frob)
    return snork_total, "grumbledook-%s" % gamma_wibble
'''
BOUNDS = Bounds()
NAME = b"zorptastic_merge"


def views(content: bytes, where: str = "f", bounds: Bounds = BOUNDS) -> dict[str, bytes]:
    """Return by place what each view shows; a finding is told as its kind and detail."""
    found = list(expand(View("raw", where, content), Budget(bounds, len(content))))
    return {
        item.where if isinstance(item, View) else f"{item.where} ({item.kind})": (
            item.content[:] if isinstance(item, View) else item.detail.encode()
        )
        for item in found
    }


def findings(content: bytes, bounds: Bounds = BOUNDS) -> list[Finding]:
    found = expand(View("raw", "f", content), Budget(bounds, len(content)))
    return [item for item in found if isinstance(item, Finding)]


def of_files(*roots: Path, bounds: Bounds = BOUNDS) -> dict[str, bytes]:
    """Return the same of files on disk, by path below the first root."""
    shown: dict[str, bytes] = {}
    for item in walk(roots, bounds):
        if isinstance(item, View) and item.deeper:
            for part in expand(item, Budget(bounds, len(item.content))):
                if isinstance(part, View):
                    shown[part.where.removeprefix(f"{roots[0]}/")] = part.content[:]
    return shown


def lines(content: bytes) -> set[bytes]:
    return set(content.split(b"\n"))
