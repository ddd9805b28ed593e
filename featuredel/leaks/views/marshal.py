"""Compiled Python of every version from 2.7 on: names, parameters, constants.

Read by a reader of our own, which makes nothing of what it reads and cannot be crashed by it, as
the interpreter's own can. Raw bytes show most names as well, but no number, and a name's neighbours
may be letters.
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Damaged, Unseen, View

name = "marshal"
claims = True

DEEPEST = 200
"""Objects in objects; compilers make some dozens."""

LARGEST_BYTES = 256 << 20
LONG = 256
"""Bytes and strings so long are views of their own as well."""

_DOUBLE = struct.Struct("<d")
_FIRST_3_8, _FIRST_3_11 = 3400, 3450
"""Magic numbers between those of the versions, which changed what a code object holds."""


def applies(head: bytes, path: str) -> bool:
    """Return whether it begins like a pyc, or like a code object by itself."""
    return _header_bytes(head) is not None or (head[:1] in (b"\xe3", b"c") and _is_bare(head))


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield constants and names of the module and of all code in it."""
    content = view.content[:LARGEST_BYTES]
    start = _header_bytes(content[:16])
    magic = int.from_bytes(content[:2], "little") if start is not None else 0
    failure = ""
    for layout in _layouts(magic):
        reader = _Reader(content, start or 0, layout, budget)
        try:
            reader.read(0)
        except (Damaged, IndexError, struct.error, ValueError, OverflowError) as error:
            failure = str(error)
            continue
        yield from _told(view, reader)
        return
    if start is not None:
        raise Damaged(f"marshal: {failure}")


def _header_bytes(head: bytes) -> int | None:
    """Return the size of the header of a pyc, or None for anything else."""
    if head[2:4] != b"\r\n" or len(head) < 16:
        return None
    magic = int.from_bytes(head[:2], "little")
    for size, known in ((8, range(60000, 64000)), (8, range(3000, 3190)), (12, range(3190, 3390))):
        if magic in known:
            return size
    return 16 if 3390 <= magic < 5000 else None


def _is_bare(head: bytes) -> bool:
    # small counts of parameters, whose upper bytes are zero
    return len(head) > 24 and head[2:5] == b"\0\0\0" and head[6:9] == b"\0\0\0"


Layout = tuple[str, ...]
_TAIL = ("names", "varnames", "free", "cell", "file", "name")
_PYTHON_2: Layout = ("argcount", "int", "int", "int", "code", "consts", *_TAIL, "int", "lines")
_PYTHON_3: Layout = (
    "argcount", "kwonly", "int", "int", "int", "code", "consts", *_TAIL, "int", "lines",
)  # fmt: skip
_PYTHON_3_8: Layout = (
    "argcount", "posonly", "kwonly", "int", "int", "int", "code", "consts", *_TAIL, "int", "lines",
)  # fmt: skip
_PYTHON_3_11: Layout = (
    "argcount", "posonly", "kwonly", "int", "flags", "code", "consts", "names", "varnames", "kinds",
    "file", "name", "qualname", "int", "lines", "exceptions",
)  # fmt: skip
_INTS = frozenset({"argcount", "posonly", "kwonly", "int", "flags"})


def _layouts(magic: int) -> list[Layout]:
    if not magic:
        return [_PYTHON_3_11, _PYTHON_3_8, _PYTHON_3, _PYTHON_2]
    if magic >= 60000:
        return [_PYTHON_2]
    if magic < _FIRST_3_8:
        return [_PYTHON_3]
    return [_PYTHON_3_8 if magic < _FIRST_3_11 else _PYTHON_3_11]


@dataclass(frozen=True, slots=True)
class _Code:
    header: bytes


