"""Where the patch stands in a completion: in the last block, or bare; else nowhere."""

import pytest

from featuredel.completions import diff_in

DIFF = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"
OTHER = DIFF.replace("+b", "+c")
CRLF = DIFF.replace("-a\n+b\n", "-a\r\n+b\r\n")  # of a file whose own lines end so
MARKDOWN = (
    "diff --git a/r.md b/r.md\n--- a/r.md\n+++ b/r.md\n@@ -1,2 +1,4 @@\n one\n+```\n+code\n ```\n"
)


@pytest.mark.parametrize(
    ("completion", "diff"),
    [
        (f"Here:\n\n```diff\n{DIFF}```\n\nDone.", DIFF),
        (f"```diff\n{OTHER}```\nor rather\n```diff\n{DIFF}```", DIFF),
        (f"```patch\n{DIFF}```", DIFF),
        (f"```Diff title=x\n{DIFF}```", DIFF),
        (f"```\n{DIFF}```", DIFF),
        (f"~~~diff\n{DIFF}~~~", DIFF),
        (f"````diff\n{MARKDOWN}````\n", MARKDOWN),
        (f"```diff\n{MARKDOWN}```\n", MARKDOWN),
        (f"```python\nprint(1)\n```\n```diff\n{DIFF}```\n```python\nprint(2)\n```", DIFF),
        (f"```diff\n{DIFF}", DIFF),  # cut off, or the model forgot
        (DIFF, DIFF),
        (f"I changed this:\n{DIFF}", DIFF),
        (DIFF.partition("\n")[2], DIFF.partition("\n")[2]),
        (f"<think>\n```diff\n{OTHER}```\n</think>\n```diff\n{DIFF}```", DIFF),
        (f"```diff\r\n{DIFF}```".replace("\n", "\r\n"), DIFF),
        (f"```diff\n{DIFF}```\r\nDone.\r\n", DIFF),
        (f"```diff\n{CRLF}```", CRLF),
        (f"\ufeff{DIFF}", DIFF),
        # a block that is not closed on a line of its own hides the next, but not the diff
        (f"```python\nprint(1)```\n```diff\n{DIFF}```", f"{DIFF}```"),
    ],
)
def test_the_diff_of_a_completion(completion: str, diff: str) -> None:
    assert diff_in(completion) == diff


@pytest.mark.parametrize(
    "completion",
    [
        "",
        "I do not know.",
        "```python\nprint(1)\n```",
        "--- a rule in Markdown\n\nand no diff",
        "`" * 1_000_000,
        f"```{' ' * 1_000_000}",
        f"```{'-' * 1_000_000}",
        "The diff --git form is what you asked for.",
        f"<think>\n```diff\n{DIFF}```\n</think>\nI will not.",
    ],
)
def test_no_diff(completion: str) -> None:
    assert diff_in(completion) == ""
