"""Doing again what was built for an environment, to see that it comes out the same.

What a build leaves can be anything; that it is made of its inputs and of nothing else shows when
the same command on the same inputs, in another sandbox and another folder, leaves the same.
"""

from collections.abc import Iterable

from featuredel.languages.python.build import SCAFFOLD, Builder
from featuredel.languages.python.built import Built, Lock
from featuredel.languages.python.interpreters import Interpreter
from featuredel.leaks.provenance import Product, compared, contents, record
from featuredel.sandbox import ENVIRONMENT, WORKSPACE


def repeat(
    builder: Builder, lock: Lock, project: Built, interpreter: Interpreter
) -> dict[str, Product]:
    """Return all that was built for an environment, as a second build shows it.

    That is the prefix without the wheels, and what the project's build made in its tree.
    """
    first = (*lock.built, project)
    second = (builder.again(built, interpreter) for built in first)
    return compared(*(_products(builder, built, interpreter) for built in (first, second)))


def _products(
    builder: Builder, everything: Iterable[Built], interpreter: Interpreter
) -> dict[str, Product]:
    prefix = builder.scaffold(interpreter)
    inputs = f"Python {interpreter.version}"
    made = record(prefix, ENVIRONMENT, {}, f"uv {' '.join(SCAFFOLD)}", inputs)
    for built in everything:
        before = contents(prefix)
        built.lay(prefix, interpreter.minor)
        made |= record(prefix, ENVIRONMENT, before, built.command, built.inputs)
        if built.products:
            made |= record(built.products, WORKSPACE, {}, built.command, built.inputs)
    return made
