"""Every parameter and result carries an annotation."""

import ast

from bench.redteam.view import View


def reshape(view: View) -> None:
    for path, source in view.sources.items():
        tree = ast.parse(source)
        names = view.asked(path)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name in names:
                for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                    argument.annotation = argument.annotation or ast.Name("object", ast.Load())
        view.write(path, ast.unparse(tree) + "\n")
