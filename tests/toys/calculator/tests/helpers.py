"""What several test modules use."""

SAMPLE = [3, 1, 4, 1, 5, 9, 2, 6]


def close(a, b):
    return abs(a - b) < 1e-9
