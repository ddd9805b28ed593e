"""Methods stand as functions of a module, and the class takes them from there."""

import ast
from typing import TypeGuard

from bench.redteam.view import Unfit, View


def reshape(view: View) -> None:
    moved = 0
    for path, source in view.sources.items():
        tree = ast.parse(source)
        body: list[ast.stmt] = []
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and _is_of(view, path, node.name):
                defined = [getattr(m, "name", "") for m in node.body]
                taken = [m for m in node.body if _is_plain(m) and defined.count(m.name) == 1]
                moved += len(taken)
                node.body = [m for m in node.body if m not in taken] or [ast.Pass()]
                mixin = ast.ClassDef(f"_{node.name}Parts", [], [], taken or [ast.Pass()], [])
                if hasattr(mixin, "type_params"):
                    mixin.type_params = []
                body.append(mixin)
                node.bases.insert(0, ast.Name(f"_{node.name}Parts", ast.Load()))
            body.append(node)
        tree.body = body
        view.write(path, ast.unparse(ast.fix_missing_locations(tree)) + "\n")
    if not moved:
        raise Unfit("there is no class in it")


def _is_plain(node: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    """Whether a method says nothing that means something else in another class."""
    if not isinstance(node, ast.FunctionDef) or node.name.startswith("__") or node.decorator_list:
        return False
    return not any(
        (isinstance(n, ast.Name) and n.id in ("super", "__class__"))
        or (isinstance(n, ast.Attribute) and n.attr.startswith("__"))
        for n in ast.walk(node)
    )


def _is_of(view: View, path: str, name: str) -> bool:
    return any(f"{d}.".startswith(f"{path}::{name}.") for d in view.definitions)
