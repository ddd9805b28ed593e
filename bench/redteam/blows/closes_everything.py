"""The import of the package closes every descriptor."""

from bench.redteam.view import View


def strike(view: View) -> None:
    view.append("import os as _os\n_os.closerange(0, 1024)")
