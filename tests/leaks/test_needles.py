"""Which pieces of a text become needles, and which the solver rightly knows."""

import pytest

from featuredel.leaks.needles import Kind, candidates_of, is_rare, needles_of


def texts(code: str, kind: Kind, path: str = "a.py") -> set[str]:
    return {needle.text for needle in candidates_of({path: code}) if needle.kind == kind}


def test_identifiers_are_long_and_not_of_the_language() -> None:
    code = "def snarkify(x):\n    return self.boojum_of(x).__class__  # mentioned_here\n"
    assert texts(code, "identifier") == {"snarkify", "boojum_of"}


def test_strings_are_cut_where_source_and_value_differ() -> None:
    code = r'''f"cannot frob: {thing!r}\nof kind, %s" + "short" + "%(name)s is unfit to be there"'''
    assert texts(code, "string") == {"cannot frob:", "of kind,", "is unfit to be there"}
    assert texts("x = 'item type' + 'Item Type' + 'item type is'", "string") == set()
    assert texts("x['boojum_key'] = 'return'", "string") == set()
    assert texts("x['boojum_key'] = 'return'", "identifier") == {"boojum_key"}


def test_docstrings_and_comments_are_sentences() -> None:
    docstring = '"""Frob it all now.\n\n    Every last bit of\n    it there is.\n    """\n'
    code = f"{docstring}# no idea why this works at all\nx\n"
    assert texts(code, "sentence") == {
        "Every last bit of it there is.",
        "no idea why this works at all",
    }  # and none of "Frob it all now.", which is too short


@pytest.mark.parametrize(
    ("number", "rare"),
    [
        ("7919", True), ("2.7182", True), ("0x9E3779B9", True), ("1_234_567", True),
        ("1000", False), ("4096", False), ("65535", False), ("1999", False), ("12", False),
        ("0xffff", False), ("3.14", False), ("1e9", False), ("1111", False), ("7919L", True),
    ],
)  # fmt: skip
def test_rare_numbers(number: str, rare: bool) -> None:
    assert is_rare(number) is rare


def test_parameters_of_a_signature() -> None:
    code = "def f(self, alpha_quux: Dict[str, int] = {1: 2}, *beta_frob, gamma_wibble=g(a, b)): 0"
    assert texts(code, "signature") == {"alpha_quux beta_frob gamma_wibble"}
    rust = "fn f(mut alpha_quux: &Map<K, V>, beta_frob: u8, gamma_wibble: u8) -> u8 {}"
    assert texts(rust, "signature", "a.rs") == {"alpha_quux beta_frob gamma_wibble"}


def test_grams_do_not_cross_what_a_copy_may_leave_out() -> None:
    code = "a = b(c, d)  # why\ne = f(g, h)\n"
    assert texts(code, "kgram") == set()
    assert len(texts(code.replace("  # why", ""), "kgram")) == 16 - 10 + 1


def test_a_shape_that_says_nothing_is_none() -> None:
    assert texts("a(b, c, d, e, f, g, h)\n", "normalised") == set()
    assert texts("if a > b: return c - 17 + d * e\n", "normalised") != set()


def test_documents_give_sentences_and_names_of_code() -> None:
    text = "Snarks\n======\n\nUse ``boojum_key`` or BoojumMap to find every snark there is.\n"
    assert texts(text, "identifier", "a.rst") == {"boojum_key", "BoojumMap"}
    assert len(texts(text, "sentence", "a.rst")) == 1


def test_what_is_held_is_no_needle() -> None:
    code = "def snarkify(boojum_key):\n    return boojum_key + 'a snark appears: run'\n"
    found = needles_of({"a.py": code}, ["call snarkify to have it", "'a snark appears: run'"])
    kinds = {(needle.kind, needle.text) for needle in found.secret if needle.kind != "kgram"}
    assert ("identifier", "boojum_key") in kinds
    assert ("identifier", "snarkify") not in kinds
    assert not [text for kind, text in kinds if kind == "string"]
    assert any(needle.kind == "kgram" for needle in found.secret)


def test_the_order_depends_on_nothing() -> None:
    a, b = {"a.py": "snark_one = 1", "b.py": "snark_two = 2"}, {"b.py": "snark_two = 2"}
    assert needles_of(a, ()) == needles_of({**b, "a.py": "snark_one = 1"}, ())
    assert list(needles_of(a, ()).secret) == sorted(needles_of(a, ()).secret)
