"""Caches, builds, backups of an editor and a virtual environment lie about."""

from bench.redteam.view import View


def reshape(view: View) -> None:
    for path, source in view.sources.items():
        folder, _, name = path.rpartition("/")
        view.write(f"{path}~", source)
        view.write(f"{folder}/.{name}.swp", b"b0VIM 9.0\0\0")
        view.write(f"{folder}/__pycache__/{name.removesuffix('.py')}.cpython-313.pyc", b"\x00" * 64)
        view.write(f"build/lib/{path}", source)
        view.write(f"{path}.orig", source)
    view.write(".pytest_cache/v/cache/lastfailed", "{}")
    view.write(".venv/pyvenv.cfg", "home = /usr\n")
    view.write("dist/solution-1.0-py3-none-any.whl", b"PK\x03\x04")
    view.write(f"{view.name}.egg-info/SOURCES.txt", "all\n")
    view.write(".DS_Store", b"\0\0\0\1Bud1")
