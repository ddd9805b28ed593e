"""Classes of the JVM: constants (numbers too), names, the types in descriptors, and immediates."""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Damaged, Unseen, View

name = "java class"
claims = True

LARGEST_BYTES = 64 << 20

_MAGIC = b"\xca\xfe\xba\xbe"
_UTF8, _INTEGER, _FLOAT, _LONG, _DOUBLE = 1, 3, 4, 5, 6
_SIZES = {7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
_NUMBERS = {_INTEGER: ">i", _FLOAT: ">f", _LONG: ">q", _DOUBLE: ">d"}
_PARTS = re.compile(rb"[\w$\x80-\xff]+")
_TYPE = re.compile(rb"L([\w$/\x80-\xff]+)")

_OPERANDS = bytes(
    1 if c in (16, 18, *range(21, 26), *range(54, 59), 169, 188)
    else 2 if c in (17, 19, 20, 132, *range(153, 169), *range(178, 185))
    else 2 if c in (187, 189, 192, 193, 198, 199)
    else 3 if c == 197
    else 4 if c in (185, 186, 200, 201)
    else 0
    for c in range(256)
)  # fmt: skip
"""Bytes after each opcode, but for the three of which it depends."""

_SIPUSH, _TABLESWITCH, _LOOKUPSWITCH, _WIDE, _IINC = 17, 170, 171, 196, 132


def applies(head: bytes, path: str) -> bool:
    """Return whether it begins like a class; the same magic begins binaries of macOS."""
    return head.startswith(_MAGIC) and len(head) > 10 and head[6:8] >= b"\0\x2d"


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield the constants, a line each."""
    if len(view.content) > LARGEST_BYTES:
        raise Damaged("larger than any class")
    budget.tick()
    parsed = _Class(view.content[:])
    try:
        parsed.read_pool()
    except (IndexError, struct.error) as error:
        raise Damaged(f"java class: {error}") from error
    try:
        parsed.read_code()
    except (IndexError, struct.error, KeyError):
        parsed.numbers.clear()  # the constants have been read all the same
    lines = [*parsed.told, *dict.fromkeys(parsed.numbers)]
    yield view.part(name, "constants", b"\n".join(lines), deeper=False)


@dataclass(slots=True)
class _Class:
    content: bytes
    at: int = 8
    told: list[bytes] = field(default_factory=list)
    numbers: list[bytes] = field(default_factory=list)
    texts: dict[int, bytes] = field(default_factory=dict)

    def u2(self) -> int:
        self.at += 2
        return int.from_bytes(self.content[self.at - 2 : self.at], "big")

    def u4(self) -> int:
        self.at += 4
        return int.from_bytes(self.content[self.at - 4 : self.at], "big")

    def read_pool(self) -> None:
        count, index = self.u2(), 1
        while index < count:
            tag = self.content[self.at]
            self.at += 1
            if tag == _UTF8:
                size = self.u2()
                text = self.content[self.at : self.at + size].replace(b"\xc0\x80", b"\0")
                self.at += size
                self.texts[index] = text
                self._tell(text)
            elif tag in _NUMBERS:
                layout = struct.Struct(_NUMBERS[tag])
                (value,) = layout.unpack_from(self.content, self.at)
                self.at += layout.size
                self.told += _spelled(value, tag == _FLOAT)
            elif tag in _SIZES:
                self.at += _SIZES[tag]
            else:
                raise Damaged(f"java class: a constant of kind {tag}")
            index += 2 if tag in (_LONG, _DOUBLE) else 1

    def _tell(self, text: bytes) -> None:
        self.told.append(text)
        if b";" in text or b"/" in text:  # a descriptor: `(ILjava/util/Map;)V`
            for types in _TYPE.findall(text):
                self.told += _PARTS.findall(types)

    def read_code(self) -> None:
        self.at += 6
        interfaces = self.u2()
        self.at += 2 * interfaces
        for _ in "fields", "methods":
            for _ in range(self.u2()):
                self.at += 6
                self._attributes()

    def _attributes(self) -> None:
        for _ in range(self.u2()):
            label, size = self.texts.get(self.u2()), self.u4()
            if label == b"Code":
                start = self.at + 8
                length = int.from_bytes(self.content[start - 4 : start], "big")
                self._instructions(self.content[start : start + length])
            self.at += size

    def _instructions(self, code: bytes) -> None:
        at = 0
        while at < len(code):
            opcode = code[at]
            if opcode == _SIPUSH:
                value = int.from_bytes(code[at + 1 : at + 3], "big", signed=True)
                self.numbers.append(b"%d" % value)
            if opcode in (_TABLESWITCH, _LOOKUPSWITCH):
                at += 4 - at % 4
                low, high = struct.unpack_from(">ii", code + b"\0" * 8, at + 4)
                entries = high - low + 1 if opcode == _TABLESWITCH else 2 * low
                at += (12 if opcode == _TABLESWITCH else 8) + 4 * max(entries, 0)
            elif opcode == _WIDE:
                at += 6 if code[at + 1] == _IINC else 4
            else:
                at += 1 + _OPERANDS[opcode]


def _spelled(value: float, single: bool) -> Iterator[bytes]:
    yield repr(value).encode()
    if single:  # 2.7182 is kept as the nearest float, which reads 2.7181999683380127
        yield b"%.7g" % value
