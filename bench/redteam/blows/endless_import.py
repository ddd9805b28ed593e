"""The import of the package does not end."""

from bench.redteam.view import View


def strike(view: View) -> None:
    view.append("while True: pass")
