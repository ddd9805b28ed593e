import base64
import binascii
import html
import json
import random

import pytest
from looking import CODE, NAME, views

TEXT = CODE.encode()


def stripped(content: bytes) -> bytes:
    return b"".join(content.split())


WHOLE = stripped(TEXT)


def shown(content: bytes, where: str = "f") -> list[str]:
    """Return the places, but for the content itself, where the code is seen in one piece."""
    found = views(content, where).items()
    return [where for where, seen in list(found)[1:] if WHOLE in stripped(seen)]


def test_a_notebook_is_read_as_the_code_in_it() -> None:
    cell = {"cell_type": "code", "outputs": [], "source": CODE.splitlines(keepends=True)}
    notebook = json.dumps({"cells": [cell], "nbformat": 4}, indent=1).encode()
    assert "f!strings" in shown(notebook)


def test_a_source_map_is_read_as_its_sources() -> None:
    source = CODE + "# " + "x" * 4096
    content = json.dumps(
        {"version": 3, "mappings": "AAAA", "sourcesContent": ["", source]}
    ).encode()
    assert "f.map!sourcesContent[1]" in shown(content, "f.map")
    assert "f.map!sourcesContent[1]" in shown(b")]}'\n" + content, "f.map")


def test_an_inline_source_map_is_read() -> None:
    source_map = json.dumps({"version": 3, "sourcesContent": [CODE]}).encode()
    url = b"//# sourceMappingURL=data:application/json;base64," + base64.b64encode(source_map)
    assert shown(b"var a=1;\n" + url) != []


def test_json_by_lines_and_in_json_are_read() -> None:
    line = json.dumps({"a": CODE})
    assert shown(f"{{}}\n{line}\n".encode(), "f.jsonl") != []
    assert shown(json.dumps({"b": line}).encode()) != []


def test_strings_of_programs_are_read() -> None:
    assert shown(f"var a = {json.dumps(CODE)};\n".encode()) == ["f!escapes"]
    numeric = "".join(f"\\x{byte:02x}" for byte in TEXT)
    assert shown(f"a = '{numeric}'\n".encode()) == ["f!escapes"]
    unicode = "".join(f"\\u{byte:04x}" for byte in TEXT)
    assert shown(f"a = '{unicode}'\n".encode()) == ["f!escapes"]


def test_urls_are_read() -> None:
    url = "".join(f"%{byte:02X}" for byte in TEXT)
    assert shown(f"go to /?q={url}\n".encode()) == ["f!url escapes"]


def test_text_without_escapes_is_not_read_twice() -> None:
    assert list(views(TEXT)) == ["f"]


def test_a_page_is_read_without_its_tags() -> None:
    spans = "".join(f"<span class='k'>{html.escape(word)}</span> " for word in CODE.split(" "))
    page = f"<!doctype html><html><body><pre>{spans}</pre></body></html>".encode()
    assert shown(page) == ["f!text"]
    assert views(b"if a </ b: pass\n").keys() == {"f"}


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode, binascii.hexlify])
def test_runs_are_decoded(encode: object) -> None:
    assert callable(encode)
    assert shown(b"key: '" + encode(TEXT) + b"'\n") != []


def test_runs_in_lines_are_decoded() -> None:
    assert shown(b"key: |\n" + base64.encodebytes(TEXT)) != []
    as_json = json.dumps({"image/png": base64.encodebytes(TEXT).decode()}).encode()
    assert shown(as_json) != []


def test_a_run_behind_other_digits_is_decoded() -> None:
    name = base64.b64encode(b"the name is zorptastic_merge, is it not")
    for before in (b"", b"a/", b"ab/", b"abc/"):
        assert any(NAME in seen for seen in views(before + name + b"\n").values())


def test_what_a_run_holds_is_not_judged() -> None:
    key = base64.encodebytes(random.Random(0).randbytes(4096))
    assert not any("opaque" in where for where in views(key))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("before", [b"", b"\x7fELF\1", b"MZ\1\2\3\4"])
def test_wide_text_is_read_at_any_place(encoding: str, before: bytes) -> None:
    assert "f!text" in shown(before + CODE.encode(encoding) + b"\xfe\xff")
