"""RESULTS.md keeps what other benchmarks wrote."""

from pathlib import Path

from bench.results import table, write_section


def test_a_section_is_replaced_where_it_stands(tmp_path: Path) -> None:
    results = tmp_path / "RESULTS.md"
    results.write_text("# Title\n")
    write_section("speed", "make bench", "## Speed\n\nold\n", results)
    assert results.read_text().endswith("old\n\n<!-- end of speed -->\n")
    write_section("plant", "make plant", "## Plant", results)
    write_section("speed", "make bench", "## Speed\n\nnew", results)
    text = results.read_text()
    assert "old" not in text
    assert text.index("# Title") < text.index("new") < text.index("## Plant")
    assert text.count("## Speed") == 1


def test_a_section_makes_the_file(tmp_path: Path) -> None:
    write_section("a", "make a", "## A", tmp_path / "R.md")
    assert (tmp_path / "R.md").read_text().startswith("<!-- a: written by `make a` -->")


def test_a_table() -> None:
    assert table(("a", "b"), [(1, "x")]) == "| a | b |\n| --- | --- |\n| 1 | x |"
