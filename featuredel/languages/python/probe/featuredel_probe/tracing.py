"""Which lines run, below CPython 3.12: coverage's tracer in C where it is, else `sys.settrace`."""

import importlib._bootstrap_external as _external
import sys
import threading
from types import CodeType, FrameType
from typing import Any, Callable, Dict, List, Optional, Set

from . import names
from .monitoring import Hit

_WRAPPER = """
def exec_module(self, module):
    path = enter(module)
    try:
        return original(self, module)
    finally:
        leave(path)
"""


class SettraceTracer:
    """Records lines of the tree's code from `start` on."""

    def __init__(self) -> None:
        self._lines: Dict[str, Optional[Set[int]]] = {}

    def start(self, enter: Callable[[str], None], leave: Callable[[str], None]) -> None:
        """Begin. `enter` and `leave` are told of each module of the tree that is imported."""
        watch_imports(enter, leave)
        self._install()

    def take(self) -> List[Hit]:
        """Return what ran since the last call."""
        taken = []
        for path, lines in list(self._lines.items()):
            if lines and path.startswith(names.WORKSPACE):
                mask = 0
                for line in list(lines):
                    mask |= 1 << line
                taken.append((path[len(names.WORKSPACE) :], 0, mask))
            if lines is not None:
                lines.clear()
        return taken

    def _install(self) -> None:
        lines, workspace = self._lines, names.WORKSPACE

        def on_call(frame: FrameType, _event: str, _arg: object) -> Any:
            path = frame.f_code.co_filename
            if not path.startswith(workspace):
                return None
            add = lines.setdefault(path, set()).add  # type: ignore[union-attr]

            def on_line(frame: FrameType, event: str, _arg: object) -> Any:
                if event == "line":
                    add(frame.f_lineno)
                return on_line

            return on_line

        sys.settrace(on_call)
        threading.settrace(on_call)


class CoverageTracer(SettraceTracer):
    """The same with coverage's tracer in C, which is many times as fast."""

    def __init__(self) -> None:
        super().__init__()
        from coverage.tracer import CFileDisposition, CTracer

        self._tracer = CTracer
        self._disposition = CFileDisposition

    def _install(self) -> None:
        self._trace_this_thread()
        threading.settrace(self._trace_new_thread)

    def _trace_new_thread(self, frame: FrameType, event: str, arg: object) -> Any:
        sys.settrace(None)
        return self._trace_this_thread()(frame, event, arg)

    def _trace_this_thread(self) -> Any:
        tracer: Any = self._tracer()
        tracer.data = self._lines
        tracer.trace_arcs = False
        tracer.should_trace = self._should_trace
        tracer.should_trace_cache = {}
        tracer.warn = lambda *args, **options: None
        tracer.concur_id_func = None
        tracer.check_include = None
        for name in ("should_start_context", "switch_context", "lock_data", "unlock_data"):
            if hasattr(tracer, name):
                setattr(tracer, name, (lambda: None) if "data" in name else None)
        return tracer.start()

    def _should_trace(self, path: str, _frame: object) -> Any:
        found: Any = self._disposition()  # the tracer reads it as a struct of its own
        found.original_filename = found.canonical_filename = found.source_filename = path
        found.trace = path.startswith(names.WORKSPACE)
        found.reason = ""
        found.file_tracer = None
        found.has_dynamic_filename = False
        return found


def watch_imports(enter: Callable[[str], None], leave: Callable[[str], None]) -> None:
    """Tell `enter` and `leave` of each module of the tree that importlib executes.

    The wrapper's frames carry importlib's file name, so that warnings skip them.
    """
    basics: Any = _external._LoaderBasics  # type: ignore[attr-defined]

    def enter_module(module: Any) -> str:
        path = str(getattr(module, "__file__", None) or "")
        if not path.startswith(names.WORKSPACE):
            return ""
        path = path[len(names.WORKSPACE) :]
        enter(path)
        return path

    def leave_module(path: str) -> None:
        if path:
            leave(path)

    scope = {"original": basics.exec_module, "enter": enter_module, "leave": leave_module}
    code: CodeType = compile(_WRAPPER, "<frozen importlib._bootstrap_external>", "exec")
    exec(code, scope)  # noqa: S102 -- a constant of ours
    basics.exec_module = scope["exec_module"]
