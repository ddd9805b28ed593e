from pathlib import Path

import pytest
from candidates import FILES, REACHED, this_environment, write

from featuredel.languages.python.variants import variant_runs, variants_command
from featuredel.model import TestRequest
from featuredel.sandbox import ExecResult
from featuredel.sandbox.bubblewrap import Bubblewrap

MORE = FILES["calc/more.py"]


@pytest.mark.sandbox
def test_each_variant_is_judged_by_itself(tmp_path: Path) -> None:
    root = write(tmp_path)
    request = TestRequest(ids=REACHED)
    variants = [
        {},
        {"calc/more.py": MORE.replace(b"a * b", b"a + b")},
        {"calc/more.py": b"not python at all"},
        {"calc/more.py": b"import os\nos._exit(0)\n"},
        {"calc/new/deep.py": b"def mul(a, b): return 0\n", "calc/__init__.py": (
            b"from calc.core import add\nfrom calc.new.deep import mul\n"
        )},
        {"calc/more.py": MORE},
    ]  # fmt: skip
    command = variants_command(this_environment(), (root,), request, variants)
    runs = variant_runs(request, Bubblewrap().run(command))
    assert [[result.outcome for result in run.results.values()] for run in runs] == [
        ["passed", "passed"],
        ["failed", "failed"],
        ["absent", "absent"],
        ["absent", "absent"],
        ["failed", "passed"],
        ["passed", "passed"],
    ]
    assert runs[3].ended == "crashed"
    assert (root / "calc/more.py").read_bytes() == MORE


@pytest.mark.parametrize("report", [b"", b"x\n", b'["exited", 10]\nshort', b"[1]\n", b"{}\n"])
def test_what_was_not_reported_is_not_there(report: bytes) -> None:
    result = ExecResult(0, "exited", b"", b"", report, 0.0, 0.0)
    assert variant_runs(TestRequest(ids=REACHED), result) == ()
