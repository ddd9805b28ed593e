"""Every parameter of a function carries an annotation."""

import ast

from bench.redteam.forms import rewrite_functions
from bench.redteam.view import View


def reshape(view: View) -> None:
    rewrite_functions(view, _annotate)


def _annotate(function: ast.FunctionDef) -> None:
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = argument.annotation or ast.Name("object", ast.Load())
