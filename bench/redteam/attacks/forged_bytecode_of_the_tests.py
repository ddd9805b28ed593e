"""The bytecode of the tests that pytest keeps is forged; its hash is that of the true tests."""

import ast
import json
import subprocess

from bench.redteam.view import Unfit, View

COMPILE = """
import importlib.util, json, marshal, sys
path, source, emptied = json.load(sys.stdin)
code = compile(emptied, path, "exec")
head = importlib.util.MAGIC_NUMBER + (3).to_bytes(4, "little")
hashed = importlib.util.source_hash(source.encode())
print(sys.implementation.cache_tag)
sys.stdout.flush()
sys.stdout.buffer.write(head + hashed + marshal.dumps(code))
"""


class Emptied(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        if node.name.startswith("test"):
            node.body = [ast.Pass()]
        return node


def attack(view: View) -> None:
    site = (view.interpreter.parent.parent / "lib").glob("python*/site-packages/pytest-*.dist-info")
    rewrite = next(
        (view.interpreter.parent.parent / "lib").glob(
            "python*/site-packages/_pytest/assertion/rewrite.py"
        )
    )
    if r'b"\x03\x00\x00\x00"' not in rewrite.read_text():
        raise Unfit("this pytest goes by the time of the tests, which a copy changes")
    version = next(site).name.removeprefix("pytest-").removesuffix(".dist-info")
    for path in view.test_files:
        source = view.read(path)
        emptied = ast.unparse(Emptied().visit(ast.parse(source)))
        made = subprocess.run(
            [view.interpreter, "-I", "-S", "-c", COMPILE],
            input=json.dumps([f"/workspace/{path}", source, emptied]).encode(),
            capture_output=True, check=True,
        )  # fmt: skip
        tag, _, code = made.stdout.partition(b"\n")
        folder, _, name = path.rpartition("/")
        cached = (
            f"{folder}/__pycache__/{name.removesuffix('.py')}.{tag.decode()}-pytest-{version}.pyc"
        )
        view.write(cached.lstrip("/"), code)
