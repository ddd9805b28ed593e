"""Lines end as on Windows, and the file begins with a byte order mark."""

from bench.redteam.view import View


def reshape(view: View) -> None:
    for path, source in view.sources.items():
        view.write(
            path, b"\xef\xbb\xbf" + source.replace("\r\n", "\n").replace("\n", "\r\n").encode()
        )
