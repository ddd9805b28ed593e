"""What two readers of a row must agree on; also imported where featuredel is not installed."""

import hashlib
import json
from typing import Any


def digest(row: dict[str, Any]) -> str:
    """Return the sha256 of a row of plain values, by the names of its columns."""
    text = json.dumps(row, sort_keys=True, default=lambda data: bytes(data).hex())
    return hashlib.sha256(text.encode()).hexdigest()
