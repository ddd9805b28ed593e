"""Where the patch stands in what a model wrote.

    Here is what I changed:

    ```diff
    diff --git a/calc/more.py b/calc/more.py
    ...
    ```

The last such block counts. A diff without a fence begins at its own first line.
"""

import re

_FENCE = re.compile(
    # possessive, or a line of nothing but ticks takes the square of its length
    r"^(?P<fence>`{3,}+|~{3,}+)[ \t]*+(?P<language>[\w-]*+)[^\n]*+\n(?P<body>.*?)"
    r"(?:^(?P=fence)[ \t\r]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_DIFFS = frozenset({"diff", "patch"})
_BEGIN = re.compile(r"^(?:diff --git |--- [^\n]*\n\+\+\+ )", re.MULTILINE)
_THOUGHTS_END = "</think>"


def diff_in(completion: str) -> str:
    """Return the diff that a completion answers with, "" if it holds none.

    What a model thought before it answered is no answer. Nothing is known yet of whether the diff
    applies.
    """
    answer = completion.rpartition(_THOUGHTS_END)[2].removeprefix("\ufeff")
    blocks = [
        found["body"]
        for found in _FENCE.finditer(answer)
        if found["language"].lower() in _DIFFS or _BEGIN.match(found["body"])
    ]
    if blocks:
        return _as_made(blocks[-1])
    begun = _BEGIN.search(answer)
    return _as_made(answer[begun.start() :]) if begun else ""


def _as_made(diff: str) -> str:
    """Return a diff with the ends of lines that git writes; within a line of a file CR may stay."""
    sent_as_text = diff.partition("\n")[0].endswith("\r")
    return diff.replace("\r\n", "\n") if sent_as_text else diff
