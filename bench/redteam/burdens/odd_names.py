"""Names that are no UTF-8, hold line ends, brackets and options, or differ in case alone."""

import os

from bench.redteam.view import View


def burden(view: View) -> None:
    for name in (
        b"\xff\xfe.py",
        b"a\nb.py",
        b"-p evil.py",
        b"[x].py",
        b"..py",
        b"sp ace.py",
        b"\xcc\x81.py",
    ):
        (view.root / view.package / os.fsdecode(name)).write_bytes(b"pass\n")
    (view.root / view.package / view.name.upper()).mkdir()
    (view.root / view.package / view.name.upper() / "__init__.py").write_text("pass\n")
