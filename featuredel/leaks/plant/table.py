"""Every making, and what of the catalogue is not made at all."""

from collections.abc import Collection

from featuredel.errors import UsageError
from featuredel.leaks.plant import (
    Making,
    checkers,
    compiled,
    documents,
    editors,
    histories,
    javascript,
    jvm,
    layers,
    packages,
    plain_files,
    rust,
    suites,
)

FAMILIES = (
    checkers, suites, documents, editors, compiled, packages, plain_files, histories,
    layers, jvm, javascript, rust,
)  # fmt: skip
MAKINGS: tuple[Making, ...] = tuple(making for family in FAMILIES for making in family.MAKINGS)

NOT_MADE = {
    "pytype, pyre": "both are no longer maintained, and run on no Python that featuredel runs on",
    "pyright": "keeps nothing of the code it checks",
    "Go: build cache, module cache, programs": "Go's tools are in no registry used here",
    "Kotlin, Gradle, sbt, Bazel": "their tools and plug-ins are in no registry used here",
    "Maven: surefire, JaCoCo": "Maven's plug-ins are in no registry used here",
    "JetBrains, Eclipse, VS Code": "desktop programs that are in no registry used here",
    "poetry, pdm, conda caches": "wheels and archives like those of pip and uv, which are made",
    "BuildKit's cache, overlay folders of an engine": "belong to the engine, not to an image",
    "swap, /proc/*/environ": "belong to a running machine, not to files",
    "network, memory of a model": "not on the disk",
}
"""Entries of the catalogue for which there is no making on any machine, with the reason."""


def chosen_makings(only: Collection[str] = (), *, sampled: bool = False) -> tuple[Making, ...]:
    """Return the makings of these families or names, all if there are none.

    Raises `UsageError` for a word that is neither.
    """
    known = {making.family for making in MAKINGS} | {making.name for making in MAKINGS}
    if unknown := sorted(set(only) - known):
        families = ", ".join(sorted({making.family for making in MAKINGS}))
        raise UsageError(
            f"--only {unknown[0]}: no making or family of that name; there are {families}"
        )
    return tuple(
        making
        for making in MAKINGS
        if (not only or {making.name, making.family} & set(only))
        and (making.sampled or not sampled)
    )
