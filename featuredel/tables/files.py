"""The files of a dataset, in a folder or behind an fsspec URL."""

import os
import tempfile
import uuid
from collections.abc import Iterable
from pathlib import Path

import fsspec
import fsspec.implementations.local

from featuredel.errors import UsageError
from featuredel.tables.columns import TABLES


def opened(url: str) -> tuple[fsspec.AbstractFileSystem, str]:
    """Return the file system and the path that a path or URL means. Raises `UsageError`."""
    try:
        fs, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise UsageError(f"{url}: {error}") from error
    return fs, path.rstrip("/") or path


def located(dataset: str | os.PathLike[str]) -> str:
    """Return the place of a dataset as every process finds it: an absolute path, or the URL."""
    place = os.fspath(dataset)
    return place if "://" in place else str(Path(place).resolve())


def local_folder(dataset: str) -> Path | None:
    """Return the folder that a dataset is on this machine, None if it is elsewhere."""
    fs, path = opened(dataset)
    local = isinstance(fs, fsspec.implementations.local.LocalFileSystem)
    return Path(path) if local else None


def shards_of(fs: fsspec.AbstractFileSystem, root: str, name: str) -> list[str]:
    """Return the Parquet files of a table; no name of a folder is taken for a pattern."""
    try:
        found = fs.ls(f"{root}/{name}", detail=False)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(file for file in found if file.endswith(".parquet"))


def write_bytes(url: str, data: bytes) -> None:
    """Write a file so that it is either there whole or not at all."""
    fs, path = opened(url)
    if not isinstance(fs, fsspec.implementations.local.LocalFileSystem):
        fs.pipe_file(path, data)  # object stores show an object only when it is complete
        return
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        with partial.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(target)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, url) from error  # not by a name of a moment
    finally:
        partial.unlink(missing_ok=True)


def check_file(url: str) -> None:
    """See that a file can be written: before the work, not after it. Raises `UsageError`."""
    file = local_folder(url)
    if file is None:
        return
    if file.is_dir():
        raise UsageError(f"{url}: is a folder; name a file in it")
    _check_room(url, file.parent)


def _check_room(name: str, folder: Path) -> None:
    above = next(p for p in (folder, *folder.parents) if p.exists())
    try:
        with tempfile.TemporaryFile(dir=above):
            pass
    except OSError as error:
        raise UsageError(f"{name}: {above}: {error.strerror}; name another") from error


def check_destination(dataset: str) -> None:
    """See that a dataset can be written: before the work, not after it. Raises `UsageError`."""
    if not dataset:
        raise UsageError("--out: is empty; name a folder or a URL")
    folder = local_folder(dataset)
    if folder is None:
        return
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {dataset}: is a file; name a folder")
    # its writing may have been interrupted before there was a manifest
    own = (folder / "manifest.json").exists() or any(
        file.split("/")[0] in TABLES for file in files_of(dataset)
    )
    if folder.exists() and any(folder.iterdir()) and not own:
        raise UsageError(f"--out {dataset}: holds other things; name a new folder or a dataset's")
    _check_room(f"--out {dataset}", folder)


def files_of(dataset: str) -> list[str]:
    """Return the Parquet files of `dataset`, relative to it."""
    fs, root = opened(dataset)
    return sorted(
        f"{name}/{file.rpartition('/')[2]}" for name in TABLES for file in shards_of(fs, root, name)
    )


def remove(dataset: str, files: Iterable[str]) -> None:
    """Remove files of `dataset`, given relative to it."""
    fs, root = opened(dataset)
    for file in files:
        fs.rm_file(f"{root}/{file}")


def is_of_machine(error: Exception) -> bool:
    """Tell a full disk or a file that may not be read from what pyarrow says of its content."""
    return isinstance(error, OSError) and error.errno is not None
