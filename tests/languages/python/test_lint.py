"""Lint: faults are told by kind and name, and compared with those of before."""

import ast
from pathlib import Path

from featuredel.languages.python.lint import faults, new_faults, ruff_faults, tree_faults


def test_faults_name_kind_and_name() -> None:
    source = b"import os\nfrom a import b as c\n__all__ = ['gone']\nprint(missing)\n"
    assert faults({"m.py": source}) == (
        "m.py: undefined export gone",
        "m.py: undefined name missing",
        "m.py: unused import a.b as c",
        "m.py: unused import os",
    )


def test_a_syntax_error_is_a_fault_and_other_files_are_none() -> None:
    assert faults({"m.py": b"def f(:\n", "data.txt": b"def f(:\n"}) == ("m.py: syntax error",)


def test_what_was_there_before_does_not_count_wherever_it_stands_now() -> None:
    before = tree_faults("m.py", ast.parse("import os\nimport re\nre.sub\n"))
    after = tree_faults("m.py", ast.parse("\n\nimport os\nimport re\n"))
    assert [fault.name for fault in new_faults(before, after)] == ["re"]


def test_ruff_reads_no_configuration_of_the_tree(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("lint.ignore = ['F401']\n")
    (tmp_path / "m.py").write_text("import os\n")
    (tmp_path / "n.txt").write_text("import os\n")
    (told,) = ruff_faults(tmp_path, ["m.py", "n.txt"])
    assert told.startswith("m.py: ")
    assert "`os` imported but unused" in told
    assert ruff_faults(tmp_path, []) == ()
