"""A source of many megabytes, and a sparse file of four gigabytes."""

from bench.redteam.view import View


def burden(view: View) -> None:
    view.write(f"{view.package}huge.py", b"x = 1\n" * (3 << 20))
    with (view.root / view.package / "sparse.py").open("wb") as file:
        file.truncate(4 << 30)
