"""A source that Python compiles, and whose syntax is deeper than most readers go."""

from bench.redteam.skeleton import lay_skeleton
from bench.redteam.view import View


def strike(view: View) -> None:
    lay_skeleton(view, "return None")
    view.append(f"_deep = {'+'.join('1' * 3000)}\n_more = {'(' * 90}1{')' * 90}")
