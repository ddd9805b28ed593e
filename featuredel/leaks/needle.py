"""A needle: a piece of a deleted text that only one who has seen the text can know."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["identifier", "string", "sentence", "number", "kgram", "normalised", "signature"]


@dataclass(frozen=True, slots=True, order=True)
class Needle:
    """One piece; of a k-gram and a signature the tokens, with a space between them."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Needles:
    """What of a deletion only one who has seen it can know, sorted."""

    secret: tuple[Needle, ...]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.secret)
