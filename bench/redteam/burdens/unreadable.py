"""A folder and a file that nobody may read."""

from bench.redteam.view import View


def burden(view: View) -> None:
    view.write(f"{view.package}closed.py", "pass\n")
    (view.root / view.package / "closed.py").chmod(0)
    view.write("closed/inner.py", "pass\n")
    (view.root / "closed").chmod(0)
