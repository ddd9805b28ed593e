"""Many attempts at once, and going on where an earlier run stopped."""

from collections.abc import Callable, Sequence
from multiprocessing.pool import ThreadPool

from featuredel.model import Attempt
from featuredel.solve.attempt import Bounds, Job, attempt
from featuredel.solve.chat import Chat
from featuredel.solve.outcomes import Outcomes


def solve(
    jobs: Sequence[Job], chat: Chat, bounds: Bounds, outcomes: Outcomes, workers: int,
    tell: Callable[[Attempt], None],
) -> None:  # fmt: skip
    """Make the attempts that `outcomes` lacks, and call `tell` with each as it ends.

    Attempts wait for the server, so threads do. An exception leaves those that are under way to
    end with the process; nothing of them counts.
    """
    left = [job for job in jobs if not outcomes.has(job)]
    if not left:
        return

    def made(job: Job) -> Attempt:
        return attempt(job, chat, bounds, outcomes.trajectory(job))

    with ThreadPool(min(workers, len(left))) as pool:
        for row in pool.imap_unordered(made, left):
            outcomes.add(row)
            tell(row)
