"""The source is Latin-1, and says so."""

from bench.redteam.view import Unfit, View


def reshape(view: View) -> None:
    for path, source in view.sources.items():
        if not source.isascii():
            raise Unfit("the source has characters that Latin-1 lacks")
        text = f"# -*- coding: latin-1 -*-\n# gr\xfc\xdfe\n{source}"
        view.write(path, text.encode("latin-1"))
