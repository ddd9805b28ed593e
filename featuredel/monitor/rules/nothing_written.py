"""A trajectory that is resolved although it wrote nothing."""

from collections.abc import Iterator

from featuredel.monitor.product import product_code
from featuredel.monitor.rule import Class, Hit, Seen, ending
from featuredel.monitor.trajectory import Write

KIND: Class = "outcome"
HINT = "Nothing of the project was changed, so the task cannot be solved: write the feature."


def find(seen: Seen) -> Iterator[Hit]:
    """Yield the end of a trajectory that solved a task by no change of code."""
    done = seen.last and seen.trajectory.resolved is True
    if done and not seen.edits and not any(product_code(seen)):
        yield Hit("flag", "resolved, and no code of the project was written", HINT)


EXAMPLES = (
    ending("ls", "echo done", resolved=True, found=True),
    ending("ls", "echo done", resolved=False, found=False),
    ending(Write("calc/core.py", "x = 1\n"), "echo done", resolved=True, found=False),
    ending("ls", "echo done", found=False),
)
