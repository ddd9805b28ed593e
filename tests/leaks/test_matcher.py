"""What counts as seen, and what only looks like it."""

import pytest

from featuredel.leaks.matcher import Matcher
from featuredel.leaks.needles import Kind, Needle, Needles, needles_of

CODE = '''
def zorptastic_merge(alpha_quux: Dict[str, int], beta_frob, *, gamma_wibble=2.7182):
    """Merge the quux with the frob until nothing wibbles."""
    local_snark = 7919
    for boojum_key in sorted(alpha_quux):
        local_snark += alpha_quux[boojum_key] * beta_frob[0] if boojum_key else -1
    return local_snark, "grumbledook-%s" % gamma_wibble
'''


def kinds(content: bytes, needles: Needles | None = None) -> set[str]:
    matcher = Matcher(needles or needles_of({"a.py": CODE}, ()))
    return {needle.kind for needle in matcher.find(content)}


def seen(kind: Kind, text: str, content: bytes) -> bool:
    return bool(list(Matcher(Needles((Needle(kind, text),))).find(content)))


def test_the_text_itself_shows_every_needle() -> None:
    needles = needles_of({"a.py": CODE}, ())
    assert set(Matcher(needles).find(CODE.encode())) == set(needles.secret) - signature(needles)


def signature(needles: Needles) -> set[Needle]:
    """Annotations stand between the parameters of source; k-grams see that."""
    return {needle for needle in needles.secret if needle.kind == "signature"}


@pytest.mark.parametrize(
    "content",
    [
        CODE.replace("    ", "\t").encode(),
        CODE.replace(" ", "  ").encode(),
        " ".join(CODE.split()).encode(),
    ],
)
def test_white_space_does_not_hide(content: bytes) -> None:
    assert {"kgram", "identifier", "sentence", "normalised"} <= kinds(content)


def test_a_renamed_copy_is_seen_by_its_shape() -> None:
    names = ("zorptastic_merge", "alpha_quux", "beta_frob", "gamma_wibble", "local_snark")
    renamed = CODE.replace("grumbledook", "other").replace("boojum_key", "k")
    for number, name in enumerate(names):
        renamed = renamed.replace(name, f"v{number}")
    code = "\n".join(line for line in renamed.splitlines() if '"""' not in line)
    found = list(Matcher(needles_of({"a.py": CODE}, ())).find(code.encode()))
    assert len([needle for needle in found if needle.kind == "normalised"]) > 5
    assert not [needle for needle in found if needle.text in (*names, "boojum_key")]


def test_parameters_in_their_order_are_seen_without_code() -> None:
    cache = b'{"arg_names": ["alpha_quux", "beta_frob", "gamma_wibble"]}'
    assert "signature" in kinds(cache)
    assert "signature" not in kinds(b'["beta_frob", "alpha_quux", "gamma_wibble"]')


@pytest.mark.parametrize(
    ("kind", "text", "content", "is_seen"),
    [
        ("identifier", "parse_date", b"x = parse_date(y)", True),
        ("identifier", "parse_date", b"x = parse_datetime(y)", False),
        ("identifier", "parse_date", b"x = reparse_date(y)", False),
        ("identifier", "parse_date", b"\0\x0aparse_dateZ\0", True),  # marshal: the next type
        ("identifier", "merged", b"\0\x0aunmerged\0", False),
        ("string", "%a: not a date", b"'xx%a: not a date'", True),
        ("string", "not a date", b"'cannot a date'", False),
        ("number", "7919", b"[7919, 2]", True),
        ("number", "7919", b"17919", False),
        ("number", "7919", b"0.7919", False),
        ("number", "7919", b"until 7919.", True),
        ("number", "7919", b"7919.5", False),
        ("kgram", "a = b", b"a=b", True),
        ("sentence", "It goes on.", b"It\n    goes   on.", True),
    ],
)
def test_a_needle_stands_alone(kind: Kind, text: str, content: bytes, is_seen: bool) -> None:
    assert seen(kind, text, content) is is_seen


def test_what_occurs_by_chance_counts_in_company_only() -> None:
    weak = [Needle("number", n) for n in ("71993", "28282", "91111")]
    needles = Needles((Needle("identifier", "zorptastic"), *weak))
    assert kinds(b"71993 28282", needles) == set()
    assert kinds(b"71993 28282 91111", needles) == {"number"}
    assert kinds(b"71993 zorptastic", needles) == {"number", "identifier"}
    assert kinds(b"71993", Needles((weak[0],))) == {"number"}


def test_no_needles_find_nothing() -> None:
    assert kinds(b"anything", Needles((Needle("identifier", "zorptastic"),))) == set()
    assert list(Matcher(Needles(())).find(b"anything")) == []
