import base64
import csv
import hashlib
import os
from pathlib import Path

from featuredel.languages.python import site
from featuredel.languages.python.metadata import read_metadata

MINOR = (3, 12)


def installed(folder: Path, name: str, *needs: str) -> None:
    info = folder / f"{name}-1.dist-info"
    info.mkdir(parents=True)
    lines = "".join(f"Requires-Dist: {need}\n" for need in needs)
    (info / "METADATA").write_text(f"Name: {name}\nVersion: 1\n{lines}\n")


def test_only_plain_files_of_a_build_are_laid(tmp_path: Path) -> None:
    built, prefix = tmp_path / "built", tmp_path / "prefix"
    installed(built, "p")
    (built / "p.pth").write_text("/workspace/src")
    (built / "p-1.dist-info/entry_points.txt").write_text(
        "[console_scripts]\np = p.cli:main.run\n../evil = p:x\n"
    )
    (built / "link").symlink_to("/etc/passwd")
    os.mkfifo(built / "pipe")
    (built / "bin").mkdir()
    (built / "bin/python").write_text("evil")
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin/python").write_text("good")
    site.lay(built, prefix, MINOR)
    folder = site.site_packages(prefix, MINOR)
    assert sorted(p.name for p in folder.iterdir()) == ["p-1.dist-info", "p.pth"]
    assert sorted(p.name for p in (prefix / "bin").iterdir()) == ["p", "python"]
    assert (prefix / "bin/python").read_text() == "good"
    script = (prefix / "bin/p").read_text()
    assert script.startswith("#!/env/bin/python\n")
    assert "from p.cli import main\nsys.exit(main.run())" in script


def test_the_record_lists_what_was_laid(tmp_path: Path) -> None:
    built, prefix = tmp_path / "built", tmp_path / "prefix"
    installed(built, "p")
    (built / "p-1.dist-info/entry_points.txt").write_text("[console_scripts]\np = p:main\n")
    (built / "p-1.dist-info/uv_cache.json").write_text("{}")
    (built / "p-1.dist-info/RECORD").write_text("p-1.dist-info/uv_cache.json,sha256=x,2\n")
    (built / "a, b.so").write_bytes(b"/tmp/uv/builds-v0/.tmpXy1Z2a/x")
    (prefix / "bin").mkdir(parents=True)
    site.lay(built, prefix, MINOR)
    folder = site.site_packages(prefix, MINOR)
    rows = list(csv.reader((folder / "p-1.dist-info/RECORD").read_text().splitlines()))
    assert [row[0] for row in rows] == [
        *("../../../bin/p", "a, b.so", "p-1.dist-info/METADATA", "p-1.dist-info/RECORD"),
        "p-1.dist-info/entry_points.txt",
    ]
    content = (folder / "a, b.so").read_bytes()
    assert content == b"/tmp/uv/builds-v0/.tmp000000/x"
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    assert rows[1][1:] == [f"sha256={digest}", "30"]


def test_a_description_is_left_out_where_it_is_the_projects_own(tmp_path: Path) -> None:
    built = tmp_path / "built"
    installed(built, "p")
    metadata = built / "p-1.dist-info/METADATA"
    metadata.write_text(metadata.read_text() + "All of the README.\n")
    for described in (True, False):
        prefix = tmp_path / str(described)
        site.lay(built, prefix, MINOR, described=described)
        laid = site.site_packages(prefix, MINOR) / "p-1.dist-info/METADATA"
        assert ("README" in laid.read_text()) is described
        assert "Name: p" in laid.read_text()


def test_laying_never_writes_through_a_hard_link(tmp_path: Path) -> None:
    built, prefix, cache = tmp_path / "built", tmp_path / "prefix", tmp_path / "cached.py"
    folder = site.site_packages(prefix, MINOR)
    folder.mkdir(parents=True)
    cache.write_text("shared")
    (folder / "a.py").hardlink_to(cache)
    built.mkdir()
    (built / "a.py").write_text("own")
    site.lay(built, prefix, MINOR)
    assert (cache.read_text(), (folder / "a.py").read_text()) == ("shared", "own")


def test_copies_are_told_from_pointers(tmp_path: Path) -> None:
    (tmp_path / "__editable___p_finder.py").touch()
    assert site.copies(tmp_path) == ()
    (tmp_path / "p").mkdir()
    (tmp_path / "p/__init__.py").touch()
    assert site.copies(tmp_path) == ("p/__init__.py",)


def test_a_project_without_a_build_is_importable_by_path(tmp_path: Path) -> None:
    root, out = tmp_path / "tree", tmp_path / "out"
    (root / "src/pkg").mkdir(parents=True)
    (root / "src/pkg/__init__.py").touch()
    (root / "tests").mkdir()
    (root / "pyproject.toml").write_text(
        '[project]\nname = "my-pkg"\ndependencies = ["six"]\nscripts = {run = "pkg:main"}\n'
    )
    site.write_by_path(out, root, read_metadata(root), "1.0")
    assert (out / "_project.pth").read_text() == "/workspace/src\n"
    (found,) = site.distributions(out)
    assert (found.name, found.version) == ("my-pkg", "1.0")
    assert "run = pkg:main" in (out / "my_pkg-1.0.dist-info/entry_points.txt").read_text()


def test_top_level_modules_and_second_copies(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    for path in ("pkg/__init__.py", "one.py", "tests/__init__.py", "setup.py", "test_one.py"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    modules = site.top_level_modules(root)
    assert modules == {"pkg", "one"}
    packages = tmp_path / "site"
    (packages / "pkg").mkdir(parents=True)
    assert site.second_copies(packages, modules) == ()
    (packages / "pkg/__init__.py").touch()
    assert site.second_copies(packages, modules) == ("pkg",)


def test_the_closure_of_what_the_runner_needs(tmp_path: Path) -> None:
    installed(
        tmp_path, "pytest", "pluggy>=1", 'colorama; sys_platform == "win32"', "argh; extra=='d'"
    )
    installed(tmp_path, "pluggy", "deep")
    assert site.closure(tmp_path, ["pytest"]) == {"pytest", "pluggy", "deep"}
