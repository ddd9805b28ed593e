"""Methods stand as functions of a module, and the class takes them from there."""

import ast
from typing import TypeGuard

from bench.redteam.forms import rewrite
from bench.redteam.view import View


def reshape(view: View) -> None:
    def move(path: str, module: ast.Module) -> int:
        moved = 0
        body: list[ast.stmt] = []
        for node in module.body:
            if isinstance(node, ast.ClassDef) and _is_of(view, path, node.name):
                moved += len(taken := _taken(node))
                node.body = [m for m in node.body if m not in taken] or [ast.Pass()]
                mixin = ast.parse(f"class _{node.name}Parts: pass").body[0]
                assert isinstance(mixin, ast.ClassDef)
                mixin.body = [*mixin.body, *taken]
                body.append(mixin)
                node.bases.insert(0, ast.Name(mixin.name, ast.Load()))
            body.append(node)
        module.body = body
        return moved

    rewrite(view, move, "there is no class in it")


def _taken(node: ast.ClassDef) -> list[ast.FunctionDef]:
    """Return the methods that may stand elsewhere; overloads may not."""
    names = [getattr(member, "name", "") for member in node.body]
    return [member for member in node.body if _is_plain(member) and names.count(member.name) == 1]


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
