from pathlib import Path

from featuredel.languages.python import requirement_files
from featuredel.languages.python.requirement_files import development_files, read_requirements


def test_includes_are_followed_and_options_left_out(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements/base.txt").write_text("six\n-r tests.txt\n")
    (tmp_path / "requirements/tests.txt").write_text(
        "-r base.txt\n--index-url https://example.invalid\nmock==4 \\\n    --hash=sha256:abc\n"
        "-e .\n./local\npytest>=7  # why\nurl @ https://example.invalid/x.whl\n# nothing\n"
    )
    assert read_requirements(tmp_path, "requirements/tests.txt") == ("six", "mock==4", "pytest>=7")


def test_no_file_outside_of_the_tree_is_opened(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret\n")
    root = tmp_path / "tree"
    root.mkdir()
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "requirements-test.txt").write_text("-r ../secret.txt\n-r link.txt\na\n")
    assert read_requirements(root, "requirements-test.txt") == ("a",)


def test_files_are_told_apart_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    for name in (
        *("requirements.txt", "requirements-dev.txt", "test-requirements.txt"),
        *("requirements/tests.in", "requirements/tests.txt", "requirements/docs.txt"),
        *("requirements/tests37.txt", "requirements/lint.txt"),
    ):
        (tmp_path / name).write_text("x\n")
    assert requirement_files.test_files(tmp_path) == (
        "test-requirements.txt",
        "requirements/tests.in",
    )
    assert development_files(tmp_path) == ("requirements-dev.txt", "requirements.txt")


def test_what_was_compiled_is_read_from_its_source(tmp_path: Path) -> None:
    (tmp_path / "tests.in").write_text("mock\n")
    (tmp_path / "tests.txt").write_text("mock==1\n")
    assert read_requirements(tmp_path, "tests.txt") == ("mock",)
