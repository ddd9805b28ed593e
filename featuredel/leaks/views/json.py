"""JSON: every string decoded, so that notebooks read as the code in them and maps as their sources.

A list of strings is one text, as notebooks keep their lines. Long strings are views of their own
(`sourcesContent` of source maps, pages in a store), which may again be of a format.
"""

import json
from collections.abc import Iterator
from typing import Any

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Content, Unseen, View

name = "json"
claims = False

LARGEST_BYTES = 64 << 20
"""Larger ones are read without their structure, by their escapes."""

LONG = 2048

_LINES = (".jsonl", ".ndjson")


def applies(head: bytes, path: str) -> bool:
    """Return whether it begins like an object, an array or a quoted string."""
    begins = head[:64].lstrip(b"\xef\xbb\xbf \t\r\n)]}',")
    return begins[:1] in (b"{", b"[", b'"') and (head[:1] in b'{["\xef \t\r\n)' or False)


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield all strings together, and the long ones each; nothing where it cannot be parsed."""
    if len(view.content) > LARGEST_BYTES or not _needs_decoding(view.content):
        return
    short: list[str] = []
    for path, value in _strings(view.content[:], view.where):
        if len(value) < LONG:
            short.append(value)
        else:
            content = _encoded(value)
            budget.spend(len(content))
            yield view.part(name, path, content)
    if short:
        content = _encoded("\n".join(short))
        budget.spend(len(content))
        yield view.part(name, "strings", content)


def _needs_decoding(content: Content) -> bool:
    """Return whether it says anything that it does not say raw."""
    return content.find(b"\\") >= 0


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")


def _strings(content: bytes, where: str) -> Iterator[tuple[str, str]]:
    text = content.decode("utf-8-sig", "replace")
    if text.startswith(")]}'"):  # what keeps a map from being run as a script
        text = text.partition("\n")[2]
    documents = text.splitlines() if where.endswith(_LINES) else [text]
    for document in documents:
        try:
            yield from _walk(json.loads(document))
        except (ValueError, RecursionError):
            continue


def _walk(value: Any) -> Iterator[tuple[str, str]]:
    todo: list[tuple[str, Any]] = [("", value)]
    while todo:
        path, value = todo.pop()
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict):
            yield path, "\n".join(value)
            todo += ((f"{path}.{key}" if path else key, item) for key, item in value.items())
        elif isinstance(value, list):
            if value and all(isinstance(item, str) for item in value) and _are_lines(value):
                yield path, "".join(value)
            else:
                todo += ((f"{path}[{i}]", item) for i, item in enumerate(value))


def _are_lines(value: list[str]) -> bool:
    return len(value) > 1 and all(line.endswith("\n") for line in value[:-1])
