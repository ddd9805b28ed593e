"""Code in ordinary files and in what file systems keep beside them: encodings, streams, names."""

import base64
import bz2
import gzip
import json
import lzma
import os
import pickle
import shutil
import sqlite3
import sys
import tarfile
import zlib
from pathlib import Path

from featuredel.leaks.plant import Making, Vector
from featuredel.leaks.plant.workshop import Workshop

_PROGRAM_BYTES = 100_000
_WIDTH = 76  # of a line of base64 in mail


def _encodings(shop: Workshop, out: Path) -> None:
    text = shop.answer.text
    for name in ("utf-16-le", "utf-16-be", "utf-16", "utf-32"):
        (out / name).write_bytes(text.encode(name, "replace"))
    raw = text.encode("utf-8", "surrogateescape")
    coded = base64.b64encode(raw).decode()
    (out / "mail").write_text(
        "\n".join(coded[i : i + _WIDTH] for i in range(0, len(coded), _WIDTH))
    )
    (out / "page").write_text(f'<a href="data:text/x-python;base64,{coded}">module</a>')
    (out / "url-safe").write_text(json.dumps({"blob": base64.urlsafe_b64encode(raw).decode()}))
    (out / "escaped").write_text(json.dumps({"log": json.dumps({"text": text})}))
    (out / "hex").write_text(raw.hex())


def _streams(shop: Workshop, out: Path) -> None:
    raw = shop.answer.text.encode("utf-8", "surrogateescape")
    (out / "gzip").write_bytes(gzip.compress(raw))
    (out / "bzip2").write_bytes(bz2.compress(raw))
    (out / "xz").write_bytes(lzma.compress(raw))
    (out / "lzma-alone").write_bytes(lzma.compress(raw, format=lzma.FORMAT_ALONE))
    (out / "zlib").write_bytes(zlib.compress(raw))
    (out / "zlib-after-header").write_bytes(b"# a header\n# of two lines\n" + zlib.compress(raw, 9))
    (out / "gzip-cut").write_bytes(gzip.compress(raw)[:-24])
    (out / "twice").write_bytes(gzip.compress(lzma.compress(raw)))
    program = Path(sys.executable).read_bytes()[:_PROGRAM_BYTES]
    (out / "program-with-zip").write_bytes(program + zlib.compress(raw))


def _zstd(shop: Workshop, out: Path) -> None:
    source = shop.answer.root / shop.answer.path
    shop.trusted(["zstd", "-q", "-f", source, "-o", out / "stream"], out)


def _seven(shop: Workshop, out: Path) -> None:
    script = "import py7zr, sys\nwith py7zr.SevenZipFile('a.7z', 'w') as a: a.write(sys.argv[1])"
    shop.sandboxed("archives", ("python", "-c", script, shop.answer.path), out)


def _databases(shop: Workshop, out: Path) -> None:
    text = shop.answer.text
    rows = [(line, text) for line in text.splitlines()[:20]]
    for name, closing in (("rows", ""), ("free-pages", "DELETE FROM kept"), ("journal", "")):
        base = sqlite3.connect(out / f"{name}.db", isolation_level=None)
        if name == "journal":
            base.execute("PRAGMA journal_mode = WAL")
            base.execute("PRAGMA wal_autocheckpoint = 0")
        base.execute("PRAGMA secure_delete = OFF")
        base.execute("CREATE TABLE kept (line TEXT, whole TEXT)")
        base.executemany("INSERT INTO kept VALUES (?, ?)", rows)
        base.execute(closing)
        if name == "journal":  # as a process that is killed leaves it
            shutil.copy(out / "journal.db", out / "killed.db")
            shutil.copy(out / "journal.db-wal", out / "killed.db-wal")
        base.close()
    base = sqlite3.connect(out / "compressed.db")
    base.execute("CREATE TABLE kept (whole BLOB)")
    base.execute("INSERT INTO kept VALUES (?)", (zlib.compress(text.encode("utf-8", "replace")),))
    base.commit()
    base.close()


def _pickles(shop: Workshop, out: Path) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        lines = {"lines": shop.answer.text.splitlines()}
        (out / f"protocol-{protocol}").write_bytes(pickle.dumps(lines, protocol))


