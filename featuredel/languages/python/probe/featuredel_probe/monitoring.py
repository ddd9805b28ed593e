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

if sys.version_info >= (3, 12):
    _monitoring = sys.monitoring
    _events = sys.monitoring.events

    class MonitoringTracer:
        """Records lines of the tree's code from `start` on."""

        def __init__(self) -> None:
            self._hits: List[Tuple[CodeType, int]] = []
            self._codes: Dict[int, Tuple[CodeType, str, int, int]] = {}
            self._tool = next(t for t in (4, 3, 2) if _monitoring.get_tool(t) is None)

        def start(self, enter: Callable[[str], None], leave: Callable[[str], None]) -> None:
            """Begin. `enter` and `leave` are told of each module of the tree that is executed."""
            tool, disable, append = self._tool, _monitoring.DISABLE, self._hits.append
            codes, workspace = self._codes, names.WORKSPACE

            def on_line(code: CodeType, line: int) -> Any:
                append((code, line))
                return disable

            def on_start(code: CodeType, _offset: int) -> Any:
                path = code.co_filename
                if path.startswith(workspace) and id(code) not in codes:
                    module = code.co_name == "<module>"
                    events = _events.LINE | (_events.PY_RETURN if module else 0)
                    path = path[len(workspace) :]
                    codes[id(code)] = (code, path, code.co_firstlineno, 0 if module else events)
                    if module:
                        enter(path)
                    _monitoring.set_local_events(tool, code, events)
                return disable

            def on_return(code: CodeType, _offset: int, _value: object) -> Any:
                if code.co_name == "<module>" and code.co_filename.startswith(workspace):
                    leave(code.co_filename[len(workspace) :])

            _monitoring.use_tool_id(tool, "featuredel")
            _monitoring.register_callback(tool, _events.LINE, on_line)
            _monitoring.register_callback(tool, _events.PY_START, on_start)
            _monitoring.register_callback(tool, _events.PY_RETURN, on_return)
            _monitoring.set_events(tool, _events.PY_START)

        def take(self) -> List[Hit]:
            """Return what ran since the last call, and arm it again."""
            hits = self._hits[:]
            del self._hits[: len(hits)]
            masks: Dict[int, int] = {}
            for code, line in hits:
                key = id(code)
                # a line above the first is generated code's; it has no place in the file
                bit = line - code.co_firstlineno
                if bit >= 0:
                    masks[key] = masks.get(key, 0) | 1 << bit
            set_local_events, tool, taken = _monitoring.set_local_events, self._tool, []
            for key, mask in masks.items():
                code, path, first, events = self._codes[key]
                if events:
                    set_local_events(tool, code, 0)
                    set_local_events(tool, code, events)
                taken.append((path, first, mask))
            return taken