class _Reader:
    """Reads one object and keeps what is worth telling."""

    def __init__(self, content: bytes, at: int, layout: Layout, budget: Budget) -> None:
        self.content, self.at, self.layout, self.budget = content, at, layout, budget
        self.refs: list[Any] = []
        self.interned: list[bytes] = []
        self.names: dict[bytes, None] = {}
        self.headers: list[bytes] = []
        self.constants: dict[bytes, None] = {}
        self.long: list[bytes] = []

    def read(self, depth: int) -> Any:
        code = self.content[self.at]
        self.at += 1
        kind = code & 0x7F
        slot = -1
        if code & 0x80:
            slot = len(self.refs)
            self.refs.append(None)
        read = _READERS.get(kind)
        if read is None:
            raise Damaged(f"an object of kind {chr(kind)!r}")
        if depth > DEEPEST:
            raise Damaged("objects in objects without end")
        value = read(self, depth + 1)
        if slot >= 0:
            self.refs[slot] = value
        return value

    def take(self, size: int) -> bytes:
        start = self.at
        self.at = end = start + size
        if size < 0 or end > len(self.content):
            raise Damaged("ends in the middle")
        return self.content[start:end]

    def int32(self) -> int:
        return int.from_bytes(self.take(4), "little", signed=True)

    def short(self, _: int) -> bytes:
        size = self.content[self.at]
        self.at += 1
        return self.take(size)

    def sized(self, _: int) -> bytes:
        return self.take(self.int32())

    def interned2(self, depth: int) -> bytes:
        value = self.sized(depth)
        self.interned.append(value)
        return value

    def many(self, count: int, depth: int) -> tuple[Any, ...]:
        if not 0 <= count <= len(self.content) - self.at:
            raise Damaged("more items than bytes")
        return tuple([self.read(depth) for _ in range(count)])

    def dictionary(self, depth: int) -> tuple[Any, ...]:
        items = []
        while self.content[self.at] != ord("0"):
            items += [self.read(depth), self.read(depth)]
        self.at += 1
        return tuple(items)

    def long_int(self, _: int) -> int:
        count = self.int32()
        digits = self.take(2 * abs(count))
        value = 0
        for at in range(len(digits) - 2, -1, -2):
            value = value << 15 | digits[at] | digits[at + 1] << 8
        return value if count >= 0 else -value

    def text_float(self, depth: int) -> float:
        return float(self.short(depth))

    def code(self, depth: int) -> _Code:
        self.budget.view()
        self.budget.tick()
        fields: dict[str, Any] = {}
        for field in self.layout:
            fields[field] = self.int32() if field in _INTS else self.read(depth)
        header = self._keep(fields)
        return _Code(header)

    def _keep(self, fields: dict[str, Any]) -> bytes:
        variables = _texts(fields["varnames"])
        for part in ("names", "free", "cell"):
            self.names.update(dict.fromkeys(_texts(fields.get(part))))
        self.names.update(dict.fromkeys(variables))
        for part in ("file", "name", "qualname"):
            self.names.update(dict.fromkeys(_texts((fields.get(part),))))
        count = fields["argcount"] + fields.get("kwonly", 0)
        label = _texts((fields.get("qualname", fields["name"]),))
        header = b"%s(%s)" % (b"".join(label), b", ".join(variables[: max(count, 0)]))
        self.headers.append(header)
        self._keep_constants(fields["consts"])
        return header

    def _keep_constants(self, values: Any) -> None:
        todo = [values]
        while todo:
            value = todo.pop()
            if isinstance(value, tuple):
                todo += reversed(value)
            elif isinstance(value, bytes):
                self.constants[value] = None
                if len(value) >= LONG:
                    self.long.append(value)
            elif isinstance(value, (int, float, complex)):
                self.constants[repr(value).encode()] = None


def _texts(values: Any) -> list[bytes]:
    if not isinstance(values, tuple):
        return []
    return [value for value in values if isinstance(value, bytes)]


_READERS: dict[int, Callable[[_Reader, int], Any]] = {
    ord("z"): _Reader.short,
    ord("Z"): _Reader.short,
    ord("r"): lambda r, _: r.refs[r.int32()],
    ord("c"): _Reader.code,
    ord("s"): _Reader.sized,
    ord(")"): lambda r, depth: r.many(r.take(1)[0], depth),
    ord("("): lambda r, depth: r.many(r.int32(), depth),
    ord("["): lambda r, depth: r.many(r.int32(), depth),
    ord("<"): lambda r, depth: r.many(r.int32(), depth),
    ord(">"): lambda r, depth: r.many(r.int32(), depth),
    ord(":"): lambda r, depth: r.many(3, depth),
    ord("{"): _Reader.dictionary,
    ord("a"): _Reader.sized,
    ord("A"): _Reader.sized,
    ord("u"): _Reader.sized,
    ord("t"): _Reader.interned2,
    ord("R"): lambda r, _: r.interned[r.int32()],
    ord("i"): lambda r, _: r.int32(),
    ord("I"): lambda r, _: int.from_bytes(r.take(8), "little", signed=True),
    ord("l"): _Reader.long_int,
    ord("g"): lambda r, _: _DOUBLE.unpack(r.take(8))[0],
    ord("f"): _Reader.text_float,
    ord("y"): lambda r, _: complex(*(_DOUBLE.unpack(r.take(8))[0] for _ in "ri")),
    ord("x"): lambda r, depth: complex(r.text_float(depth), r.text_float(depth)),
    **dict.fromkeys(b"N.STF0", lambda _r, _d: None),
}


def _told(view: View, reader: _Reader) -> Iterator[View]:
    names = b"\n".join([*reader.headers, *reader.names])
    if names:
        yield view.part(name, "names", names, deeper=False)
    if reader.constants:
        yield view.part(name, "consts", b"\n".join(reader.constants), deeper=False)
    for number, value in enumerate(reader.long):
        yield view.part(name, f"const {number}", value)
    rest = reader.content[reader.at :]
    if rest.strip(b"\0"):
        yield view.part(name, "after the end", rest)
