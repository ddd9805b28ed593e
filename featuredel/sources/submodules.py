"""Where the submodules of a commit are to be had from."""

import posixpath
import re
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from featuredel import git, trees
from featuredel.errors import Rejected

UNSAFE_REPOSITORY = "unsafe repository"


def is_local(url: str) -> bool:
    """Tell whether a git URL names a repository of this machine."""
    return urlsplit(url).scheme == "file"


def submodule_urls(git_dir: Path, commit: str, parent_url: str) -> dict[str, str]:
    """Return the absolute URL of each submodule by its path, as the commit's `.gitmodules` says.

    Raises `Rejected` for a URL that is not a plain git address, or that only a repository of this
    machine may name.
    """
    arguments = ["config", "-z", f"--blob={commit}:.gitmodules", "--list"]
    try:
        listed = git.run(git_dir, arguments)
    except git.GitError:
        return {}
    values: dict[str, dict[str, str]] = {}
    for item in listed.split(b"\0"):
        key, _, value = trees.name_text(item).partition("\n")
        section, _, rest = key.partition(".")
        name, _, variable = rest.rpartition(".")
        if section == "submodule":
            values.setdefault(name, {})[variable] = value
    return {
        module["path"]: _submodule_url(parent_url, module["path"], module["url"])
        for module in values.values()
        if "path" in module and "url" in module
    }


def _submodule_url(parent_url: str, path: str, url: str) -> str:
    if url.startswith(("./", "../")):
        base = urlsplit(parent_url)
        moved = posixpath.normpath(posixpath.join(base.path, url))
        return urlunsplit((base.scheme, base.netloc, moved, "", ""))
    if url.startswith("/"):
        url = f"file://{url}"
    elif "://" not in url and (scp_like := re.fullmatch(r"([\w.@-]+):(?!:)(.+)", url)):
        url = f"ssh://{scp_like[1]}/{scp_like[2].lstrip('/')}"
    allowed = ("https", "http", "ssh", "git", *(("file",) if is_local(parent_url) else ()))
    parts = urlsplit(url)
    if parts.scheme not in allowed or parts.netloc.startswith("-"):
        raise Rejected(UNSAFE_REPOSITORY, f"the submodule {path!r} is at {url!r}")
    return url
