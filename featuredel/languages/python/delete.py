"""Remove a feature from a tree: its source, its tests and what tells of it."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from featuredel.errors import Rejected
from featuredel.languages.python.bench import Bench
from featuredel.languages.python.docs import documents, remove_docs
from featuredel.languages.python.retreat import Settled, stubbed
from featuredel.languages.python.source_side import SourceSide, Steps
from featuredel.languages.python.testside import TestSide, remove_tests
from featuredel.model import Deletion, Feature, Form, TestId
from featuredel.relation import spoken_name

_ROUNDS = 12

_WITHOUT_ENTRY = 0.5
"""What was ranked for an entry point that stays after all is worth so much less."""


def delete(source: SourceSide, form: Form, spared: Collection[TestId] = ()) -> Deletion:
    """Return the edit that removes the feature of `source` from its tree, after retreat.

    Of the tests that reach it, those `spared` stay: they pass without it. Raises `Rejected` if
    nothing worth removing can be unwired.
    """
    bench = source.bench
    steps: Steps = ()
    for _ in range(_ROUNDS):
        settled = source.settled(steps)
        hidden = set(bench.relation.names(settled.tests)).difference(spared)
        tests = remove_tests(bench, hidden, settled.dead)
        if not tests.blocked:
            return _deletion(bench, source.feature, form, settled, tests)
        steps += (tuple((settled.roots[d], why) for d, why in tests.blocked.items()),)
    kept = source.retreating(steps).retreats()
    raise Rejected("retreat does not end", "; ".join(retreat.reason for retreat in kept))


def _deletion(
    bench: Bench, feature: Feature, form: Form, settled: Settled, tests: TestSide
) -> Deletion:
    source = settled.edits if form == "removal" else stubbed(bench, settled.definitions)
    if not source:
        raise Rejected("nothing to stub", ", ".join(settled.definitions))
    if form == "removal":
        source = {**remove_docs(bench.once(documents), settled.dead), **source}
    edits = {**source, **tests.edits}
    return Deletion(
        feature=_after(bench, feature, settled, edits),
        form=form,
        edits={path: edits[path] for path in sorted(edits)},
        gold_paths=tuple(sorted(set(source) - set(tests.edits))),
        hidden_files=tests.hidden_files,
        hidden_tests=tests.hidden_tests,
        retreats=settled.retreats,
        collateral_lines=settled.collateral_lines if form == "removal" else 0,
    )


def _after(
    bench: Bench, feature: Feature, settled: Settled, edits: Mapping[str, bytes | None]
) -> Feature:
    """Return the feature as it is after retreat."""
    relation = bench.relation
    count = settled.tests.bit_count() or 1
    shares = [relation.tests(d).bit_count() / count for d in settled.definitions]
    name = _name(bench, feature, settled, edits)
    same = name == feature.name or name.startswith(f"{feature.name}.")
    left = min(1.0, settled.code_lines / max(feature.code_lines, 1))
    return replace(
        feature,
        name=name,
        rank=round(feature.rank * left * (1.0 if same else _WITHOUT_ENTRY), 4),
        seed=settled.seed,
        definitions=settled.definitions,
        tests=relation.names(settled.tests),
        code_lines=settled.code_lines,
        density=round(sum(shares) / (len(shares) or 1), 4),
    )


def _name(
    bench: Bench, feature: Feature, settled: Settled, edits: Mapping[str, bytes | None]
) -> str:
    """Return the feature's name if that still is the name of something that goes."""
    known = bench.index.definitions
    gone = {
        spoken_name(d)
        for d in (known[feature.seed], *(known[i] for i in settled.definitions))
        if (edits.get(d.path, b"") is None if d.kind == "module" else d.id in settled.definitions)
    }
    if feature.name in gone:
        return feature.name
    inside = [m for d in settled.definitions for m in bench.relation.members(d)]
    inside = [d for d in inside if known[d].kind not in ("module", "constant")] or inside
    best = min(inside, key=lambda d: (not known[d].public, -known[d].code_lines, d))
    return spoken_name(known[best])
