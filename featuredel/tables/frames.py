"""Bytes that are kept in a column, compressed."""

import pyarrow as pa


def compress(data: bytes) -> bytes:
    """Return `data` as one zstd frame."""
    return bytes(pa.Codec("zstd", compression_level=10).compress(data, asbytes=True))


def decompress(data: bytes, size: int) -> bytes:
    """Return the `size` bytes that `compress` was given. Raises `OSError` if it was not."""
    return bytes(pa.Codec("zstd").decompress(data, size, asbytes=True))
