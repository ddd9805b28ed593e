"""Which lines run, on CPython >= 3.12: `sys.monitoring`, only for code of the tree.

A line reports once and then is silent until it is armed again, so a loop costs nothing. Arming
touches only the code objects that ran: `restart_events` would make the interpreter instrument
every function of every library anew for every test.
"""

import sys
from types import CodeType
from typing import Any, Callable, Dict, List, Tuple

from . import names

Hit = Tuple[str, int, int]
"""A path relative to the tree, a first line, and a mask: bit i is line `first + i`."""

MAX_MASKS = 200_000

if sys.version_info >= (3, 12):
    _monitoring = sys.monitoring
    _events = sys.monitoring.events

    class MonitoringTracer:
        """Records lines of the tree's code from `start` on."""

        def __init__(self) -> None:
            # code, line, code, line ...: a tuple for each would cost more than all the rest
            self._hits: List[Any] = []
            self._masks: Dict[Tuple[int, Tuple[int, ...]], int] = {}
            self._codes: Dict[int, Tuple[CodeType, str, int, int]] = {}
            # one tool finds code, the other watches it: what one disables the other keeps
            free = [tool for tool in (4, 3, 2, 5, 1, 0) if _monitoring.get_tool(tool) is None]
            self._finder, self._tool = free[:2]

        def start(self, enter: Callable[[str], None], leave: Callable[[str], None]) -> None:
            """Begin. `enter` and `leave` are told of each module of the tree that is executed."""
            tool, disable, append = self._tool, _monitoring.DISABLE, self._hits.append
            codes, workspace = self._codes, names.WORKSPACE

            def on_line(code: CodeType, line: int) -> Any:
                append(code)
                append(line)
                return disable

            def on_new_code(code: CodeType, _offset: int) -> Any:
                path = code.co_filename
                if path.startswith(workspace) and id(code) not in codes:
                    path = path[len(workspace) :]
                    module = code.co_name == "<module>"
                    events = _events_of(code)
                    codes[id(code)] = (code, path, code.co_firstlineno, 0 if module else events)
                    if module:
                        enter(path)
                    _monitoring.set_local_events(tool, code, events)
                    if events & _events.PY_START:
                        on_line(code, code.co_firstlineno)
                return disable

            def on_start(code: CodeType, _offset: int) -> Any:
                return on_line(code, code.co_firstlineno)

            def on_return(code: CodeType, _offset: int, _value: object) -> Any:
                if code.co_name == "<module>" and code.co_filename.startswith(workspace):
                    leave(code.co_filename[len(workspace) :])

            _monitoring.use_tool_id(tool, "featuredel")
            _monitoring.register_callback(tool, _events.LINE, on_line)
            _monitoring.register_callback(tool, _events.PY_START, on_start)
            _monitoring.register_callback(tool, _events.PY_RETURN, on_return)
            _monitoring.use_tool_id(self._finder, "featuredel, new code")
            _monitoring.register_callback(self._finder, _events.PY_START, on_new_code)
            _monitoring.set_events(self._finder, _events.PY_START)

        def take(self) -> List[Hit]:
            """Return what ran since the last call, and arm it again."""
            hits = self._hits[:]
            del self._hits[: len(hits)]
            set_local_events, tool, taken = _monitoring.set_local_events, self._tool, []
            for key, lines in self._by_code(hits).items():
                code, path, first, events = self._codes[key]
                if events:
                    set_local_events(tool, code, 0)
                    set_local_events(tool, code, events)
                taken.append((path, first, self._mask(key, first, tuple(lines))))
            return taken

        def _by_code(self, hits: List[Any]) -> Dict[int, List[int]]:
            found: Dict[int, List[int]] = {}
            pairs = iter(hits)
            for code, line in zip(pairs, pairs):
                key = id(code)
                if key in found:
                    found[key].append(line)
                else:
                    found[key] = [line]
            if not all(key in self._codes for key in found):
                # a thread came between the halves of a pair
                return self._by_code([part for pair in _whole_pairs(hits) for part in pair])
            return found

        def _mask(self, key: int, first: int, lines: Tuple[int, ...]) -> int:
            mask = self._masks.get((key, lines))
            if mask is None:
                mask = 0
                for line in lines:
                    if line >= first:  # else it is generated code's, with no place in the file
                        mask |= 1 << (line - first)
                if len(self._masks) > MAX_MASKS:
                    self._masks.clear()
                self._masks[key, lines] = mask
            return mask

    def _events_of(code: CodeType) -> int:
        events: int = _events.LINE
        if code.co_name == "<module>":
            return events | _events.PY_RETURN
        # CPython 3.13 has no event for what stands on a function's first line, be it all there
        # is or nothing but a docstring. The instructions before the body have no width.
        body = {line for line, _, _, end in code.co_positions() if end}
        if not body or code.co_firstlineno in body:
            return events | _events.PY_START
        return events


def _whole_pairs(hits: List[Any]) -> List[Tuple[CodeType, int]]:
    return [
        (code, line)
        for code, line in zip(hits, hits[1:])
        if isinstance(code, CodeType) and isinstance(line, int)
    ]
