"""A package index on disk: wheels made again from the distributions that run these tests.

So an environment can be built without a network, and every run finds the same packages.
"""

import base64
import csv
import hashlib
import importlib.metadata
import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from featuredel.languages.python.interpreters import interpreters

RUNNER = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
TRACER = "coverage"  # which Pythons before 3.12 need beside the runner
_FIRST_WITHOUT_TRACER = (3, 12)
_LEFT_OUT = re.compile(
    r"\.\./|.*\.pyc$|.*\.dist-info/(RECORD|INSTALLER|REQUESTED|direct_url\.json|.*sbom.*)$"
    # most of the packages' weight, which each environment would have to compile
    r"|pygments/(styles/(?!__init__|_mapping|default)"
    r"|lexers/(?!__init__|_mapping|python|diff|special|data|javascript|_))"
)


def choose_python() -> str | None:
    """Return the version of an interpreter whose environment needs no more than there is here."""
    newest = interpreters()[0]
    if newest.minor < _FIRST_WITHOUT_TRACER and not _installed(TRACER):
        return None
    return newest.version


def make_wheels(folder: Path) -> Mapping[str, str]:
    """Write the wheels into `folder`; return the variables that make uv take these and no other."""
    folder.mkdir(parents=True)
    for name in (*RUNNER, TRACER):
        if _installed(name):
            _make_wheel(importlib.metadata.distribution(name), folder)
    return {"UV_OFFLINE": "1", "UV_NO_INDEX": "1", "UV_FIND_LINKS": str(folder)}


def _installed(name: str) -> bool:
    return any(True for _ in importlib.metadata.Distribution.discover(name=name))


def _make_wheel(distribution: importlib.metadata.Distribution, folder: Path) -> None:
    files = dict(_files(distribution))
    inside = next(path for path in files if path.endswith(".dist-info/METADATA"))
    stem = inside.removesuffix(".dist-info/METADATA")
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    rows.writerows((path, _digest(data), len(data)) for path, data in files.items())
    rows.writerow((f"{stem}.dist-info/RECORD", "", ""))
    files[f"{stem}.dist-info/RECORD"] = record.getvalue().encode()
    tag = re.search(r"^Tag: (\S+)", distribution.read_text("WHEEL") or "", re.MULTILINE)
    assert tag is not None
    with zipfile.ZipFile(folder / f"{stem}-{tag[1]}.whl", "w") as wheel:
        for path, data in files.items():
            wheel.writestr(zipfile.ZipInfo(path), data)  # without a time: the same bytes each run


def _files(distribution: importlib.metadata.Distribution) -> Iterator[tuple[str, bytes]]:
    for path in distribution.files or ():
        if not _LEFT_OUT.match(path.as_posix()):
            yield path.as_posix(), Path(str(path.locate())).read_bytes()


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"
