"""acquire: a repository's tree at one pin, checked and kept by its hash."""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from packaging.version import InvalidVersion, Version

from featuredel import trees
from featuredel.config import RepositorySpec, Settings
from featuredel.errors import InfrastructureError, Rejected, SourceError, UsageError
from featuredel.model import Snapshot
from featuredel.scratch import publish, scratch_directory
from featuredel.sources import ArchiveSource, GitSource, PathSource, mirrors
from featuredel.sources.archives import Bounds, Entry, check_links, unpack_archive, write_tree
from featuredel.sources.credentials import find_credentials
from featuredel.sources.licence_texts import licence_of
from featuredel.sources.licences import UNKNOWN_LICENCE, LicencePolicy, permits
from featuredel.sources.made import forget_what_was_made
from featuredel.sources.metadata import read_project_metadata
from featuredel.sources.registry import fetch_archive

UNSAFE_DIRECTORY = "unsafe directory"


@dataclass(frozen=True, slots=True)
class _Origin:
    """What is known of a tree besides its files."""

    source: str
    source_sha256: str = ""
    version: str | None = None
    released: datetime.date | None = None


def acquire(spec: RepositorySpec, work: Path, settings: Settings | None = None) -> Snapshot:
    """Return the repository's tree, fetched unless it is in `work` already.

    `settings` are the entry's own if none are given. Of a local checkout the tracked files count,
    as they are on disk. Raises `Rejected` for a tree that is empty, unsafe, too large, holds
    credentials or has a licence that may not enter; `UsageError` for a
    source that does not exist and `SourceError` for one that cannot be reached just now, both
    with its place in repos.yaml.
    """
    limits = settings or spec.settings
    bounds = Bounds(limits.max_file_bytes, limits.max_tree_bytes, limits.max_files)
    work = work.absolute()
    shelf = work / "snapshots"
    shelf.mkdir(parents=True, exist_ok=True)
    with scratch_directory(shelf) as place:
        root = place / "tree"
        try:
            origin = _unpack(spec, root, work, bounds, limits.max_archive_bytes)
        except (UsageError, SourceError) as error:
            # one place adds where the source stands; both kinds take the message alone
            raise type(error)(f"{spec.place}: {error}" if spec.place else str(error)) from error
        except OSError as error:
            raise InfrastructureError(f"{error.filename or work}: {error.strerror}") from error
        return _snapshot(spec, origin, root, shelf)


def _unpack(
    spec: RepositorySpec, root: Path, work: Path, bounds: Bounds, max_archive_bytes: int
) -> _Origin:
    """Write the tree to `root` and return where it came from."""
    match spec.origin:
        case ArchiveSource() as source:
            archive = fetch_archive(source, work / "archives", max_archive_bytes)
            unpack_archive(archive.path, root, bounds)
            return _Origin(source.url, archive.sha256, source.version, archive.released)
        case GitSource() as source:
            cache = work / "mirrors"
            mirror = mirrors.mirror(source.url, cache)
            commit = mirrors.resolve(mirror, source.revision)
            mirrors.export(mirror, commit, root, bounds, cache)
            return _Origin(
                f"git+{source.url}@{commit}",
                version=_described_version(mirrors.describe(mirror, commit)),
                released=mirrors.commit_date(mirror, commit),
            )
        case PathSource() as source:
            if not source.path.is_dir():
                raise UsageError(f"{source.path} is not a directory")
            write_tree(_local_entries(source.path), root, bounds, UNSAFE_DIRECTORY)
            check_links(root, UNSAFE_DIRECTORY)
            return _Origin(spec.source)


def _snapshot(spec: RepositorySpec, origin: _Origin, root: Path, shelf: Path) -> Snapshot:
    if next(trees.files(root), None) is None:
        raise Rejected("empty repository", f"{origin.source} holds no files")
    metadata = read_project_metadata(root)
    licence = spec.licence or licence_of(root, metadata)
    _check_licence(spec.licences, licence)
    _check_credentials(root)
    forget_what_was_made(root)
    tree = trees.tree_hash(root)
    return Snapshot(
        repository=spec.name,
        source=origin.source,
        source_sha256=origin.source_sha256,
        version=_static_version(metadata.version) or origin.version,
        released=origin.released,
        licence=licence,
        tree=tree,
        root=publish(root, shelf / tree),
    )


def _local_entries(top: Path) -> Iterator[Entry]:
    tracked = mirrors.tracked_files(top)
    for path in trees.files(top) if tracked is None else tracked:
        full = top / path
        if full.is_symlink() or full.is_file():  # what is tracked may have been removed
            size_bytes = full.lstat().st_size
            yield Entry(path, trees.git_mode(full), size_bytes, partial(trees.read, top, path))


def _check_licence(policy: LicencePolicy, licence: str) -> None:
    if licence == UNKNOWN_LICENCE and not permits(policy, licence):
        raise Rejected("unknown licence", "none is stated and no text is known; set 'licence'")
    if not permits(policy, licence):
        raise Rejected("licence not allowed", f"{licence}; see 'licences' in repos.yaml")


def _check_credentials(root: Path) -> None:
    found = [f"{item.kind} in {item.path!r}" for item in find_credentials(root)]
    if found:
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        raise Rejected("holds credentials", "; ".join(found[:5]) + more)


def _static_version(stated: str | None) -> str | None:
    try:
        version = Version(stated or "")
    except InvalidVersion:
        return None
    # a placeholder that a build plugin replaces, not a version
    return None if version == Version("0") else stated


def _described_version(found: tuple[str, int] | None) -> str | None:
    """Return the version that a tag such as v1.2 or project-1.2 names, `.postN` N commits on."""
    if found is None:
        return None
    tag, distance = found
    for text in (tag, tag.rpartition("-")[2], tag.rpartition("/")[2]):
        try:
            version = Version(text)
        except InvalidVersion:
            continue
        return (
            f"{version.public}.post{distance}"
            if distance and not version.is_postrelease
            else (str(version))
        )
    return None
