"""Answers for vectors of other languages: a small feature of each, all of it deleted."""

from pathlib import Path

from featuredel.leaks.needles import needles_of
from featuredel.leaks.plant import Subject
from featuredel.leaks.plant.answer import Answer

_FOLDER = Path(__file__).parent / "toys"
_PATHS: dict[Subject, str] = {
    "java": "harbour/Tides.java",
    "typescript": "src/tides.ts",
    "rust": "src/lib.rs",
    "numeric": "planted.py",
}

_COMMON = """
    ArrayList Integer String ValueError as_str collections collect derive entrySet filter format
    getKey getOrDefault getValue is_empty number sort_by_key starts_with startsWith string vessel
"""
"""Words of the languages and of the folders: found, they would prove nothing."""


def toys() -> dict[Subject, tuple[Answer, ...]]:
    """Return the toy of each language, by the word that makings have for it."""
    return {subject: (_toy(subject, path),) for subject, path in _PATHS.items()}


def _toy(subject: Subject, path: str) -> Answer:
    root = _FOLDER / subject
    deleted = {path: (root / path).read_text()}
    return Answer(f"{subject} toy", root, deleted, needles_of(deleted, (*_PATHS.values(), _COMMON)))
