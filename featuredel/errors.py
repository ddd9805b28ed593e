"""Every exception that featuredel raises on purpose.

    FeaturedelError
    +-- UsageError             the user can mend it; one line: what, where, what to do    (exit 2)
    |   +-- DiffError          a solver's diff does not apply, or is none
    +-- InfrastructureError    this machine or network failed; retried, never a verdict   (exit 3)
    |   +-- SandboxError       the sandbox could not be set up, or broke
    |   |   +-- ChangesError   what a command changed is too much to keep
    |   +-- SourceError        a source could not be reached just now
    +-- Rejected               the subject is unfit: data like any other, not a failure

`pipeline.py` is the one place that turns `Rejected` into a `Rejection` row.
"""


class FeaturedelError(Exception):
    """Base of all errors that featuredel raises on purpose."""


class UsageError(FeaturedelError):
    """The user asked for something impossible; the message says what, where and what to do."""


class DiffError(UsageError):
    """A solver's diff does not apply, or is none: it earns nothing where rewards are counted."""


class InfrastructureError(FeaturedelError):
    """The machine or the network failed; says nothing about a repository or a task."""


class SandboxError(InfrastructureError):
    """The sandbox could not be set up or broke down; the command in it may never have run."""


class ChangesError(SandboxError):
    """What a command changed is too large or too deep to be kept; the command's own doing."""


class SourceError(InfrastructureError):
    """A source could not be fetched for a reason that may pass."""


class Rejected(FeaturedelError):  # noqa: N818 -- it is a result, named as one
    """A repository or candidate is unfit.

    `reason` is a short fixed phrase that can be counted ("no stable passing tests"); `detail`
    is the particular case (ids, names, the tail of a log) that a person can act on.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail

    def __reduce__(self) -> tuple[type["Rejected"], tuple[str, str]]:
        """Survive pickling between workers with both parts."""
        return (Rejected, (self.reason, self.detail))
