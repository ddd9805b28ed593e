"""A sandbox that keeps sessions open for those who ask for the same again."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from featuredel.sandbox import Command, ExecResult, Ground, Sandbox, Session


@dataclass(slots=True)
class Shared:
    """For one thread. The sessions used last stay open, `most` of them, until it is closed.

    A process that ends without that leaves nothing: each sandbox ends with its parent.
    """

    inner: Sandbox
    most: int = 2
    sessions: dict[str, Session] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the back-end."""
        return self.inner.name

    def run(self, command: Command) -> ExecResult:
        """Run `command` to its end; see `Sandbox.run`."""
        return self.inner.run(command)

    def seen(self, command: Command) -> AbstractContextManager[tuple[Ground, ...]]:
        """Give what `command` sees; see `Sandbox.seen`."""
        return self.inner.seen(command)

    def open(self, command: Command) -> Session | None:
        """Return a session of this very command, perhaps one that has answered before."""
        key = repr(command)
        session = self.sessions.pop(key, None)
        if session is None or session.closed:
            while len(self.sessions) >= self.most:
                self.sessions.pop(next(iter(self.sessions))).close()
            session = self.inner.open(command)
        if session is not None:
            self.sessions[key] = session
        return session

    def close(self) -> None:
        """End all sessions."""
        while self.sessions:
            self.sessions.popitem()[1].close()
