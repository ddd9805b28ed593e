"""HTML and XML without tags, and with entities decoded.

A page that colours code wraps each token in a tag, so that nothing longer than a token is left.
"""

import html
import re
from collections.abc import Iterator

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Content, Unseen, View, is_text

name = "html"
claims = False

LARGEST_BYTES = 64 << 20
FEWEST_TAGS = 3

_TAG = re.compile(r"<!--|-->|</?[A-Za-z][^<>]*>")
_LINE = re.compile(r"<(?:br|/?(?:p|div|li|tr|pre|td|h[1-6]))\b[^<>]*>", re.IGNORECASE)


def applies(head: bytes, path: str) -> bool:
    """Return True: pages stand in strings and outputs as well."""
    return True


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield the text of a page; nothing for what has neither tags nor entities."""
    content = view.content
    if len(content) > LARGEST_BYTES or not (_has_tags(content) and is_text(content)):
        return
    text = content[:].decode(errors="replace")
    text = _TAG.sub("", _LINE.sub("\n", text))
    plain = html.unescape(text).encode(errors="replace")
    budget.spend(len(plain))
    yield view.part(name, "text", plain, deeper=False)


def _has_tags(content: Content) -> bool:
    find = content.find
    if find(b"&lt;") >= 0 or find(b"&quot;") >= 0 or find(b"&#") >= 0 or find(b"&gt;") >= 0:
        return True
    at = -1
    for _ in range(FEWEST_TAGS):
        at = find(b"</", at + 1)
        if at < 0:
            return False
    return True
