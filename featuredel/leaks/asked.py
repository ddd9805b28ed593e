"""Needles that a user asks for: a file of them, or the code that must not be found."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from featuredel.errors import UsageError
from featuredel.leaks.needle import Kind, Needle, Needles
from featuredel.leaks.needles import needles_of


def needles_asked_for(file: Path | None, code: Sequence[Path]) -> Needles:
    """Return the needles of a JSON file, or of source files; raises `UsageError`.

    The JSON is a list of objects with `kind` and `text`, or one with such a list at `secret`. With
    neither there are none, and a scan tells names, bounds and what it cannot read.
    """
    if file is not None and code:
        raise UsageError("--needles and --code: give one of them")
    if file is not None:
        return _of_file(file)
    texts = {str(path): path.read_text(errors="replace") for path in code}
    needles = needles_of(texts, [])
    if code and not len(needles):
        raise UsageError(f"{code[0]}: nothing in the code tells it from any other")
    return needles


def _of_file(path: Path) -> Needles:
    try:
        told = json.loads(path.read_bytes())
    except ValueError as error:
        raise UsageError(f"{path}: no JSON: {error}") from error
    items = told.get("secret") if isinstance(told, dict) else told
    if not isinstance(items, list):
        raise UsageError(f"{path}: a list of needles is expected")
    return Needles(
        tuple(sorted({_needle(path, number, item) for number, item in enumerate(items)}))
    )


def _needle(path: Path, number: int, item: object) -> Needle:
    kind: Any = item.get("kind") if isinstance(item, dict) else None
    text = item.get("text") if isinstance(item, dict) else None
    if kind not in get_args(Kind) or not isinstance(text, str) or not text:
        kinds = ", ".join(get_args(Kind))
        raise UsageError(f"{path}: needle {number} needs a text, and a kind of {kinds}")
    return Needle(kind, text)
