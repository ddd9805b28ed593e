"""Type stubs: what a `.pyi` declares of something dead goes."""

import ast

from featuredel.languages.python.sites import Decision, Site, View, statement_removal


def unwire(site: Site, view: View) -> Decision:
    """Cut the declaration. The annotations that name it are the business of other rules."""
    del view
    if not site.file.path.endswith(".pyi"):
        return None
    if isinstance(site.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign):
        return statement_removal(site.file, site.node)
    if isinstance(site.node, ast.AnnAssign):
        return statement_removal(site.file, site.node)
    return None


EXAMPLES = ()
