"""A needle is in an index exactly if the text that was indexed has it."""

from pathlib import Path

import pytest

from featuredel.leaks import index
from featuredel.leaks.index import Index, number_of, numbers_of, write
from featuredel.leaks.needles import candidates_of

TEXT = '''
def zorptastic_merge(alpha_quux: dict[str, int], beta_frob, *, gamma_wibble=2.7182):
    """Merge the quux with the frob until nothing wibbles."""
    local_snark = 7919  # the thousandth prime, of all numbers
    for boojum_key in sorted(alpha_quux):
        local_snark += alpha_quux[boojum_key] * beta_frob[0] if boojum_key else -1
    return local_snark, "grumbledook: %s of everything" % gamma_wibble
'''


def indexed(folder: Path, *texts: str) -> Index:
    folder.mkdir()
    write(folder, (group for text in texts for group in numbers_of("a.py", text)))
    return Index(folder)


def test_every_needle_of_a_text_is_in_its_index(tmp_path: Path) -> None:
    found = indexed(tmp_path / "index", TEXT)
    assert {needle.kind for needle in candidates_of({"a.py": TEXT})} == {
        "identifier", "string", "sentence", "number", "kgram", "normalised", "signature",
    }  # fmt: skip
    assert [n for n in candidates_of({"a.py": TEXT}) if number_of(n) not in found] == []


def test_nothing_else_is(tmp_path: Path) -> None:
    other = TEXT.replace("local_snark", "x").replace("* beta_frob", "// beta_frob")
    found = indexed(tmp_path / "index", other)
    missing = [n for n in candidates_of({"a.py": TEXT}) if number_of(n) not in found]
    assert {n.kind for n in missing} == {"identifier", "kgram", "normalised"}
    assert all(
        "local_snark" in n.text or "* beta_frob" in n.text or "*" in n.text.split() for n in missing
    )


def test_a_renamed_copy_has_the_shapes(tmp_path: Path) -> None:
    renamed = TEXT.replace("local_snark", "x").replace("boojum_key", "y")
    found = indexed(tmp_path / "index", renamed)
    shapes = [n for n in candidates_of({"a.py": TEXT}) if n.kind == "normalised"]
    assert shapes
    assert all(number_of(shape) in found for shape in shapes)


def test_many_segments_are_one_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "SEGMENT", 8)
    found = indexed(tmp_path / "index", TEXT, "unrelated_name = 1\n")
    assert len(list((tmp_path / "index").iterdir())) > 3
    assert all(number_of(n) in found for n in candidates_of({"a.py": TEXT}))
    assert number_of(candidates_of({"b.py": "something_else"})[0]) not in found


def test_an_empty_index_holds_nothing(tmp_path: Path) -> None:
    assert 0 not in indexed(tmp_path / "index")
