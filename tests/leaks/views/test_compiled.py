"""Views of what compilers write, made by the compilers of this machine."""

import marshal
import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from looking import CODE, NAME, lines, of_files, views

OLD = '''\
def zorptastic_merge(alpha_quux, beta_frob, gamma_wibble=2.7182):
    """Merge quuxes the zorptastic way, which nobody else does."""
    snork_total = 7919 * len(beta_frob)
    big = 123456789012345678901234567890, 4242424242, 1.5e300, 3.25j
    texts = u"unique_text", b"unique_bytes"
    return snork_total, [q for q in big], texts, lambda thunk_name: thunk_name
'''
"""The same for every version of Python."""

JAVA = """
import java.util.*;
class Quux {
    static final double WIBBLE = 2.7182;
    static final float FROB = 3.1417f;
    long snork = 79190000001L;
    Map<String, GrumbleDook> zorptasticMerge(List<Integer> alphaQuux, GrumbleDook[] beta) {
        int total = 7919 * alphaQuux.size();
        switch (total) { case 1: total = 23456; break; case 2: case 3: total = -12345; break; }
        switch (total) { case 1000: total = 31013; break; case 99999: total = 7; }
        String text = "grumbledook-\\u00e9" + total;
        return null;
    }
}
class GrumbleDook {}
"""

RUST = """
/// Merges quuxes the zorptastic way.
pub fn zorptastic_merge(alpha_quux: &[i64], gamma_wibble: f64) -> String {
    inner::snork_total(alpha_quux.len(), gamma_wibble)
}
mod inner {
    #[inline(never)]
    pub fn snork_total(beta_frob: usize, x: f64) -> String {
        format!("grumbledook-{}{}", beta_frob * 7919, x)
    }
}
"""


def interpreters() -> list[str]:
    """Return the Pythons of this machine, ours among them."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    return [sys.executable, *sorted(str(path) for path in versions.glob("*/bin/python"))]


def needs(tool: str) -> pytest.MarkDecorator:
    """Skip where a tool is missing, or is the shim of a toolchain manager that has none."""
    works = (
        shutil.which(tool)
        and not subprocess.run([tool, "--version"], capture_output=True, check=False).returncode
    )
    return pytest.mark.skipif(not works, reason=f"{tool} is not installed, or does not run")


@pytest.mark.parametrize("python", interpreters())
def test_bytecode_of_every_python_is_read(python: str, tmp_path: Path) -> None:
    source = tmp_path / "core.py"
    source.write_text(OLD)
    code = "import py_compile; py_compile.compile('core.py', 'neutral.dat', doraise=True)"
    subprocess.run([python, "-c", code], cwd=tmp_path, check=True)
    source.unlink()
    shown = of_files(tmp_path)
    names, constants = shown["neutral.dat!names"], shown["neutral.dat!consts"]
    assert {b"snork_total", b"alpha_quux", b"thunk_name"} <= lines(names)
    assert any(
        line.endswith(NAME + b"(alpha_quux, beta_frob, gamma_wibble)") for line in lines(names)
    )
    assert {
        b"7919", b"2.7182", b"123456789012345678901234567890", b"4242424242", b"1.5e+300",
        b"3.25j", b"unique_text", b"unique_bytes",
        b"Merge quuxes the zorptastic way, which nobody else does.",
    } <= lines(constants)  # fmt: skip


def test_code_without_a_header_is_read() -> None:
    shown = views(marshal.dumps(compile(OLD, "core.py", "exec")))
    assert b"snork_total" in lines(shown["f!names"])


def test_what_follows_bytecode_is_read(tmp_path: Path) -> None:
    (tmp_path / "core.py").write_text("x = 1\n")
    compiled = py_compile.compile(str(tmp_path / "core.py"), str(tmp_path / "a.pyc"))
    assert compiled is not None
    content = Path(compiled).read_bytes() + CODE.encode()
    assert views(content)["f!after the end"] == CODE.encode()


def test_damaged_and_hostile_bytecode_ends_in_time() -> None:
    header = b"\xa7\r\r\n" + bytes(12)
    for body in (
        b"(" + b"\xff\xff\xff\x7f",
        b"\xa9\x01" * 100_000,
        b"r\xff\xff\xff\x7f",
        b"c",
        b"<",
    ):
        assert "f!names" not in views(header + body)


@needs("javac")
@pytest.mark.parametrize("options", [[], ["-g"], ["-parameters"], ["-g:none"]])
def test_classes_in_jars_in_jars_are_read(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "Quux.java").write_text(JAVA)
    subprocess.run(["javac", *options, "Quux.java"], cwd=tmp_path, check=True)
    subprocess.run(["jar", "cf", "inner.jar", "Quux.class"], cwd=tmp_path, check=True)
    subprocess.run(["jar", "cf", "outer.jar", "inner.jar"], cwd=tmp_path, check=True)
    shown = of_files(tmp_path / "outer.jar")
    (constants,) = [content for where, content in shown.items() if where.endswith("!constants")]
    assert next(where for where in shown if where.endswith("!constants")).endswith(
        "outer.jar!inner.jar!Quux.class!constants"
    )
    assert {
        b"zorptasticMerge", b"GrumbleDook", b"2.7182", b"3.1417", b"79190000001", b"7919",
        b"23456", b"-12345", b"31013",
    } <= lines(constants)  # fmt: skip
    assert (b"alphaQuux" in lines(constants)) == (options in (["-g"], ["-parameters"]))


@needs("rustc")
def test_what_rustc_writes_is_read(tmp_path: Path) -> None:
    (tmp_path / "lib.rs").write_text(RUST)
    for mangling in ([], ["-Csymbol-mangling-version=v0"]):
        subprocess.run(
            ["rustc", "--crate-type=rlib", "--emit=metadata,link", *mangling, "--crate-name=quux",
             "lib.rs"],
            cwd=tmp_path, check=True, capture_output=True,
        )  # fmt: skip
        (tmp_path / "libquux.rmeta").rename(tmp_path / "neutral.dat")
        shown = of_files(tmp_path)
        assert {NAME, b"alpha_quux", b"snork_total"} <= lines(shown["neutral.dat!strings"])
        symbols = [
            c for where, c in shown.items() if "rlib!" in where and where.endswith(".o!names")
        ]
        assert any(NAME in lines(content) for content in symbols)


@needs("g++")
def test_symbols_of_cpp_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(
        "namespace quux { int zorptastic_merge(int a) { return a; } }\n"
    )
    subprocess.run(["g++", "-c", "a.cpp", "-o", "a.o"], cwd=tmp_path, check=True)
    (tmp_path / "a.cpp").unlink()
    assert NAME in lines(of_files(tmp_path)["a.o!names"])


def test_symbols_of_cython_are_told_apart() -> None:
    symbols = b"\x7fELF\0\xff__pyx_pw_7package_6module_17zorptastic_mergex\0__pyx_n_s_alpha_quux\0"
    symbols = symbols.replace(b"17zorptastic_mergex", b"16zorptastic_merge")
    assert {NAME, b"alpha_quux"} <= lines(views(symbols)["f!names"])
