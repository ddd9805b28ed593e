"""Files are executable, and writable for all."""

from bench.redteam.view import View


def reshape(view: View) -> None:
    for path in view.sources:
        (view.root / path).chmod(0o777)
