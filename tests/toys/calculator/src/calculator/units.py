"""Quantities and their units."""

import re


class UnitError(ValueError):
    """There is no such unit, or it measures something else."""


# unit -> what it measures, and how much of the base unit it is
_UNITS = {
    "m": ("length", 1.0),
    "km": ("length", 1000.0),
    "cm": ("length", 0.01),
    "s": ("time", 1.0),
    "min": ("time", 60.0),
    "h": ("time", 3600.0),
}


def convert(value, source, target):
    """Convert a value from one unit to another of the same kind."""
    for unit in (source, target):
        if unit not in _UNITS:
            raise UnitError(f"unknown unit {unit!r}")
    kind, factor = _UNITS[source]
    other_kind, other_factor = _UNITS[target]
    if kind != other_kind:
        raise UnitError(f"{source} is a {kind}, {target} is a {other_kind}")
    return value * factor / other_factor


def parse_quantity(text):
    """Read a number with a unit: `2.5 km` gives `(2.5, "km")`."""
    match = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*([a-z]+)\s*", text)
    if match is None:
        raise UnitError(f"no quantity: {text!r}")
    number, unit = match.groups()
    if unit not in _UNITS:
        raise UnitError(f"unknown unit {unit!r}")
    return float(number), unit


def units(kind):
    """Return the units of a kind, the smallest first."""
    found = [(factor, unit) for unit, (of, factor) in _UNITS.items() if of == kind]
    if not found:
        raise UnitError(f"nothing measures {kind!r}")
    return [unit for _, unit in sorted(found)]
