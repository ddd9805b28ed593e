from pathlib import Path

from toy_index import write_tree

from featuredel.languages.python.source import parse, read_source


def test_code_lines_leave_out_blanks_comments_and_docstrings(tmp_path: Path) -> None:
    text = (
        '"""Doc\n\nmore."""\n\n# comment\nx = 1  # code\n\ndef f():\n    """Doc."""\n    return 1\n'
    )
    write_tree(tmp_path, {"m.py": text})
    source = read_source(tmp_path, "m.py")
    assert source is not None
    assert source.code_lines(1, source.length) == 3
    assert source.code_lines(8, 10) == 2


def test_a_link_is_not_read(tmp_path: Path) -> None:
    write_tree(tmp_path, {"m.py": "x = 1\n"})
    (tmp_path / "link.py").symlink_to("m.py")
    assert read_source(tmp_path, "link.py") is None


def test_parse_returns_none_for_what_is_not_python() -> None:
    assert parse(b"print 'no'") is None
    assert parse(b"x = 1\0") is None
    assert parse(b"x = '\\d'") is not None  # a doubtful escape is still Python
