"""Modules that go as a whole: those in which nothing is left, and what imports them."""

import ast
from collections.abc import Iterator

from featuredel.languages.python.parsed import Parsed
from featuredel.languages.python.plan import Plan
from featuredel.languages.python.sites import Removal, removal
from featuredel.languages.python.source import docstring
from featuredel.languages.python.unwiring import unlist
from featuredel.model import DefinitionId


def empty(plan: Plan, module: DefinitionId) -> None:
    """Cut what a module that goes as a whole does besides defining things."""
    file = plan.bench.sources.file(module.removesuffix("::"))
    if file is None:
        return
    for node in file.tree.body:
        if not _is_docstring(file, node) and not plan.gone(file, node) and plan.done:
            target = next((d.target for d in plan.done if d.file is file), plan.done[0].target)
            plan.remove(file, removal(file, "statement", node), target)


def remove_bare(plan: Plan) -> None:
    """Remove the modules in which nothing is left."""
    for path in plan.touched:
        module = DefinitionId(f"{path}::")
        file = plan.bench.sources.file(path)
        if file is None or path in plan.removed_files or path.endswith("__init__.py"):
            continue
        if module in plan.bench.pinned or module in plan.kept or not _is_bare(plan, file):
            continue
        unwired = list(_importers(plan, module))
        if None in unwired:
            continue
        plan.removed_files.add(path)
        plan.members.add(module)
        plan.dead[module] = plan.any_cause(file)
        unlist(plan, module)
        for found in unwired:
            if found is not None:
                other, what = found
                plan.remove(other, what, module)


def _is_bare(plan: Plan, file: Parsed) -> bool:
    if plan.follows(file) and _is_mostly_gone(plan, file):
        return True
    for node in file.tree.body:
        if plan.gone(file, node) or isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if _is_docstring(file, node):
            continue
        goal = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(goal, ast.Name) and goal.id in ("__all__", "__author__", "__doc__"):
            continue
        return False
    return True


def _is_docstring(file: Parsed, node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and node.value is docstring(file.tree)


def _is_mostly_gone(plan: Plan, file: Parsed) -> bool:
    every = [n for n in file.tree.body if not isinstance(n, ast.Import | ast.ImportFrom)]
    gone = sum(file.code_lines(n) for n in every if plan.gone(file, n))
    return gone * 2 > sum(file.code_lines(n) for n in every)


def _importers(plan: Plan, module: DefinitionId) -> Iterator[tuple[Parsed, Removal] | None]:
    """Yield the cuts that take a module out of its importers; None where that cannot be."""
    yield from _as_attribute(plan, module)
    for reference in plan.bench.named[module]:
        file = plan.bench.sources.file(reference.path)
        node = file.find(reference) if file is not None else None
        if file is None or node is None or plan.gone(file, node) or not reference.strong:
            continue
        if isinstance(node, ast.ImportFrom):
            left = [alias for alias in node.names if not plan.gone(file, alias)]
            if reference.path in plan.bench.index.test_paths:
                left = [alias for alias in left if not _names_dead(plan, file, alias)]
            if any(alias.name != "*" for alias in left):
                yield None
            for alias in left:
                if reference.path not in plan.bench.index.test_paths:
                    yield file, removal(file, "alias", alias)
        elif reference.path in plan.bench.index.test_paths:
            continue
        elif isinstance(node, ast.alias):
            yield file, removal(file, "alias", node)
        elif isinstance(node, ast.Constant) and isinstance(file.parents[node], ast.List):
            yield file, removal(file, "element", node)
        else:
            yield None


def _as_attribute(plan: Plan, module: DefinitionId) -> Iterator[tuple[Parsed, Removal] | None]:
    """Yield the same for a package that uses the name which importing its module bound."""
    folder, _, name = module.removesuffix("::").rpartition("/")
    file = plan.bench.sources.file(f"{folder}/__init__.py")
    for node in file.parents if file is not None else ():
        if not isinstance(node, ast.Name) or node.id != name.removesuffix(".py"):
            continue
        if file is None or plan.gone(file, node) or isinstance(node.ctx, ast.Store):
            continue
        yield (file, removal(file, "element", node)) if isinstance(node.ctx, ast.Del) else None


def _names_dead(plan: Plan, file: Parsed, alias: ast.alias) -> bool:
    place = (file.path, alias.lineno, alias.col_offset)
    return any(
        (r.path, r.line, r.column) == place for d in plan.members for r in plan.bench.named[d]
    )
