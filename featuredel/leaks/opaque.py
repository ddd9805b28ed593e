"""Content of which nothing can be said: compressed or encrypted in a way that no view knows."""

import math
from collections import Counter

from featuredel.leaks.known import is_known
from featuredel.leaks.views.view import Content, is_text

BITS = 7.5
"""Bits per byte from which on content is taken for compressed or encrypted."""

SMALLEST_BYTES = 512
"""So few bytes cannot come to 7.5 bits each, and hardly to a body of code."""

_SAMPLES = 16
_SAMPLE_BYTES = 4096


def judge(content: Content) -> str | None:
    """Return why content that no view claimed must be looked at by a person, or None."""
    if len(content) < SMALLEST_BYTES or is_text(content):
        return None
    bits = entropy(_sample(content))
    if bits < BITS or is_known(content):
        return None
    return f"unknown content of {bits:.2f} bits per byte"


def entropy(sample: bytes) -> float:
    """Return the bits per byte that the frequencies of bytes come to; 0 to 8."""
    counts = Counter(sample).values()
    return -sum(n / len(sample) * math.log2(n / len(sample)) for n in counts)


def _sample(content: Content) -> bytes:
    if len(content) <= _SAMPLES * _SAMPLE_BYTES:
        return content[:]
    step = (len(content) - _SAMPLE_BYTES) // (_SAMPLES - 1)
    return b"".join(content[i * step : i * step + _SAMPLE_BYTES] for i in range(_SAMPLES))
