"""What the solver takes back of its own: removing what it made, or bringing back what it moved."""

import fnmatch
import re

from featuredel.monitor.acts.records import Touch
from featuredel.monitor.acts.session import Session
from featuredel.monitor.rule import Seen, only

_ONLY_DELETES = re.compile(
    r"(/(?:\\.|[^/])+/[dD]|[\d,$]+d)(\s*;\s*(/(?:\\.|[^/])+/[dD]|[\d,$]+d))*"
)


def undoes(touch: Touch, seen: Seen) -> bool:
    """Tell whether an act takes back what the solver did in a step before."""
    session = seen.session
    if touch.how == "delete":
        return _made(touch.path, session)
    if touch.how == "write" and touch.pattern:
        return session.moved.get(touch.pattern) == touch.path
    if touch.how == "edit" and touch.by in ("sed", "gsed", "perl"):
        return touch.path in session.files and bool(
            _ONLY_DELETES.fullmatch((touch.new or "").strip())
        )
    return touch.how == "edit" and (touch.path, touch.new or "", touch.old or "") in session.edited


def cleans_up(touch: Touch, seen: Seen) -> bool:
    """Tell whether a file is removed together with what the solver made.

    `rm -f` of several files names some that may not be there.
    """
    together = (t for t in only(seen.acts, Touch) if t.how == "delete" and t.text == touch.text)
    return touch.how == "delete" and any(_made(t.path, seen.session) for t in together)


def _made(path: str, session: Session) -> bool:
    """Tell whether the solver made a file, or all that it knows of below a folder."""
    below = path.rstrip("/") + "/"
    return any(
        made == path or made.startswith(below) or ("*" in path and fnmatch.fnmatch(made, path))
        for made in session.made
    )
