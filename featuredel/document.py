"""Values of a YAML file that know where they stand: every error names file, line and key."""

import datetime
import difflib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import yaml

from featuredel.errors import UsageError

_TAG = "tag:yaml.org,2002:"
_NAMES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
    "seq": "a list",
    "map": "a mapping",
    "timestamp": "a date",
}


@dataclass(frozen=True, slots=True)
class Range:
    """The bounds of a number, both inclusive. To be put into an `Annotated` type."""

    least: float
    most: float = float("inf")


@dataclass(frozen=True, slots=True)
class Value:
    """A value, the key under which it stands ("" is the whole file), and its file."""

    file: Path
    key: str
    node: yaml.Node

    def error(self, message: str) -> UsageError:
        """Return the error that says `message` of this value."""
        return UsageError(f"{self.place}: {message}")

    @property
    def place(self) -> str:
        """File, line and key: `repos.yaml:12: repositories[0].source`."""
        line = self.node.start_mark.line + 1
        return f"{self.file}:{line}: {self.key}" if self.key else f"{self.file}:{line}"

    def mapping(self, known: Collection[str]) -> dict[str, "Value"]:
        """Return the mapping's values; unknown and repeated keys are errors."""
        if not isinstance(self.node, yaml.MappingNode):
            raise self._expected("a mapping")
        values: dict[str, Value] = {}
        for key_node, node in self.node.value:
            name = key_node.value if isinstance(key_node, yaml.ScalarNode) else "?"
            key = f"{self.key}.{name}" if self.key else name
            if name not in known:
                raise Value(self.file, key, key_node).error(_unknown(name, known))
            if name in values:
                first = values[name].node.start_mark.line + 1
                raise Value(self.file, key, key_node).error(f"given twice, first in line {first}")
            values[name] = Value(self.file, key, node)
        return values

    def items(self) -> list["Value"]:
        """Return the elements of the list."""
        if not isinstance(self.node, yaml.SequenceNode):
            raise self._expected("a list")
        return [
            Value(self.file, f"{self.key}[{i}]", node) for i, node in enumerate(self.node.value)
        ]

    def is_mapping(self) -> bool:
        """Tell whether this is a mapping."""
        return isinstance(self.node, yaml.MappingNode)

    def text(self) -> str:
        """Return the text as it is written: `3.10` stays "3.10"."""
        if self._kind() not in ("str", "int", "float", "timestamp"):
            raise self._expected("text")
        if not self.node.value:
            raise self.error("is empty")
        return str(self.node.value)

    def texts(self) -> tuple[str, ...]:
        """Return a list of texts; one text alone is a list of one."""
        if isinstance(self.node, yaml.ScalarNode) and self._kind() == "str":
            return (self.text(),)
        return tuple(item.text() for item in self.items())

    def convert(self, hint: Any) -> Any:
        """Return the value as the type that `hint` names, or raise the error that says why not.

        Knows str, int, float, bool, date, None, Literal, Union, tuple[X, ...] and Annotated
        with a `Range`.
        """
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self._in_range(self.convert(arguments[0]), arguments[1])
        if origin is tuple:
            items = tuple(item.convert(arguments[0]) for item in self.items())
            if get_origin(arguments[0]) is Literal and (not items or len(items) > len(set(items))):
                raise self.error("must name at least one, and none twice")
            return items
        if origin is Literal:
            if self.node.value not in arguments:
                raise self.error(_unknown(str(self.node.value), arguments, "value"))
            return self.node.value
        if origin is Union or type(hint).__name__ == "UnionType":
            if self._kind() == "null" and type(None) in arguments:
                return None
            return self.convert(next(a for a in arguments if a is not type(None)))
        return self.text() if hint is str else self._scalar(hint)

    def _scalar(self, hint: type) -> Any:
        wanted = {bool: "bool", int: "int", float: "float", datetime.date: "timestamp"}[hint]
        kind = self._kind()
        if kind != wanted and (wanted, kind) != ("float", "int"):
            raise self._expected(_NAMES[wanted])
        try:
            value = yaml.SafeLoader("").construct_object(self.node, deep=True)
        except (yaml.YAMLError, ValueError) as error:
            raise self.error(f"not {_NAMES[wanted]}: {self.node.value!r}") from error
        if isinstance(value, datetime.datetime):
            return value.date()
        return float(value) if hint is float else value

    def _in_range(self, value: Any, bounds: Range) -> Any:
        if not bounds.least <= value <= bounds.most:
            told = value > bounds.most or bounds.most <= _TELLING
            upper = f" and at most {bounds.most:g}" if told else ""
            raise self.error(f"must be at least {bounds.least:g}{upper}, found {value:g}")
        return value

    def _kind(self) -> str:
        return str(self.node.tag).removeprefix(_TAG)

    def _expected(self, what: str) -> UsageError:
        found = _NAMES.get(self._kind(), f"the tag {self.node.tag}")
        shown = f" {self.node.value!r}" if isinstance(self.node, yaml.ScalarNode) else ""
        return self.error(f"expected {what}, found {found}{shown if found != 'nothing' else ''}")


_TELLING = 1e6  # a larger bound is there to keep nonsense out


def read_document(file: Path) -> Value:
    """Return the one value that a YAML file holds; raises `UsageError` if there is none."""
    try:
        node = yaml.compose(file.read_text(encoding="utf-8-sig"), yaml.SafeLoader)
    except FileNotFoundError:
        raise UsageError(f"{file}: no such file") from None
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: not UTF-8 at byte {error.start}") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}" if mark else ""
        raise UsageError(f"{file}{line}: not valid YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{file}: not valid YAML: {' '.join(str(error).split())}") from error
    except RecursionError:
        raise UsageError(f"{file}: nested too deeply") from None
    if node is None:
        raise UsageError(f"{file}: is empty; it needs a list of 'repositories'")
    return Value(file, "", node)


def _unknown(name: str, known: Collection[str], what: str = "key") -> str:
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"unknown {what}; did you mean {close[0]!r}?"
    return f"unknown {what} {name!r}; one of: {', '.join(sorted(known))}"
