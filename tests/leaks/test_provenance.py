"""Every file of an environment has an explanation, or is a finding."""

import base64
import compileall
import hashlib
import json
import py_compile
from dataclasses import replace
from pathlib import Path

import pytest
from candidates import environment as toy_environment

from featuredel.leaks import provenance
from featuredel.leaks.provenance import RECORD, contents, explain, record
from featuredel.model import Environment

CODE = b"def frob():\n    return 1\n"


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    """Return an environment with a wheel, its bytecode, a build, and a link to the interpreter."""
    provenance._explain.cache_clear()
    prefix, home = tmp_path / "prefix", tmp_path / "python"
    site = prefix / "lib" / "python3.12" / "site-packages"
    info = site / "frob_it-1.0.dist-info"
    info.mkdir(parents=True)
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "python3.12").touch()
    (prefix / "bin").mkdir()
    (prefix / "bin" / "python").symlink_to(home / "bin" / "python3.12")
    (prefix / "pyvenv.cfg").write_text(f"home = {home}/bin\n")
    made = record(prefix, {}, "uv venv")
    (site / "frob.py").write_bytes(CODE)
    digest = base64.urlsafe_b64encode(hashlib.sha256(CODE).digest()).decode().rstrip("=")
    (info / "RECORD").write_text(f"frob.py,sha256={digest},{len(CODE)}\n{info.name}/RECORD,,\n")
    before = contents(prefix)
    (site / "_project.pth").write_text("/workspace\n")
    made |= record(prefix, before, "by a path file")
    (tmp_path / RECORD).write_text(json.dumps(made))
    compileall.compile_dir(
        site, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    return replace(toy_environment(prefix), home=home, lock=("frob-it==1.0",))


def unexplained(environment: Environment) -> list[str]:
    provenance._explain.cache_clear()
    root = f"{environment.prefix}/"
    return [finding.where.removeprefix(root) for finding in explain(environment).findings]


def test_all_is_explained(environment: Environment) -> None:
    assert unexplained(environment) == []
    assert explain(environment).files == {"build": 2, "bytecode": 1, "link": 1, "wheel": 2}


def test_a_file_that_nothing_explains(environment: Environment) -> None:
    (environment.prefix / "lib" / "left.txt").write_text("def gone(): ...")
    assert unexplained(environment) == ["lib/left.txt"]


def test_a_file_that_differs_from_the_wheels(environment: Environment) -> None:
    site = environment.prefix / "lib" / "python3.12" / "site-packages"
    (site / "frob.py").write_bytes(CODE + b"\n")
    found = unexplained(environment)
    assert found[0] == "lib/python3.12/site-packages/frob.py"
    assert [Path(name).suffix for name in found] == [".py", ".pyc"]  # nor is it its bytecode


def test_a_file_that_differs_from_what_was_built(environment: Environment) -> None:
    (environment.prefix / "pyvenv.cfg").write_text("home = /elsewhere\n")
    assert unexplained(environment) == ["pyvenv.cfg"]


def test_a_wheel_that_is_not_in_the_lock(environment: Environment) -> None:
    found = unexplained(replace(environment, lock=("frob-it==1.1",)))
    assert len(found) == 3


def test_bytecode_without_a_source(environment: Environment) -> None:
    cache = environment.prefix / "lib" / "python3.12" / "site-packages" / "__pycache__"
    (bytecode,) = cache.iterdir()
    bytecode.rename(cache / bytecode.name.replace("frob", "gone"))
    (found,) = unexplained(environment)
    assert "gone" in found


def test_a_link_that_leads_out(environment: Environment, tmp_path: Path) -> None:
    (environment.prefix / "bin" / "gone").symlink_to(tmp_path / "elsewhere")
    (environment.prefix / "lib64").symlink_to("lib")
    assert unexplained(environment) == ["bin/gone"]
