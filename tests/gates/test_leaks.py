"""The gate no trace, on a tree by hand and a base of a few lines."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from candidates import environment as toy_environment

from featuredel.errors import Rejected
from featuredel.gates.leaks import check_environment, no_trace, secrets
from featuredel.leaks import provenance
from featuredel.leaks.base import Base, Part
from featuredel.leaks.index import Index, numbers_of, write
from featuredel.leaks.report import Report
from featuredel.model import Environment, Gate, HiddenFile, Statement

CODE = """
def zorptastic_merge(alpha_quux, beta_frob):
    local_snark = 7919
    for boojum_key in sorted(alpha_quux):
        local_snark += alpha_quux[boojum_key] * beta_frob[0] if boojum_key else -1
    return local_snark
"""
DELETED = {"0/pkg/merge.py": CODE}
TOLD = Statement("Write `zorptastic_merge`.", None, None)

Judge = Callable[..., tuple[Gate, Report]]


@pytest.fixture
def base(tmp_path: Path) -> Base:
    folder = tmp_path / "base"
    folder.mkdir()
    write(folder, numbers_of("a.py", "import os\n"))
    return Base((Part("0" * 64, 1, frozenset(), Index(folder)),))


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    """Return an environment of no files."""
    provenance._explain.cache_clear()
    (tmp_path / "prefix").mkdir()
    (tmp_path / provenance.RECORD).write_text("{}")
    return toy_environment(tmp_path / "prefix")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return what the deletion left."""
    root = tmp_path / "tree"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg" / "other.py").write_text("def frob(x):\n    return x\n")
    return root


@pytest.fixture
def judge(tmp_path: Path, base: Base, environment: Environment, tree: Path) -> Judge:
    def run(
        statement: Statement = TOLD, hidden: tuple[HiddenFile, ...] = (), **changes: object
    ) -> tuple[Gate, Report]:
        where = replace(environment, **changes)  # type: ignore[arg-type]
        found = secrets(DELETED, tree, base)
        return no_trace(found, statement, hidden, tree, where, base)

    return run


def refused(judge: Judge, *args: object, **more: object) -> Rejected:
    with pytest.raises(Rejected) as caught:
        judge(*args, **more)
    return caught.value


def test_a_clean_tree_passes(judge: Judge) -> None:
    gate, report = judge()
    assert (gate.name, gate.outcome) == ("no trace", "passed")
    said = json.loads(gate.evidence)
    assert said["needles"]["secret"] == len(report.needles) > 5
    assert said["files"] == 1
    assert gate.evidence == report.text
    assert "zorptastic_merge" not in {needle.text for needle in report.needles.secret}


def test_the_same_task_has_the_same_report(judge: Judge) -> None:
    assert judge()[1].sha256 == judge()[1].sha256


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("PKG-INFO", b"Name: pkg\n\nCall boojum_key.\n"),
        ("data.bin", b"\0\0\x0aboojum_key\0"),
        ("a.utf16", "boojum_key".encode("utf-16")),
    ],
)
def test_a_trace_in_the_tree(judge: Judge, tree: Path, name: str, content: bytes) -> None:
    (tree / name).write_bytes(content)
    found = refused(judge)
    assert found.reason == "a trace is left"
    assert found.detail.startswith(f"/workspace/{name}")
    assert "boojum_key" in found.detail


def test_a_trace_in_what_the_build_made(judge: Judge, tmp_path: Path) -> None:
    products = tmp_path / "products"
    products.mkdir()
    (products / "merge.so").write_bytes(b"\x7fELF\0boojum_key\0local_snark\0")
    assert "/workspace/merge.so" in refused(judge, products=products).detail


def test_what_nothing_explains(judge: Judge, environment: Environment) -> None:
    (environment.prefix / "left.py").write_text("x = 1\n")
    assert "/env/left.py: provenance" in refused(judge).detail
    with pytest.raises(Rejected, match=r"environment is not explained.*/env/left\.py: provenance"):
        check_environment(environment)


def test_the_answer_stands_elsewhere(judge: Judge, tree: Path) -> None:
    (tree / "build" / "lib").mkdir(parents=True)
    (tree / "build" / "lib" / "merge.py").write_text(CODE)
    found = refused(judge)
    # a build folder holds nothing by right, whatever share of the code it has
    assert found.reason in ("a trace is left", "the answer stands elsewhere")
    assert "build/lib/merge.py" in found.detail
    (tree / "build" / "lib" / "merge.py").rename(tree / "pkg" / "old.py")
    assert refused(judge).reason == "the answer stands elsewhere"


def test_too_few_needles(judge: Judge, base: Base, tree: Path) -> None:
    with pytest.raises(Rejected, match="too few needles"):
        secrets({"0/pkg/a.py": "def wibble_it(x):\n    return x\n"}, tree, base)
    assert refused(judge, Statement(CODE, None, None)).reason == "too few needles"


def test_tests_that_a_register_shows_are_told(judge: Judge) -> None:
    hidden = HiddenFile("tests/test_merge.py", 0o100644, b"assert zorptastic_merge.boojum_key\n")
    secret = {needle.text for needle in judge(TOLD, (hidden,))[1].needles.secret}
    assert "boojum_key" in secret
    terse = replace(TOLD, terse="Write it.")
    secret = {needle.text for needle in judge(terse, (hidden,))[1].needles.secret}
    assert "boojum_key" not in secret
