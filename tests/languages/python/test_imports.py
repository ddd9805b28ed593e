import json
from pathlib import Path

import pytest
from candidates import this_environment, write

from featuredel.languages.python.imports import import_command, import_faults, importers
from featuredel.sandbox import ExecResult
from featuredel.sandbox.bubblewrap import Bubblewrap

TREE = {
    "src/pkg/__init__.py": b"from .core import f\n",
    "src/pkg/core.py": b"def f(): ...\n",
    "src/pkg/user.py": b"from pkg import core\n",
    "src/pkg/other.py": b"x = 'import core'\n",
    "src/pkg/tests/test_core.py": b"from pkg import core\n",
    "src/broken.py": b"import nowhere_at_all\n",
    "src/ends.py": b"import os\nfrom pkg import core\nos._exit(3)\n",
    "src/leaves.py": b"raise SystemExit('core')\n",
    "setup.py": b"import core\n",
}


def test_importers_are_found_by_their_import_lines(tmp_path: Path) -> None:
    write(tmp_path, TREE)
    found = importers(tmp_path, ["src/pkg/core.py", "src/broken.py"])
    assert found == (
        "src/broken.py", "src/ends.py", "src/pkg/__init__.py", "src/pkg/core.py", "src/pkg/user.py",
    )  # fmt: skip


@pytest.mark.sandbox
def test_faults_by_file(tmp_path: Path) -> None:
    write(tmp_path, TREE)
    paths = (
        "src/broken.py", "src/leaves.py", "src/pkg/__init__.py", "src/pkg/core.py", "src/ends.py",
        "src/pkg/user.py",
    )  # fmt: skip
    command = import_command(tmp_path, this_environment(), (tmp_path,), paths)
    assert import_faults(paths, Bubblewrap().run(command)) == {
        "src/broken.py": "ModuleNotFoundError: No module named 'nowhere_at_all'",
        "src/leaves.py": "SystemExit: core",
        "src/ends.py": "never imported (exited)",
        "src/pkg/user.py": "never imported (exited)",
    }


@pytest.mark.parametrize(
    "report", [b"", b"garbage\n", b"[1, 2, 3]\n", b'{"a": 1}\n', b'["m.py"', b"[[1], 2]\n"]
)
def test_a_report_that_makes_no_sense(report: bytes) -> None:
    result = ExecResult(0, "exited", b"", b"", report, 0.0, 0.0)
    assert import_faults(["m.py"], result) == {"m.py": "never imported (exited)"}


def test_a_clean_report() -> None:
    result = ExecResult(0, "exited", b"", b"", json.dumps(["m.py", ""]).encode(), 0.0, 0.0)
    assert import_faults(["m.py"], result) == {}
