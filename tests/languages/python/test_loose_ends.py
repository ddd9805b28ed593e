"""A glance at the names tells no less than a linter does."""

import ast
from pathlib import Path

import pytest

from featuredel.languages.python.cuts import Cut
from featuredel.languages.python.loose_ends import LooseEnds
from featuredel.languages.python.parsed import Sources

LOSES_IMPORT = "import os\n\ndef gone():\n    os.sep\n"
LOSES_NAME = "def gone(): pass\n\ndef stays():\n    gone()\n"
SHADOWED = "import os\n\ndef gone():\n    os.sep\n\ndef stays(os):\n    os.sep\n"
REDEFINED = "import gone\n\ndef gone(): pass\n\ndef stays(): pass\n"
IN_A_STRING = 'import os\n\ndef gone(x: "os.PathLike"): pass\n'
GLOBAL = "def gone():\n    global made\n    made = 1\n\ndef stays():\n    made\n"
STAR = "from os import *\n\ndef gone():\n    sep\n"
LOOSE = (LOSES_IMPORT, LOSES_NAME, SHADOWED, REDEFINED, IN_A_STRING, GLOBAL, STAR)
TIED = (
    "import os\n\ndef gone():\n    os.sep\n\ndef stays():\n    os.sep\n",
    "import os\n\n@os.mark\ndef stays(os): pass\n\ndef gone():\n    os.sep\n",
    "def gone():\n    x = 1\n    return x\n\ndef stays():\n    x = 1\n    return x\n",
    "def gone():\n    import os\n    os.sep\n\ndef stays(): pass\n",
)


@pytest.mark.parametrize("text", [*LOOSE, *TIED])
def test_what_a_linter_finds_is_thought_possible(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.py").write_text(text)
    file = Sources(tmp_path).file("m.py")
    assert file is not None
    gone = next(n for n in file.tree.body if isinstance(n, ast.FunctionDef) and n.name == "gone")
    possible = LooseEnds().possible(file, {gone})
    assert possible == (text in LOOSE)
    assert possible or not file.new_faults([Cut("m.py", gone.lineno, 0, "statement")])
