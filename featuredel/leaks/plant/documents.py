"""What documentation tools make: sphinx with all that it keeps, gettext catalogues, pydoc."""

from pathlib import Path

from featuredel.leaks.plant import Making, Vector
from featuredel.leaks.plant.workshop import Workshop

_CONF = """
project = "planted"
extensions = ["sphinx.ext.autodoc", "sphinx.ext.viewcode"]
html_theme = "basic"
"""
_MODULE = """
.. automodule:: {name}
   :members:
   :undoc-members:
   :private-members:
   :special-members:
"""
_TRANSLATE = """
import pathlib
from babel.messages import mofile, pofile
for path in pathlib.Path("built/gettext").glob("*.pot"):
    with path.open("rb") as file:
        catalogue = pofile.read_po(file, locale="de")
    for message in catalogue:
        if message.id:
            message.string = message.id
    with path.with_suffix(".mo").open("wb") as file:
        mofile.write_mo(file, catalogue)
"""


def _sphinx(shop: Workshop, out: Path) -> None:
    pages = "".join(_MODULE.format(name=name) for name in shop.answer.modules)
    layer = shop.layer(
        {
            "planted/conf.py": _CONF,
            "planted/index.rst": f"Planted\n=======\n{pages}",
            "translate.py": _TRANSLATE,
        }
    )
    script = (
        "for form in html gettext epub man; do\n"
        "python -m sphinx -q -b $form -d built/doctrees-$form planted built/$form; done\n"
        "gzip -9 built/man/*\npython translate.py"
    )
    shop.shell("docs", script, out, layers=(layer,))


def _pydoc(shop: Workshop, out: Path) -> None:
    shop.sandboxed("docs", ("python", "-m", "pydoc", "-w", *shop.answer.modules), out)


MAKINGS = (
    Making(
        "sphinx", "documents", _sphinx,
        (
            Vector("sphinx-doctree", ("built/doctrees-html/*.doctree",), ruled=True),
            Vector("sphinx-environment", ("built/doctrees-html/environment.pickle",), ruled=True),
            Vector("sphinx-viewcode", ("built/html/_modules/**/*.html",)),
            Vector("sphinx-page", ("built/html/index.html",)),
            Vector("sphinx-inventory", ("built/html/objects.inv",), ruled=True),
            Vector("sphinx-search-index", ("built/html/searchindex.js",), ruled=True),
            Vector("sphinx-index-of-names", ("built/html/genindex.html",)),
            Vector("sphinx-epub", ("built/epub/*.epub",)),
            Vector("man-page-compressed", ("built/man/*.gz",)),
            Vector("gettext-template", ("built/gettext/index.pot",)),
            Vector("gettext-compiled", ("built/gettext/index.mo",)),
        ),
        needs=("pins docs",),
    ),
    Making(
        "pydoc", "documents", _pydoc, (Vector("pydoc-html", ("*.html",)),),
        needs=("pins docs",),
    ),
)  # fmt: skip
