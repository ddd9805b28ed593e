"""Where repositories come from: the three forms of a `source`, read from text.

The modules beside this one get a tree from each form (registry and archives, mirrors) and judge
it (licences, credentials).
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from packageurl import PackageURL

_GIT_SCHEMES = ("https", "http", "ssh", "git", "file")
_LATER_REGISTRIES = ("npm", "golang", "cargo")
_FORMS = "git+https://HOST/PATH@COMMIT, pkg:pypi/NAME@VERSION, or a path"
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class GitSource:
    """A git repository at a commit, tag or branch; an empty revision is its default branch."""

    url: str  # as git takes it, without the "git+"
    revision: str

    @property
    def default_name(self) -> str:
        """The last part of the path, without `.git`."""
        path = urlsplit(self.url).path.rstrip("/").removesuffix("/.git")
        return path.rpartition("/")[2].removesuffix(".git")


@dataclass(frozen=True, slots=True)
class ArchiveSource:
    """A source archive of a package registry."""

    registry: str  # the package URL's type: "pypi"
    name: str  # normalised as its registry does
    version: str
    sha256: str | None

    @property
    def default_name(self) -> str:
        """The package's name."""
        return self.name

    @property
    def url(self) -> str:
        """The canonical package URL, without qualifiers."""
        return PackageURL(self.registry, None, self.name, self.version).to_string()


@dataclass(frozen=True, slots=True)
class PathSource:
    """A directory of this machine."""

    path: Path  # absolute

    @property
    def default_name(self) -> str:
        """The directory's name."""
        return self.path.name


Source = GitSource | ArchiveSource | PathSource


def parse_source(text: str, base: Path, sha256: str | None = None) -> Source:
    """Return the source that `text` names; a relative path is taken from `base`.

    Raises `ValueError`, with a message for the user, for anything else.
    """
    if sha256 is not None and not text.startswith("pkg:"):
        raise ValueError("sha256 pins package URLs only; pin a git source with @COMMIT")
    if text.startswith("git+"):
        return _git(text)
    if text.startswith("pkg:"):
        return _archive(text, sha256)
    if text.endswith(".git") and "://" in text:
        raise ValueError(f"not a source; did you mean 'git+{text}@COMMIT'?")
    if "://" in text or not text:
        raise ValueError(f"not a source; write {_FORMS}")
    path = Path(os.path.normpath(base.absolute() / Path(text).expanduser()))
    return PathSource(path)


def parse_sha256(text: str) -> str:
    """Return a SHA-256 digest in lower case; raises `ValueError` if it is none."""
    digest = text.strip().lower()
    if not _SHA256.fullmatch(digest):
        raise ValueError("not a SHA-256 digest; it has 64 hexadecimal digits")
    return digest


def _git(text: str) -> GitSource:
    parts = urlsplit(text.removeprefix("git+"))
    if parts.scheme not in _GIT_SCHEMES:
        raise ValueError(f"git over {parts.scheme or 'nothing'!r}; use one of {_GIT_SCHEMES}")
    if parts.query or parts.fragment:
        raise ValueError("a git source takes no query or fragment")
    if parts.password is not None:
        # the source is written into every row
        raise ValueError("a password in the URL would be published; use a credential helper")
    path, at, revision = parts.path.rpartition("@")
    if not at:
        path, revision = parts.path, ""
    elif not revision:
        raise ValueError("nothing after the '@'; write a commit, tag or branch")
    # git, ssh and the shell of either would take a leading dash for an option
    if revision.startswith("-") or parts.netloc.startswith("-") or not path.strip("/"):
        raise ValueError(f"not a git source; write {_FORMS}")
    return GitSource(urlunsplit((parts.scheme, parts.netloc, path, "", "")), revision)


def _archive(text: str, sha256: str | None) -> ArchiveSource:
    try:
        package = PackageURL.from_string(text)
    except ValueError as error:
        raise ValueError(f"not a package URL: {error}") from error
    if package.type in _LATER_REGISTRIES:
        raise ValueError(f"packages of {package.type} are not supported yet; only pkg:pypi is")
    if package.type != "pypi":
        raise ValueError(f"unknown registry {package.type!r}; only pkg:pypi is supported")
    if not package.version:
        raise ValueError(f"no version; write pkg:pypi/{package.name}@VERSION")
    qualifiers = dict(package.qualifiers) if isinstance(package.qualifiers, dict) else {}
    digests = {sha256} if sha256 else set()
    if "sha256" in qualifiers:
        digests.add(parse_sha256(qualifiers.pop("sha256")))
    for checksum in qualifiers.pop("checksum", "").split(","):
        algorithm, _, digest = checksum.partition(":")
        if algorithm == "sha256":
            digests.add(parse_sha256(digest))
    if package.namespace or package.subpath or qualifiers:
        raise ValueError("a pypi package URL takes no namespace, subpath or other qualifiers")
    if len(digests) > 1:
        raise ValueError("two different SHA-256 digests for one archive")
    return ArchiveSource("pypi", package.name, package.version, next(iter(digests), None))
