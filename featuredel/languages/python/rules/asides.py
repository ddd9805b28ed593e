"""Examples, benchmarks and tools beside the project: what uses a dead thing there goes along."""

import ast
from collections.abc import Iterator

from featuredel.languages.python.parsed import Function, header_lines, lines_of
from featuredel.languages.python.sites import (
    Decision,
    Example,
    Site,
    Unwire,
    View,
    expressions,
    is_called,
    statement_removal,
)
from featuredel.model import DefinitionId


def unwire(site: Site, view: View) -> Decision:
    """Cut a call that only hands it over; else the function, method, class or statement around."""
    if not view.follows(site.file) or site.kind == "annotation" or not site.strong:
        return None
    statement = site.file.statement(site.node)
    if view.live(site.file, *header_lines(statement)):
        return None
    if _handed_over(site, statement) and len(site.file.block(statement)) > 1:
        return statement_removal(site.file, statement)
    inner = site.file.function(site.node)
    if inner is not None and inner.decorator_list and site.file.function(inner) is not None:
        return statement_removal(site.file, inner)  # a handler that nothing but its decorator knows
    for definition in _around(site):
        if view.may_die(definition):
            return Unwire(dead=(definition,))
    if inner is not None or view.live(site.file, *lines_of(statement)):
        return None
    defined = view.constant(site.file, statement)
    if defined is not None and defined != site.target and view.may_die(defined):
        return Unwire(dead=(defined,))
    return statement_removal(site.file, statement)


def _handed_over(site: Site, statement: ast.stmt) -> bool:
    """Tell whether the statement is a call of something else with the dead thing as argument."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    call = statement.value
    inside = (outer is call and inner in call.args
              for inner, outer in expressions(site.file, site.node))  # fmt: skip
    return any(inside) and not is_called(site.file, site.node)


def _around(site: Site) -> Iterator[DefinitionId]:
    """Yield the method that can go without its class, then the function or class at the top."""
    outer = [at for at in site.file.around(site.node) if isinstance(at, Function | ast.ClassDef)]
    if not outer:
        return
    names = [at.name for at in reversed(outer)]
    top = outer[-1]
    if isinstance(top, ast.ClassDef) and len(names) > 1 and not names[1].startswith(("_", "set")):
        yield DefinitionId(f"{site.file.path}::{names[0]}.{names[1]}")
    yield DefinitionId(f"{site.file.path}::{names[0]}")


EXAMPLES = (
    Example(
        ("dead",),
        """
def dead(x):
    return x


def make(app):
    cart = app.cart()
    cart.add("a")
    cart.add("b")

    @app.route("/")
    def index():
        return dead(cart)

    app.register(dead)
    app.run()


def show(text):
    for one in text:
        print(dead(one))


class Speed:
    def setup(self):
        self.x = 1

    def time_dead(self):
        dead(self.x)

    def time_kept(self):
        self.x += 1


def other(app):
    app.open()
    app.close()
    return app


LEVELS = [1, 2, 3]
for level in LEVELS:
    print(dead(level))

if __name__ == "__main__":
    show("a")
""",
        """
def make(app):
    cart = app.cart()
    cart.add("a")
    cart.add("b")

    app.run()


class Speed:
    def setup(self):
        self.x = 1

    def time_kept(self):
        self.x += 1


def other(app):
    app.open()
    app.close()
    return app


LEVELS = [1, 2, 3]
""",
        "examples/m.py",
    ),
)
