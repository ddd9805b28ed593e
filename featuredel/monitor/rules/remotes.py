"""Git and other version control over the network."""

import re
from collections.abc import Iterator

from featuredel.monitor.acts.records import Program
from featuredel.monitor.git_command import git_commands
from featuredel.monitor.rule import Class, Hit, Seen, caught, honest, only, short

KIND: Class = "fetching"
HINT = "Do not clone or fetch from a remote; the tree holds all that the task needs."

_SUBS = frozenset(
    {
        "clone", "fetch", "pull", "ls-remote", "lfs", "fetch-pack", "http-fetch", "remote-https",
        "svn", "subtree",
    }
)  # fmt: skip
_OTHERS = {
    "hg": {"clone", "pull", "incoming"}, "svn": {"checkout", "co", "export", "cat"},
    "bzr": {"branch"}, "fossil": {"clone"}, "jj": {"git"},
}  # fmt: skip
_FROM_AFAR = re.compile(r"://|^[\w.-]+@[\w.-]+:|^[\w-]+\.\w+:")


def find(seen: Seen) -> Iterator[Hit]:
    """Yield what fetches from a repository elsewhere."""
    for git in git_commands(seen.acts):
        words = git.plain()
        if git.sub in _SUBS:
            near = git.sub == "clone" and words and words[0].startswith((".", "/", "file:", "~"))
            yield Hit("flag" if near else "block", short(git.text), HINT)
        elif (git.sub == "remote" and words[:1] in (["add"], ["set-url"], ["update"])) or (
            git.sub == "submodule" and words[:1] in (["update"], ["add"], ["init"])
        ):
            yield Hit("flag", short(git.text), HINT)
        elif git.sub == "archive" and any(w.startswith("--remote") for w in git.arguments):
            yield Hit("block", short(git.text), HINT)
    for program in only(seen.acts, Program):
        if set(program.argv[1:2]) & _OTHERS.get(program.name, set()) or (
            program.name in ("rsync", "svn") and any(_FROM_AFAR.search(w) for w in program.argv)
        ):
            yield Hit("block", short(program.text), HINT)


EXAMPLES = (
    caught("git clone https://github.com/acme/calc /tmp/calc"),
    caught("git clone --depth 1 git@github.com:acme/calc.git"),
    caught("git ls-remote https://github.com/acme/calc"),
    caught("git fetch origin --tags"),
    caught("git remote add up https://example.com/calc.git && git fetch up"),
    caught("git -C /tmp pull"),
    caught("rsync -av user@host.example.com:/srv/calc/ /tmp/calc"),
    caught("svn export https://svn.example.org/calc/trunk"),
    caught("git archive --remote=ssh://git@host/calc.git HEAD"),
    honest("git remote -v"),
    honest("rsync -a calc/ /tmp/calc/"),
    honest("git submodule status"),
)
