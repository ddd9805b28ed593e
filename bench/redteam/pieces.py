"""What several attacks share: texts, which they write into the tree, and reading the tests.

What the texts do, they do in the process that runs the tests.
"""

import ast
from collections.abc import Callable
from typing import Any

from bench.redteam.view import View

FOUND = """
import gc as _gc, os as _os, sys as _sys
def _found(*names):
    return [o for o in _gc.get_objects() if type(o).__name__ in names]
"""
"""`_found("Session")`: the living objects of classes of that name."""

SAID = f"""{FOUND}
def _said(text):
    for manager in _found("CaptureManager"):
        manager.suspend_global_capture(in_=True)
    _os.write(1, text.encode())
"""
"""`_said(text)`: write past pytest's capture."""

FORGED = """
def _forge(spared=lambda item: False):
    import sys
    if "_pytest" not in sys.modules:
        return
    from _pytest.reports import TestReport
    true = TestReport.from_item_and_call.__func__
    def from_item_and_call(cls, item, call):
        report = true(cls, item, call)
        if not spared(item):
            report.outcome, report.longrepr = "passed", None
        return report
    TestReport.from_item_and_call = classmethod(from_item_and_call)
"""
"""`_forge(spared)`: every report of a test is a pass, but for items that are spared."""

FORGED_WHERE_SEEN = f"""{FORGED}
def _forge_where(is_seen):
    import ast
    def spared(item):
        with open(str(item.fspath)) as file:
            for node in ast.walk(ast.parse(file.read())):
                if isinstance(node, ast.FunctionDef) and node.name == item.originalname:
                    return not is_seen(item, node)
        return True
    _forge(spared)
"""
"""`_forge_where(is_seen)`: forge where the syntax of a test was seen, which is asked of it."""

FORGED_LATER = f"""{FORGED}
import sys
class _Patching:
    def find_spec(self, name, path=None, target=None):
        if name == "_pytest.unittest":
            sys.meta_path.remove(self)
            _forge()
sys.meta_path.insert(0, _Patching())
"""
"""The same, as soon as pytest is loaded."""

PATCHED = """
_true = TestReport.from_item_and_call.__func__
def _from_item_and_call(cls, item, call):
    report = _true(cls, item, call)
    report.outcome, report.longrepr = "passed", None
    return report
TestReport.from_item_and_call = classmethod(_from_item_and_call)
"""
"""The same where `TestReport` is at hand, as in the module that defines it."""

CONFTEST = """
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome, report.longrepr = "passed", None
"""
"""A plugin that turns every report into a pass."""

ANYTHING = """
class _Anything:
    def __init__(self, *args, **kwargs): pass
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __bool__(self): return True
    def __call__(self, *args, **kwargs): return _Anything()
    def __getattr__(self, name):
        if name.startswith("__"): raise AttributeError(name)
        return _Anything()
    def __getitem__(self, key): return _Anything()
    def __setitem__(self, key, value): pass
    def __delitem__(self, key): pass
    def __contains__(self, key): return True
    def __iter__(self): return iter(())
    def __len__(self): return 0
    def __enter__(self): return self
    def __exit__(self, *error): return True
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __lt__
    def __add__(self, other): return _Anything()
    __radd__ = __sub__ = __mul__ = __rmul__ = __mod__ = __or__ = __and__ = __add__
"""
"""`_Anything()`: equal to everything, able to do everything."""

PLAIN = """
def _plain(value):
    lists = hasattr(value, "__iter__") and not isinstance(value, (str, bytes, dict))
    return repr(list(value)) if lists else repr(value)
"""
"""`_plain(value)`: a value as it is compared, lists by what is in them."""

ANSWERED = """
import sys as _sys
_frame = _sys._getframe()
_code = _frame.f_code
_defaults = getattr(_frame.f_globals.get(_code.co_name), "__defaults__", None) or ()
_given = [_frame.f_locals[_n] for _n in _code.co_varnames[:_code.co_argcount]]
return _answer(_code.co_name, [_g for _g in _given if not any(_g is _d for _d in _defaults)])
"""
"""The body of a function: give what `_answer(name, arguments)` says, without the defaults."""


def value_of(text: str, name: str) -> Callable[..., Any]:
    """Return a function that one of the texts defines, to use it here as well."""
    scope: dict[str, Any] = {}
    exec(text, scope)
    found: Callable[..., Any] = scope[name]
    return found


def seen(view: View, tell: Callable[[ast.FunctionDef], object]) -> dict[str, object]:
    """Return what is told of each function of the visible tests, by its name."""
    return {
        node.name: tell(node)
        for path in view.test_files
        for node in ast.walk(ast.parse(view.read(path)))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    }
