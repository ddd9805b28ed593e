"""Functions that no test enters and that need what is dead: they go along."""

from featuredel.languages.python.sites import Decision, Example, Site, Unwire, View


def unwire(site: Site, view: View) -> Decision:
    """Count the untested function or method around the site as dead."""
    holder = view.definition(site.holder)
    while holder is not None and holder.kind not in ("function", "method"):
        if holder.kind == "module" or holder.parent is None:
            return None
        holder = view.definition(holder.parent)
    if holder is None or not site.strong:
        return None
    if view.untested(holder.id) and view.may_die(holder.id):
        return Unwire(dead=(holder.id,))
    return None


EXAMPLES = (
    Example(
        ("dead",),
        """
def dead():
    return 1  # ours


def untested():
    return dead()


class Kept:
    def f(self):
        return 1  # live

    def g(self):
        return 1  # live

    def untested(self):
        return dead()
""",
        """
class Kept:
    def f(self):
        return 1  # live

    def g(self):
        return 1  # live
""",
    ),
)
