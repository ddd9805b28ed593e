"""The git directory is broken, and there are repositories in the tree."""

import shutil

from bench.redteam.view import View


def burden(view: View) -> None:
    shutil.rmtree(view.root / ".git/objects")
    view.write(".git/config", "[core]\n\tfsmonitor = touch /tmp/owned\n\thooksPath = .\n")
    view.write(".gitattributes", "*.py filter=evil\n")
    view.write("inner/.git/HEAD", "ref: refs/heads/main\n")
    view.write(f"{view.package}.git/HEAD", "ref: refs/heads/main\n")
