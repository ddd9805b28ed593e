"""Where an answer's code stands, and what it is imported as."""

from pathlib import Path

from featuredel.leaks.needle import Needles
from featuredel.leaks.plant.answer import Answer


def answer(root: Path, **deleted: str) -> Answer:
    files = {name.replace("__", "/") + ".py": text for name, text in deleted.items()}
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return Answer("toy", root, files, Needles(()))


def test_a_package_under_src(tmp_path: Path) -> None:
    (tmp_path / "src" / "pkg").mkdir(parents=True)
    (tmp_path / "src" / "pkg" / "__init__.py").touch()
    found = answer(tmp_path, src__pkg__long="x = 1\ny = 2\n", src__pkg__short="z\n")
    assert (found.path, found.source, found.package) == ("src/pkg/long.py", "src", "pkg")
    assert found.modules == ("pkg.long", "pkg.short")
    assert found.text == "x = 1\ny = 2\n"


def test_a_module_at_the_root(tmp_path: Path) -> None:
    found = answer(tmp_path, single="x = 1\n")
    assert (found.source, found.package, found.modules) == ("", "single.py", ("single",))


def test_what_is_not_of_the_package_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    found = answer(tmp_path, pkg__mod="x = 1\ny = 2\n", docs__make="x\n")
    assert found.paths == ("pkg/mod.py",)


def test_documents_weigh_less_than_code(tmp_path: Path) -> None:
    (tmp_path / "mod.py").write_text("x\n")
    (tmp_path / "README").write_text("a long text\n")
    deleted = {"README": "a long text\n", "mod.py": "x\n"}
    assert Answer("toy", tmp_path, deleted, Needles(())).path == "mod.py"
