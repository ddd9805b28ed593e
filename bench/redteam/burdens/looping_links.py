"""Links to themselves, to the root and to each other."""

from bench.redteam.view import View


def burden(view: View) -> None:
    (view.root / "loop").symlink_to("loop")
    (view.root / view.package / "loop.py").symlink_to("loop.py")
    (view.root / view.package / "up").symlink_to("..")
    (view.root / "everything").symlink_to("/")
