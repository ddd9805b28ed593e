"""Every file of an environment has an explanation, or is a finding."""

import base64
import compileall
import hashlib
import py_compile
from dataclasses import replace
from pathlib import Path

import pytest
from candidates import environment as toy_environment

from featuredel.leaks import provenance
from featuredel.leaks.finding import Finding
from featuredel.leaks.provenance import Product, compared, contents, explain, record, write
from featuredel.model import Environment
from featuredel.sandbox import ENVIRONMENT, WORKSPACE

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
    made = record(prefix, ENVIRONMENT, {}, "uv venv", "Python 3.12.1")
    (site / "frob.py").write_bytes(CODE)
    digest = base64.urlsafe_b64encode(hashlib.sha256(CODE).digest()).decode().rstrip("=")
    (info / "RECORD").write_text(f"frob.py,sha256={digest},{len(CODE)}\n{info.name}/RECORD,,\n")
    before = contents(prefix)
    (site / "_project.pth").write_text("/workspace\n")
    made |= record(prefix, ENVIRONMENT, before, "by a path file", "tree 1")
    write(compared(made, made), tmp_path)
    compileall.compile_dir(
        site, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    return replace(toy_environment(prefix), home=home, lock=("frob-it==1.0",))


def explain_again(environment: Environment) -> tuple[Finding, ...]:
    provenance._explain.cache_clear()
    return explain(environment).findings


def unexplained(environment: Environment) -> list[str]:
    root = f"{environment.prefix}/"
    return [finding.where.removeprefix(root) for finding in explain_again(environment)]


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


@pytest.mark.parametrize(
    "row", ["../../../../../gone.py,sha256=AAAA,1", "b.py,sha256=A,1", "\udcff,,"]
)
def test_a_wheel_that_lists_nonsense(environment: Environment, row: str) -> None:
    (listing,) = environment.prefix.rglob("RECORD")
    with listing.open("a", errors="surrogateescape") as file:
        file.write(f"{row}\n")
    assert unexplained(environment) == []


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


def test_what_a_build_left_in_the_tree(environment: Environment, tmp_path: Path) -> None:
    products = tmp_path / "products"
    products.mkdir()
    (products / "frob.so").write_bytes(b"\x7fELF")
    with_products = replace(environment, products=products)
    assert unexplained(with_products) == [str(products / "frob.so")]
    made = record(products, WORKSPACE, {}, "uv pip install", "tree 1")
    write(compared(made, made), tmp_path)
    assert str(products / "frob.so") not in unexplained(with_products)


def test_a_build_that_differs_when_it_is_repeated(environment: Environment, tmp_path: Path) -> None:
    made = record(environment.prefix, ENVIRONMENT, {}, "uv pip install frob", "frob==1 sha256:0")
    path = f"{ENVIRONMENT}/pyvenv.cfg"
    second = made | {path: replace(made[path], sha256="0" * 64)}
    write(compared(made, second), tmp_path)
    (found,) = explain_again(environment)
    assert found.where == str(environment.prefix / "pyvenv.cfg")
    assert found.detail == "built twice, differs: uv pip install frob"
    write(compared(made, {}), tmp_path)
    assert f"{environment.prefix}/lib/python3.12/site-packages/_project.pth" in {
        finding.where for finding in explain_again(environment)
    }


def test_a_build_of_what_is_not_known(environment: Environment, tmp_path: Path) -> None:
    made = record(environment.prefix, ENVIRONMENT, {}, "uv pip install frob", "")
    write(compared(made, made), tmp_path)
    details = {finding.detail for finding in explain_again(environment)}
    assert "built of what is not known: uv pip install frob" in details


def test_other_inputs_make_another_product() -> None:
    first = {"/env/a": Product("0", "uv pip install frob", "frob==1 sha256:0")}
    second = {"/env/a": Product("0", "uv pip install frob", "frob==1 sha256:1")}
    assert compared(first, first)["/env/a"].same_again
    assert not compared(first, second)["/env/a"].same_again
