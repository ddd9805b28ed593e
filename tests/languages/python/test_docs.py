"""Documents before and after a deletion."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from toy_index import index_of

from featuredel.languages.python.docs import Documents, remove_docs
from featuredel.model import DefinitionId

PACKAGE = {
    "pkg/__init__.py": "from pkg.core import Gone, gone, kept\n",
    "pkg/core.py": """\
class Gone:
    def method(self): pass

class Kept:
    def stays(self): pass
    def dead_method(self): pass

def gone(): pass
def gone_too(): pass
def kept(): pass
""",
    "pkg/old.py": "def in_old(): pass\n",
}
NAMES = ("Gone", "Gone.method", "Kept.dead_method", "gone", "gone_too")
DEAD = [DefinitionId(f"pkg/core.py::{name}") for name in NAMES]
DEAD += [DefinitionId("pkg/old.py::"), DefinitionId("pkg/old.py::in_old")]


def removed(root: Path, files: Mapping[str, str | bytes]) -> Mapping[str, bytes | None]:
    return remove_docs(Documents(root, index_of(root, files)), DEAD)


def side(root: Path, path: str, text: str) -> Mapping[str, bytes | None]:
    return removed(root, {**PACKAGE, path: text})


@pytest.mark.parametrize(
    ("path", "before", "expected"),
    [
        pytest.param(
            "docs/api.rst",
            "API\n===\n\n.. autofunction:: gone(x)\n   :noindex:\n\n   Text.\n\n"
            ".. autofunction:: pkg.core.kept\n.. autofunction:: gone_too\n",
            "API\n===\n\n.. autofunction:: pkg.core.kept\n",
            id="directives with options and content",
        ),
        pytest.param(
            "docs/api.rst",
            ".. autoclass:: pkg.Kept\n   :members: stays, dead_method,\n      more\n\n"
            "   .. automethod:: dead_method\n\n   .. automethod:: stays\n",
            ".. autoclass:: pkg.Kept\n   :members: stays,\n      more\n\n"
            "   .. automethod:: stays\n",
            id="members of a class that stays",
        ),
        pytest.param(
            "docs/api.rst",
            ".. autosummary::\n   :toctree: x\n\n   gone\n   kept\n   ~pkg.core.gone_too\n",
            ".. autosummary::\n   :toctree: x\n\n   kept\n",
            id="autosummary",
        ),
        pytest.param(
            "docs/api.rst",
            "Title\n=====\n\nText.\n\n.. _gone:\n\n``gone()``\n----------\n\nAbout it.\n\n"
            "Sub\n~~~\n\nMore.\n\n.. _kept:\n\nKept\n----\n\nText.\n",
            "Title\n=====\n\nText.\n\n.. _kept:\n\nKept\n----\n\nText.\n",
            id="sections",
        ),
        pytest.param(
            "docs/api.rst",
            "Title\n=====\n\nGoes\n----\n\n.. automodule:: pkg.old\n\nStays\n-----\n\nText.\n",
            "Title\n=====\n\nStays\n-----\n\nText.\n",
            id="a section that loses all it held",
        ),
        pytest.param(
            "CHANGES.rst",
            "1.0\n---\n\n* New:\n    * :func:`gone` is new,\n      and fast\n\n* Fixed:\n"
            "    * :func:`kept` and :func:`gone`\n    * :func:`~pkg.core.kept`\n",
            "1.0\n---\n\n* Fixed:\n    * :func:`kept` and :func:`gone`\n"
            "    * :func:`~pkg.core.kept`\n",
            id="items of a changelog",
        ),
        pytest.param(
            "README.md",
            "# P\n\n- Added [`core.gone`][core.gone] today\n- Added `kept`\n- gone fishing\n\n"
            "[core.gone]: https://x/gone\n[core.kept]: https://x/kept\n",
            "# P\n\n- Added `kept`\n- gone fishing\n\n[core.kept]: https://x/kept\n",
            id="markdown",
        ),
        pytest.param(
            "README.md",
            "# P\n\n| Name | What |\n| --- | --- |\n| `gone` | it |\n| `kept` | it |\n",
            "# P\n\n| Name | What |\n| --- | --- |\n| `kept` | it |\n",
            id="a table with a name per row",
        ),
        pytest.param(
            "README.rst",
            "+---+-----------------------+\n| A | `gone <http://x>`_,   |\n"
            "|   | `kept <http://x>`_,   |\n|   | `gone_too <http://x>`_|\n"
            "+---+-----------------------+\n",
            "+---+-----------------------+\n| A | `kept <http://x>`_    |\n"
            "+---+-----------------------+\n",
            id="a grid table with a name per line",
        ),
        pytest.param(
            "docs/ref.md",
            "# Ref\n\n::: pkg.core.gone\n    options:\n      x: 1\n\n::: pkg.core.kept\n",
            "# Ref\n\n::: pkg.core.kept\n",
            id="mkdocstrings",
        ),
    ],
)
def test_entries(tmp_path: Path, path: str, before: str, expected: str) -> None:
    found = side(tmp_path, path, before)[path]
    assert found is not None
    assert found.decode() == expected
    assert not side(tmp_path / "again", path, expected)


@pytest.mark.parametrize(
    "text",
    [
        "See :func:`kept`. All is gone.\n",
        "gone\n====\n\nWe have ``kept`` it.\n\n* kept is not gone\n",
        ".. autofunction:: other.gone_for_good\n",
    ],
)
def test_what_may_mean_something_else_stays(tmp_path: Path, text: str) -> None:
    assert not side(tmp_path, "docs/a.rst", text)


def test_prose_stays(tmp_path: Path) -> None:
    text = "Use :func:`gone` or :func:`kept`.\n\n>>> from pkg import gone\n"
    found = side(tmp_path, "docs/a.rst", text)
    assert not found


def test_a_page_with_nothing_left_goes_from_the_table_of_contents(tmp_path: Path) -> None:
    index = "Docs\n====\n\n.. toctree::\n\n   api\n   old\n"
    files = {
        **PACKAGE,
        "docs/index.rst": index,
        "docs/old.rst": "Old\n===\n\n.. automodule:: pkg.old\n",
    }
    found = removed(tmp_path, files)
    assert found == {
        "docs/index.rst": index.replace("   old\n", "").encode(),
        "docs/old.rst": None,
    }


def test_data_of_tests_is_no_document(tmp_path: Path) -> None:
    files = {**PACKAGE, "tests/test_a.py": "", "tests/data/a.md": "* `gone`\n"}
    assert not removed(tmp_path, files)


def test_bytes_that_are_no_text_are_left_alone(tmp_path: Path) -> None:
    files: dict[str, str | bytes]
    files = {**PACKAGE, "docs/a.txt": b"* `gone` \xff\n", "docs/b.md": b"* `gone`\r\n* `kept`\r\n"}
    found = removed(tmp_path, files)
    assert found == {"docs/b.md": b"* `kept`\r\n"}
