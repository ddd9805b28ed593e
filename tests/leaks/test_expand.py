"""Readers never end a scan, whatever they are given."""

import gzip
import io
import json
import marshal
import pickle
import random
import sqlite3
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from looking import CODE, views

from featuredel.leaks.bounds import Bounds, Budget
from featuredel.leaks.expand import expand
from featuredel.leaks.finding import Finding
from featuredel.leaks.views import FORMATS
from featuredel.leaks.views.view import Unseen, View

CLASS = bytes.fromhex(
    "cafebabe0000003d000d0a000200030700040c000500060100106a6176612f6c616e672f4f626a6563740100063c69"
    "6e69743e010003282956070008010001410100046d61696e010004436f646501000f4c696e654e756d6265725461626c"
    "650100"
    + "0a536f7572636546696c65"
    + "0020000700020000000000010000000500060001000a0000001d000100010000"
    "00052ab70001b1000000010" + "00b000000060001000000010000"
)


def _zip() -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.py", CODE)
        archive.writestr("b.json", json.dumps([CODE]))
    return into.getvalue()


def _tar() -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w") as archive:
        member = tarfile.TarInfo("a.py")
        member.size = len(CODE)
        archive.addfile(member, io.BytesIO(CODE.encode()))
    return into.getvalue()


def _database() -> bytes:
    made = sqlite3.connect(":memory:")
    made.execute("CREATE TABLE a (b)")
    made.execute("INSERT INTO a VALUES (?)", (CODE,))
    made.commit()
    return made.serialize()


SEEDS = {
    "zip": _zip(),
    "tar": _tar(),
    "gzip": gzip.compress(_tar()),
    "sqlite": _database(),
    "pyc": b"\xa7\r\r\n" + bytes(12) + marshal.dumps(compile(CODE, "a.py", "exec")),
    "pickle": pickle.dumps([CODE, 7919, {"a": 2.7182}]),
    "class": CLASS,
    "ff": b"2\x04&zipimport\x1e6$CodeType=\x03\x16\x01\x00\x00\x00\x040types.CodeType\xff",
    "ar": b"!<arch>\n"
    + b"a.py/".ljust(48)
    + str(len(CODE)).encode().ljust(10)
    + b"`\n"
    + CODE.encode(),
    "json": json.dumps({"sourcesContent": [CODE * 9], "a": [1, None, CODE]}).encode(),
    "html": b"<html><pre>" + b"<b>a</b>&lt;&#99999999999;" * 20,
    "pack": b"PACK\0\0\0\2\0\0\0\1\x3b" + zlib.compress(b"hello world"),
    "bundle": b"# v2 git bundle\n" + b"0" * 40 + b" HEAD\n\nPACK\0\0\0\2\0\0\0\1",
    "rmeta": b"rust\0\0\0\x09" + b"\x10zorptastic_merge\xc1" * 4,
}


def mutants(seed: bytes, count: int) -> Iterator[bytes]:
    chance = random.Random(len(seed))
    for _ in range(count):
        content = bytearray(seed)
        for _ in range(chance.choice((1, 2, 8))):
            at = chance.randrange(len(content))
            content[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        if chance.random() < 0.3:
            del content[chance.randrange(len(content)) :]
        yield bytes(content)


@pytest.mark.parametrize("name", SEEDS)
def test_what_is_damaged_does_not_end_a_scan(name: str) -> None:
    assert "f" in views(SEEDS[name])
    for content in mutants(SEEDS[name], 40 if name in ("pack", "bundle", "sqlite") else 300):
        shown = views(content, bounds=Bounds(expanded_bytes=1 << 24, file_s=20))
        assert shown["f"] == content


def test_every_format_is_named_once() -> None:
    names = [reader.name for reader in FORMATS]
    assert len(set(names)) == len(names)
    package = Path(__file__).parents[2] / "featuredel" / "leaks" / "views"
    modules = {path.stem for path in package.glob("*.py")} - {"__init__", "view"}
    assert len(modules) == len(FORMATS)


class Stumbling:
    name = "stumbling"
    claims = True

    def applies(self, head: bytes, path: str) -> bool:
        return path == "f"

    def views(self, view: View, budget: Budget) -> Iterator[View | Unseen]:
        yield view.part(self.name, "a", b"first")
        raise KeyError("odd")


def test_a_reader_that_stumbles_claims_nothing() -> None:
    noise = random.Random(0).randbytes(4096)
    found = list(expand(View("raw", "f", noise), Budget(Bounds(), 4096), [Stumbling()]))
    assert [item.where for item in found] == ["f", "f!a", "f"]
    assert isinstance(found[-1], Finding)
    assert found[-1].detail.endswith("; stumbling: KeyError: 'odd'")


def test_a_message_is_safe_to_print() -> None:
    told = str(Finding("a\x1b[2J\n", "raw", "content", "é\x07", "string"))
    assert told == "a\\x1b[2J\\n: content in view raw: é\\x07 (string)"
