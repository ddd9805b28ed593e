"""Code that several attacks run, in the process that runs the tests."""

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
