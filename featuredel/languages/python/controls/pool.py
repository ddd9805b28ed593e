"""All controls that can be made of hidden tests, not yet proven."""

import random
from collections.abc import Collection, Iterator, Mapping, Sequence

from featuredel.languages.python import spans
from featuredel.languages.python.controls import (
    canaries,
    constant,
    ending,
    exception,
    expected,
    negated,
    parameter,
    wrapped,
)
from featuredel.languages.python.controls.functions import by_file, case_ids, functions
from featuredel.languages.python.controls.site import Body, Site
from featuredel.languages.python.source import parse
from featuredel.languages.python.spans import Edit
from featuredel.model import NEUTRAL, Control, TestId
from featuredel.patches import splice_patch

KINDS = (constant, parameter, expected, wrapped, exception, negated)
MOST_OF_KIND = {
    "constant": 2, "parameter": 1, "expected": 1, "wrapped": 1, "exception": 1, "negated": 1,
    "raise": 1,
}  # fmt: skip
NEUTRALS = 2
MAX_CONTROLS = 4000
"""Where there are so many functions that a pool would be larger, each has fewer controls."""

CANARY_FILES = 3


def pool(
    hidden: Mapping[str, bytes], taken: Collection[str], f2p: Sequence[TestId], seed: int
) -> tuple[Control, ...]:
    """Return neutral forms, controls and canaries for the tests `f2p` of hidden files.

    `taken` are paths of the tree. The same arguments give the same bytes.
    """
    # other words in each task, whatever the seed
    chance = random.Random(f"{seed} {sorted(hidden.items())} {f2p}")  # noqa: S311 -- a sample
    texts = {path: spans.read(hidden[path]) for path in sorted(hidden) if path.endswith(".py")}
    bodies = [
        (path, Body(text, function, case_ids(tests)), tests)
        for path, own in by_file(f2p).items()
        if (text := texts.get(path)) is not None and text.encoding == "utf-8"
        for function, tests in functions(text.tree, own)
    ]
    each = max(1, min(sum(MOST_OF_KIND.values()), MAX_CONTROLS // max(1, len(bodies)) - NEUTRALS))
    found: list[Control] = []
    for path, body, tests in bodies:
        found += _of_function(path, body, tests, each, chance)
    files = sorted({path for path, _, _ in bodies})
    for path in chance.sample(files, min(CANARY_FILES, len(files))):
        found += canaries.canaries(path, hidden[path], {*taken, *hidden}, chance)
    return tuple(found)


def _of_function(
    path: str, body: Body, tests: tuple[TestId, ...], each: int, chance: random.Random
) -> Iterator[Control]:
    sites = _sites(body)
    forms: list[Site | None] = [None] * NEUTRALS
    forms += _chosen(sites, each, chance)
    for broken in forms:
        # what is written another way beside it may not go together with it
        tries = (_written(sites, broken, chance), _written([], broken, chance))
        patch = next((patch for edits in tries if (patch := _patch(path, body, edits))), None)
        if patch is not None:
            yield Control(NEUTRAL if broken is None else broken.kind, path, patch, tests)


def _sites(body: Body) -> list[Site]:
    found = [
        site
        for statement in body.statements
        for kind in KINDS
        for site in kind.sites(body, statement)
    ]
    return [*found, *ending.sites(body)]


def _chosen(sites: Sequence[Site], most: int, chance: random.Random) -> list[Site]:
    """Return sites of all kinds, the stronger kinds first."""
    found: list[Site] = []
    for kind, number in MOST_OF_KIND.items():
        own = [site for site in sites if site.kind == kind]
        found += chance.sample(own, min(number, len(own)))
    return found[:most]


def _written(sites: Sequence[Site], broken: Site | None, chance: random.Random) -> list[Edit]:
    """Return the edits that write all places another way, and one of them broken.

    All: whoever answers what is asserted plainly, and nothing else, would never be wrong.
    """
    places: dict[int, list[Site]] = {}
    for site in sites:
        if broken is None or site.statement is not broken.statement:
            places.setdefault(id(site.statement), []).append(site)
    edits = []
    for own in places.values():
        # an equality stands in its negated form as it was
        veiled = [site for site in own if site.kind != negated.KIND]
        edits += chance.choice(veiled or own).rewrite(chance, False)
    return edits + (broken.rewrite(chance, True) if broken is not None else [])


def _patch(path: str, body: Body, edits: Sequence[Edit]) -> bytes | None:
    """Return the patch that makes edits; None if that changes nothing, or is no longer Python."""
    data, changed = body.text.data, body.text.edited(edits)
    if changed == data or parse(_around(body, edits, changed)) is None:
        return None
    return splice_patch(path, data, [(e.start, e.end, e.text) for e in sorted(edits)])


def _around(body: Body, edits: Sequence[Edit], changed: bytes) -> bytes:
    """Return of the changed text what says whether it is Python: the function, if that is enough.

    A file of tests may have thousands of lines, and is changed for each of its functions.
    """
    start, end = body.lines
    if not all(start <= edit.start and edit.end <= end for edit in edits):
        return changed
    function = changed[start : len(changed) - (len(body.text.data) - end)]
    return b"if True:\n" + function if body.function.col_offset else function
