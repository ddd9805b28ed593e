import pytest
from helpers import close

from calculator import UnitError, convert, parse_quantity, units


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [(2, "km", "m", 2000), (90, "min", "h", 1.5), (5, "cm", "m", 0.05)],
)
def test_convert(value, source, target, expected):
    assert close(convert(value, source, target), expected)


def test_convert_between_kinds():
    with pytest.raises(UnitError, match="m is a length, s is a time"):
        convert(1, "m", "s")


def test_convert_refuses_unknown_units():
    with pytest.raises(UnitError, match="unknown unit 'mile'"):
        convert(1, "mile", "m")


def test_parse_quantity():
    assert parse_quantity("2.5 km") == (2.5, "km")
    assert parse_quantity(" -3s ") == (-3.0, "s")


@pytest.mark.parametrize("text", ["km", "2.5", "2 miles"])
def test_parse_quantity_refuses_others(text):
    with pytest.raises(UnitError):
        parse_quantity(text)


def test_units():
    assert units("time") == ["s", "min", "h"]


def test_units_of_nothing():
    with pytest.raises(UnitError, match="nothing measures 'taste'"):
        units("taste")
