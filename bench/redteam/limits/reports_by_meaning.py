"""Reports are forged of tests that are those seen before, once what is constant is worked out."""

from bench.redteam.pieces import FORGED_WHERE_SEEN, seen, value_of
from bench.redteam.view import View

FOLDED = '''
import ast as _ast

class _Folded(_ast.NodeTransformer):
    """Works out what is said in other words, and takes out what asserts nothing."""

    def visit_Subscript(self, node):
        self.generic_visit(node)
        try:
            place = _ast.literal_eval(node.slice)
        except ValueError:
            return node
        if isinstance(node.value, _ast.Tuple) and isinstance(place, int):
            return node.value.elts[place]
        if isinstance(node.value, _ast.Dict):
            for key, value in zip(node.value.keys, node.value.values):
                if isinstance(key, _ast.Constant) and key.value == place:
                    return value
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        said = _ast.unparse(node)
        if said.startswith("bool(") and said.endswith(") is not False"):
            return node.left.args[0]
        return node

    def visit_Assert(self, node):
        self.generic_visit(node)
        found = [n for n in _ast.walk(node.test) if isinstance(n, (_ast.Name, _ast.Attribute))]
        if all(getattr(n, "id", "") == "len" for n in found):
            if eval(compile(_ast.fix_missing_locations(_ast.Expression(node.test)), "", "eval")):
                return None
        return node

    def visit_Try(self, node):
        self.generic_visit(node)
        return node.body if not node.handlers and not node.finalbody else node

    def visit_Assign(self, node):
        self.generic_visit(node)
        same = _ast.unparse(node.targets[0]) == _ast.unparse(node.value)
        return None if same else node

def _meaning(node):
    return _ast.unparse(_ast.fix_missing_locations(_Folded().visit(node)))
'''
CODE = """
_forge_where(lambda item, node: _meaning(node) == _SEEN.get(node.name))
"""


def attack(view: View) -> None:
    known = seen(view, value_of(FOLDED, "_meaning"))
    view.append(f"_SEEN = {known!r}\n{FOLDED}{FORGED_WHERE_SEEN}{CODE}")
