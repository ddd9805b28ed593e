"""What editors, shells and their helpers keep: indexes, swap and undo files, histories, patches."""

import shlex
from pathlib import Path

from featuredel.leaks.plant import Making, Vector
from featuredel.leaks.plant.workshop import Words, Workshop, copied

_JEDI = """
import importlib, pathlib, sys
import jedi, parso
for name, path in zip(sys.argv[1::2], sys.argv[2::2]):
    code = f"import {name} as planted\\nplanted."
    jedi.Script(code, path="unsaved.py").complete(2, len("planted."))
    parso.load_grammar().parse(path=path, cache=True)
"""
_HISTORY = """
import pathlib, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for path in sys.argv[1:]:
    shell.run_cell(pathlib.Path(path).read_text(), store_history=True)
shell.history_manager.end_session()
"""
_NOTEBOOK = """
import json, sys
source = ["import importlib, inspect\\n", "for name in %r:\\n" % sys.argv[1:]]
source += ["    print(inspect.getsource(importlib.import_module(name)))"]
cell = {"cell_type": "code", "id": "a", "execution_count": None, "metadata": {}, "outputs": []}
kernel = {"kernelspec": {"name": "python3", "display_name": "Python", "language": "python"}}
book = {"cells": [{**cell, "source": source}], "metadata": kernel}
with open("planted.ipynb", "w") as file:
    json.dump({**book, "nbformat": 4, "nbformat_minor": 5}, file)
"""


def _jedi(shop: Workshop, out: Path) -> None:
    layer = shop.layer({"complete.py": _JEDI})
    pairs = [word for path in shop.answer.paths for word in (_module(path, shop), path)]
    shop.sandboxed("editors", ("python", "complete.py", *pairs), out, layers=(layer,))


def _history(shop: Workshop, out: Path) -> None:
    layer = shop.layer({"remember.py": _HISTORY})
    shop.sandboxed("editors", ("python", "remember.py", *shop.answer.paths), out, layers=(layer,))


def _notebook(shop: Workshop, out: Path) -> None:
    layer = shop.layer({"write.py": _NOTEBOOK})
    script = (
        f"python write.py {shlex.join(shop.answer.modules)}\n"
        "jupyter nbconvert --execute --to notebook --output ran planted.ipynb\n"
        "jupyter nbconvert --to html --output page ran.ipynb\n"
        "mkdir .ipynb_checkpoints; cp ran.ipynb .ipynb_checkpoints/planted-checkpoint.ipynb"
    )
    shop.shell("notebook", script, out, layers=(layer,))


def _ctags(shop: Workshop, out: Path) -> None:
    shop.trusted(["ctags", "-f", out / "tags", *shop.answer.paths], shop.answer.root)
    shop.trusted(["ctags", "-e", "-f", out / "TAGS", *shop.answer.paths], shop.answer.root)


def _cscope(shop: Workshop, out: Path) -> None:
    database: Words = ["-f", out / "cscope.out"]
    shop.trusted(["cscope", "-b", *database, *shop.answer.paths], shop.answer.root)


def _vim(shop: Workshop, out: Path) -> None:
    """Keep a swap file as a killed vim leaves it, and an undo file of a text that was emptied."""
    file = out / "edited.py"
    start: Words = ["vim", "-u", "NONE", "-i", out / ".viminfo", "-es"]
    copied(shop.answer.root / shop.answer.path, file)
    keep: Words = ["-c", "set swapfile dir=.", "-c", "normal! ggi#", "-c", "preserve"]
    shop.trusted([*start, *keep, "-c", "!cp .edited.py.swp .kept.swp", "-c", "qa!", file], out)
    undo: Words = ["-c", "set undofile undodir=.", "-c", "%delete", "-c", "wq"]
    shop.trusted([*start, *undo, file], out)


def _patch(shop: Workshop, out: Path) -> None:
    """Let GNU patch keep the file as it was, and the hunks that it could not place."""
    kept, emptied = out / "module.py", out / "emptied.py"
    copied(shop.answer.root / shop.answer.path, kept)
    emptied.write_text("")
    difference = shop.trusted(
        ["sh", "-c", "diff -u --label a --label b module.py emptied.py || test $? = 1"], out
    )
    (out / "removal.patch").write_bytes(difference)
    shop.trusted(["patch", "--backup", "module.py", "removal.patch"], out)
    reject = "patch --force emptied.py removal.patch || test $? = 1"
    shop.trusted(["sh", "-c", f"echo other > emptied.py; {reject}"], out)


def _backups(shop: Workshop, out: Path) -> None:
    for number, name in enumerate(("module.py~", "module.py.bak", "#module.py#", ".module.py.un~")):
        folder = out / str(number)
        copied(shop.answer.root / shop.answer.path, folder / name)
    copied(shop.answer.root / shop.answer.path, out / ".history" / "module_20260101000000.py")
    copied(shop.answer.root / shop.answer.path, out / ".python_history")


def _module(path: str, shop: Workshop) -> str:
    start = f"{shop.answer.source}/" if shop.answer.source else ""
    inside = path.removeprefix(start).removesuffix(".py").removesuffix("/__init__")
    return inside.replace("/", ".")


MAKINGS = (
    Making(
        "jedi and parso", "editors", _jedi,
        (
            Vector("jedi-cache", ("**/.cache/jedi/**/*.pkl",), ruled=True),
            Vector("parso-cache", ("**/.cache/parso/**/*.pkl",), ruled=True),
        ),
        needs=("pins editors",),
        sampled=True,
    ),
    Making(
        "IPython", "editors", _history,
        (Vector("ipython-history", ("**/history.sqlite*",), ruled=True),),
        needs=("pins editors",),
    ),
    Making(
        "notebooks", "editors", _notebook,
        (
            Vector("notebook-outputs", ("ran.ipynb",)),
            Vector("notebook-checkpoint", (".ipynb_checkpoints/*",), ruled=True),
            Vector("notebook-html", ("page.html",)),
        ),
        needs=("pins notebook",),
    ),
    Making(
        "ctags", "editors", _ctags,
        (
            Vector("ctags", ("tags",), ruled=True),
            Vector("etags", ("TAGS",), ruled=True),
        ),
        needs=("program ctags",),
        sampled=True,
    ),
    Making(
        "cscope", "editors", _cscope,
        (Vector("cscope", ("cscope.out",), ruled=True),),
        needs=("program cscope",),
    ),
    Making(
        "vim", "editors", _vim,
        (
            Vector("vim-swap", (".kept.swp",), ruled=True),
            Vector("vim-undo", (".*.un~",), ruled=True),
        ),
        needs=("program vim",),
        sampled=True,
    ),
    Making(
        "patch", "editors", _patch,
        (
            Vector("patch-original", ("*.orig",), ruled=True),
            Vector("patch-rejects", ("*.rej",), ruled=True),
            Vector("patch-file", ("removal.patch",)),
        ),
        needs=("program patch",),
        sampled=True,
    ),
    Making(
        "editor backups", "editors", _backups,
        (
            Vector("backup-files", ("[0-9]/*",), ruled=True),
            Vector("editor-history", (".history/*",), ruled=True),
            Vector("python-history", (".python_history",), ruled=True),
        ),
        sampled=True,
    ),
)  # fmt: skip
