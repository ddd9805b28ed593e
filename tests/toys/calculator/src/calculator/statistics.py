"""Numbers that sum up other numbers."""

from dataclasses import dataclass


def mean(values):
    """Return the arithmetic mean."""
    values = list(values)
    if not values:
        raise ValueError("mean of nothing")
    return sum(values) / len(values)


def quantile(values, share):
    """Return the value below which `share` of the values lie, interpolated."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("quantile of nothing")
    if not 0 <= share <= 1:
        raise ValueError("a share lies between 0 and 1")
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def median(values):
    """Return the middle value."""
    return quantile(values, 0.5)


def spread(values):
    """Return the mean distance from the mean."""
    values = list(values)
    centre = mean(values)
    return mean(abs(value - centre) for value in values)


@dataclass
class Summary:
    """The usual numbers of a sample."""

    count: int
    least: float
    most: float
    middle: float

    @classmethod
    def of(cls, values):
        """Sum up a sample."""
        values = list(values)
        if not values:
            raise ValueError("summary of nothing")
        return cls(len(values), min(values), max(values), median(values))

    def __str__(self):
        return f"{self.count} values from {self.least:g} to {self.most:g}, middle {self.middle:g}"
