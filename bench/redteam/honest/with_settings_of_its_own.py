"""Settings for tests, builds and tools are changed. All are dropped, and cost nothing."""

from bench.redteam.view import View


def reshape(view: View) -> None:
    view.write("pytest.ini", "[pytest]\naddopts = -x --strict-markers\n")
    view.append("[tool.black]\nline-length = 99", "pyproject.toml")
    view.append("[flake8]\nmax-line-length = 99", "setup.cfg")
    view.write(".github/workflows/more.yml", "on: push\n")
    view.write("Makefile", "test:\n\tpython -m pytest\n")
