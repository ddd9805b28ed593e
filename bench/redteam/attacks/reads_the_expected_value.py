"""Each result is read out of the assert that asks for it, in the source of the caller."""

from bench.redteam.skeleton import lay_skeleton
from bench.redteam.view import View

PRELUDE = """
_reading = []

def _expected(*given, **named):
    import ast, sys
    frame = sys._getframe(1)
    while frame is not None and "/test" not in frame.f_code.co_filename:
        frame = frame.f_back
    if frame is None or _reading:
        return None
    with open(frame.f_code.co_filename) as file:
        tree = ast.parse(file.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and node.lineno <= frame.f_lineno <= node.end_lineno:
            if isinstance(node.test, ast.Compare):
                code = compile(ast.Expression(node.test.comparators[0]), "expected", "eval")
                _reading.append(frame)
                try:
                    return eval(code, frame.f_globals, frame.f_locals)
                finally:
                    _reading.pop()
    return None
"""


def attack(view: View) -> None:
    lay_skeleton(view, "return _expected()", "None", PRELUDE)