def _logs(shop: Workshop, out: Path) -> None:
    """Write a log with the text in it, as a harness leaves it, and a shell's history."""
    log = json.dumps({"event": "candidate", "text": shop.answer.text, "time": 1})
    (out / "harness.log").write_text(f"starting\n{log}\ndone\n")
    (out / ".bash_history").write_text(f"cat > a.py <<EOF\n{shop.answer.text}\nEOF\n")


def _names(shop: Workshop, out: Path) -> None:
    """Give files, folders and targets of links a secret name, and no content."""
    name = _secret_name(shop)
    for folder in ("file", "folder", "link", "member"):
        (out / folder).mkdir()
    (out / "file" / f"{name}.txt").touch()
    (out / "folder" / name).mkdir()
    (out / "folder" / name / "empty").touch()
    (out / "link" / "latest").symlink_to(f"/srv/{name}/notes")
    with tarfile.open(out / "member" / "names.tar", "w") as archive:
        link = tarfile.TarInfo("latest")
        link.type, link.linkname = tarfile.SYMTYPE, f"../{name}"
        archive.addfile(link)


def _attributes(shop: Workshop, out: Path) -> None:
    """Write the text into an attribute of an empty file, cut to what one may hold."""
    (out / "empty").touch()
    text = shop.answer.deleted[shop.answer.path].encode("utf-8", "surrogateescape")
    os.setxattr(out / "empty", "user.note", text[:2000])


def _secret_name(shop: Workshop) -> str:
    names = (n.text for n in shop.answer.needles.secret if n.kind == "identifier")
    return max(names, key=lambda name: (len(name), name))


def _vectors(*names: str) -> tuple[Vector, ...]:
    return tuple(Vector(name, (name,)) for name in names)


MAKINGS = (
    Making(
        "encodings", "plain files", _encodings,
        (
            *_vectors("utf-16-le", "utf-16-be", "utf-16", "utf-32", "hex"),
            Vector("base64-mail", ("mail",)),
            Vector("data-url", ("page",)),
            Vector("base64-url-safe", ("url-safe",)),
            Vector("json-in-json", ("escaped",)),
        ),
        sampled=True,
    ),
    Making(
        "compressed streams", "plain files", _streams,
        (
            *_vectors("gzip", "bzip2", "xz", "lzma-alone", "zlib", "zlib-after-header"),
            *_vectors("gzip-cut"),
            Vector("xz-in-gzip", ("twice",)),
            Vector("zlib-behind-elf", ("program-with-zip",)),
        ),
        sampled=True,
    ),
    Making(
        "zstd", "plain files", _zstd, (Vector("zstd-stream", ("stream",)),),
        needs=("program zstd",),
        sampled=True,
    ),
    Making(
        "7z", "plain files", _seven, (Vector("7z-archive", ("a.7z",), closed=True),),
        needs=("pins archives",),
    ),
    Making(
        "SQLite", "plain files", _databases,
        (
            Vector("sqlite-rows", ("rows.db",)),
            Vector("sqlite-free-pages", ("free-pages.db",)),
            Vector("sqlite-write-ahead-log", ("killed.db", "killed.db-wal")),
            Vector("sqlite-compressed-blob", ("compressed.db",)),
        ),
        sampled=True,
    ),
    Making(
        "pickle", "plain files", _pickles,
        tuple(
            Vector(f"pickle-{n}", (f"protocol-{n}",)) for n in range(pickle.HIGHEST_PROTOCOL + 1)
        ),
        sampled=True,
    ),
    Making(
        "logs and histories", "plain files", _logs,
        (
            Vector("harness-log", ("harness.log",)),
            Vector("shell-history", (".bash_history",), ruled=True),
        ),
        sampled=True,
    ),
    Making(
        "names", "plain files", _names,
        (
            Vector("file-name", ("file/*",), renaming="never"),
            Vector("folder-name", ("folder",), renaming="never"),
            Vector("link-target", ("link/*",)),
            Vector("link-target-in-tar", ("member/*",)),
        ),
        sampled=True,
    ),
    Making(
        "file attributes", "plain files", _attributes,
        (Vector("extended-attribute", ("empty",)),),
        needs=("attributes",),
        sampled=True,
    ),
)  # fmt: skip
