"""Source archives of package registries: found, fetched, verified, kept by their digest."""

import datetime
import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType

import requests
from packaging.utils import InvalidSdistFilename, canonicalize_name, parse_sdist_filename
from packaging.version import InvalidVersion, Version
from pypi_simple import (
    PYPI_SIMPLE_ENDPOINT,
    DistributionPackage,
    NoSuchProjectError,
    PyPISimple,
    UnsupportedContentTypeError,
    UnsupportedRepoVersionError,
)
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from featuredel.errors import Rejected, SourceError, UsageError
from featuredel.scratch import scratch_directory
from featuredel.sources import ArchiveSource
from featuredel.sources.archives import TOO_LARGE

_INDEX_VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")
_TIMEOUT_S = (10.0, 60.0)  # to connect, between two bytes
_RETRY = Retry(
    total=3,
    backoff_factor=0.5,
    status_forcelist=(429, 500, 502, 503, 504),
    raise_on_status=False,
)


@dataclass(frozen=True, slots=True)
class Archive:
    """A source archive on this machine, verified against its digest."""

    path: Path
    sha256: str
    filename: str  # as the registry names it
    released: datetime.date | None


def fetch_archive(source: ArchiveSource, cache: Path, max_bytes: int) -> Archive:
    """Return the source archive; one that is in `cache` and pinned by digest needs no network.

    Raises `UsageError` if there is no such package, version or digest, `Rejected` if that version
    has no source archive or too large a one, and `SourceError` if the index cannot be reached.
    """
    if source.sha256 and (kept := _kept(source.sha256, cache)) and _is_of(source, kept.filename):
        return kept
    index = PyPISimple(_endpoint(), session=_session())
    try:
        package = _choose(source, index)
        sha256 = source.sha256 or package.digests.get("sha256")
        if sha256 and (kept := _kept(sha256, cache)):
            return kept
        return _download(index, package, sha256, cache, max_bytes)
    except (UnsupportedContentTypeError, UnsupportedRepoVersionError) as error:
        raise SourceError(f"{source.url}: the index answered oddly: {error}") from error
    except requests.RequestException as error:
        raise SourceError(f"{source.url}: {_first_line(error)}") from error


def _endpoint() -> str:
    """Return the index that the user's environment names for uv or pip, else the usual one."""
    for variable in _INDEX_VARIABLES:
        if value := os.environ.get(variable):
            return value.partition("=")[2] if "=" in value.partition("://")[0] else value
    return PYPI_SIMPLE_ENDPOINT


def _session() -> requests.Session:
    session = requests.Session()
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(max_retries=_RETRY))
    return session


def _choose(source: ArchiveSource, index: PyPISimple) -> DistributionPackage:
    try:
        page = index.get_project_page(source.name, timeout=_TIMEOUT_S)
    except NoSuchProjectError:
        raise UsageError(f"{source.url}: there is no package {source.name!r}") from None
    released = [item for item in page.packages if _same_version(item.version, source.version)]
    if not released:
        raise UsageError(f"{source.url}: {source.name} has no version {source.version}")
    archives = [item for item in released if item.package_type == "sdist"]
    if not archives:
        raise Rejected("no source archive", f"{source.url} was released without one")
    if source.sha256 is None:
        return archives[0]
    for item in archives:
        # an index need not tell digests; what it gives is then verified after the fetch
        if item.digests.get("sha256", source.sha256) == source.sha256:
            return item
    found = ", ".join(item.digests["sha256"] for item in archives)
    raise UsageError(f"{source.url}: the archive's sha256 is {found}, not {source.sha256}")


def _is_of(source: ArchiveSource, filename: str) -> bool:
    """Return whether an archive is called after this name and version; else the index is asked."""
    try:
        name, version = parse_sdist_filename(filename)
    except InvalidSdistFilename:
        return False
    return name == canonicalize_name(source.name) and _same_version(str(version), source.version)


def _same_version(found: str | None, wanted: str) -> bool:
    try:
        return Version(found or "") == Version(wanted)
    except InvalidVersion:
        return found == wanted


def _download(
    index: PyPISimple,
    package: DistributionPackage,
    sha256: str | None,
    cache: Path,
    max_bytes: int,
) -> Archive:
    cache.mkdir(parents=True, exist_ok=True)
    with scratch_directory(cache) as place:
        partial = place / "archive"
        index.download_package(
            package,
            partial,
            verify=False,  # done below, against the pin
            progress=lambda _: _Bound(package.filename, max_bytes),
            timeout=_TIMEOUT_S,
        )
        with partial.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != (sha256 or found):
            raise UsageError(f"{package.filename}: the sha256 is {found}, not {sha256}")
        uploaded = package.upload_time
        released = uploaded.astimezone(datetime.UTC).date() if uploaded else None
        archive = Archive(cache / found, found, package.filename, released)
        note = place / "note"
        note.write_text(json.dumps(asdict(archive) | {"path": None}, default=str))
        partial.replace(archive.path)
        note.replace(_note(archive.path))  # last: without it the archive does not count as kept
    return archive


def _kept(sha256: str, cache: Path) -> Archive | None:
    path = cache / sha256
    try:
        note = json.loads(_note(path).read_text())
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                return None  # damaged since; it is fetched anew
    except FileNotFoundError:
        return None
    released = note["released"]
    day = datetime.date.fromisoformat(released) if released else None
    return Archive(path, sha256, note["filename"], day)


def _note(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


class _Bound:
    """Ends a download that grows too large. A progress tracker, as pypi-simple calls it."""

    def __init__(self, filename: str, max_bytes: int) -> None:
        self._filename = filename
        self._left_bytes = self._max_bytes = max_bytes

    def __enter__(self) -> "_Bound":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        return None

    def update(self, increment: int) -> None:
        self._left_bytes -= increment
        if self._left_bytes < 0:
            limit = f"max_archive_bytes is {self._max_bytes:,}"
            raise Rejected(TOO_LARGE, f"{self._filename} is larger; {limit}")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]
