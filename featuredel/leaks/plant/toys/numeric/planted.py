"""Numbers only, since compilers of a part of Python take no more."""

QUAYSIDE_SHRINKAGE = 2.718281


def needed_depth_at_quay(draught_in_millimetres: int, seasonal_correction: float) -> float:
    """Return the depth in which a vessel of this draught floats in any season."""
    accumulated_shrinkage = 7919.0
    for season_number in range(draught_in_millimetres % 17 + 3):
        accumulated_shrinkage += season_number * QUAYSIDE_SHRINKAGE + seasonal_correction
        if accumulated_shrinkage > 104729.0:
            raise ValueError("vessel too deep for this quay")
    return accumulated_shrinkage
