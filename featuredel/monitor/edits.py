"""Whether a step changes code of the project, by whatever means, even where the text is unknown."""

import posixpath
import re
from collections.abc import Sequence

from featuredel.monitor.acts.records import Act, Program, Touch
from featuredel.monitor.acts.session import Session
from featuredel.monitor.git_command import foreign, git_commands
from featuredel.monitor.places import NO_SOURCE, TESTS, is_product, is_product_write

_COPIES = frozenset(
    {
        "cp",
        "mv",
        "rsync",
        "install",
        "shutil.copytree",
        "shutil.copy",
        "shutil.move",
        "shutil.copy2",
    }
)
_TAKES = frozenset({"checkout", "restore", "merge", "cherry-pick", "reset", "stash", "apply", "am"})


def edits(acts: Sequence[Act], session: Session) -> bool:
    """Tell whether the acts of a step change code of the project."""
    return (
        any(isinstance(act, Touch) and _changes(act, session) for act in acts)
        or any(isinstance(act, Program) and _unpacks(act, session) for act in acts)
        or _takes_from_git(acts, session)
    )


def _changes(touch: Touch, session: Session) -> bool:
    if is_product_write(touch, session):
        return True
    if touch.how not in ("write", "edit"):
        return False
    inside = session.inside(touch.path)
    if inside is None or TESTS.search(inside) or NO_SOURCE.match(inside):
        return False
    if "*" in inside:  # each file of a loop
        return is_product(touch.path.replace("*", "_"), session)
    folder = "." not in posixpath.basename(inside) or inside == "."
    return folder and touch.by in _COPIES


def _unpacks(program: Program, session: Session) -> bool:
    """Tell whether an archive is unpacked, or files found by a command are edited, in the tree."""
    if program.name in ("sed", "gsed", "perl") and "xargs" in program.wrappers:
        return any(re.match(r"^-\w*i", word) for word in program.argv[1:])
    flags = {"tar": ("-C", "--directory"), "unzip": ("-d",)}.get(program.name)
    if flags is None or not (program.name == "unzip" or re.match(r"^-?\w*x", _first(program))):
        return False
    if program.name == "unzip" and any(re.match(r"^-\w*[lptvZ]", w) for w in program.argv[1:]):
        return False
    into = [b for a, b in zip(program.argv, program.argv[1:], strict=False) if a in flags]
    return session.inside(session.resolve(into[0] if into else program.cwd or ".")) is not None


def _first(program: Program) -> str:
    return program.argv[1] if len(program.argv) > 1 else ""


def _takes_from_git(acts: Sequence[Act], session: Session) -> bool:
    """Tell whether files are taken from a commit, or a stash, that is not the solver's own."""
    for git in git_commands(acts):
        if git.sub == "stash" and git.plain()[:1] in (["pop"], ["apply"]):
            return True
        if git.sub in _TAKES and git.sub not in ("stash", "apply", "am"):
            words = [*git.plain(), *(w.partition("=")[2] for w in git.arguments if "=" in w)]
            if any(word and foreign(word, session) for word in words):
                return True
        if git.sub in ("apply", "am") and not git.has("--check", "--stat", "--numstat"):
            return True
    return False
