"""What a run shows while it goes on: a board of where everything stands, and two displays of it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from rich.console import Console
from rich.live import Live
from rich.table import Table

from featuredel.model import Rejection
from featuredel.stages.write import was_tried

MINING = 10
"""Candidates that cost about what mining their repository does."""

LEAST_RATE = 0.2
"""Of acceptance, for the estimate of the time left."""


@dataclass(slots=True)
class Line:
    """Where one repository stands."""

    repository: str
    wanted: int  # tasks, after which no more candidates are tried
    state: Literal["waiting", "mining", "forging", "done", "rejected", "failed"] = "waiting"
    stage: str = ""
    candidates: int = 0  # features on offer
    accepted: int = 0
    rejected: int = 0  # after a tree was written
    kept_in: int = 0  # features that cannot be removed: no tree was written
    reason: str = ""

    @property
    def finished(self) -> int:
        """Return how many candidates have ended."""
        return self.accepted + self.rejected + self.kept_in


@dataclass(slots=True)
class Board:
    """Where a run stands. Its methods take what happened and return the line that it changed."""

    lines: dict[str, Line]
    started: float = field(default_factory=time.monotonic)

    @classmethod
    def of(cls, wanted: Mapping[str, int]) -> "Board":
        """Return the board of a run that is about to begin, from each repository's `max_tasks`."""
        return cls({name: Line(name, tasks) for name, tasks in wanted.items()})

    def began(self, repository: str, subject: str, stage: str) -> Line:
        """Note that a stage began."""
        line = self.lines[repository]
        if line.state in ("waiting", "mining", "forging"):
            line.state = "mining" if subject == repository else "forging"
            line.stage = stage if subject == repository else f"{stage} {subject}"
        return line

    def mined(self, repository: str, rejection: Rejection | None, candidates: int) -> Line:
        """Note that a repository's candidates are known, or that it was turned down."""
        line = self.lines[repository]
        line.state, line.stage, line.candidates = "forging", "", candidates
        if rejection is not None:
            line.state, line.reason = "rejected", f"{rejection.stage}: {rejection.reason}"
        return line

    def forged(self, repository: str, rejection: Rejection | None) -> Line:
        """Note the end of a candidate."""
        line = self.lines[repository]
        if rejection is None:
            line.accepted += 1
        elif was_tried(rejection):
            line.rejected += 1
        else:
            line.kept_in += 1
        return line

    def again(self, repository: str, why: str) -> Line:
        """Note that a repository's candidates are tried from the first one again."""
        line = self.lines[repository]
        line.state, line.accepted, line.rejected, line.kept_in = "forging", 0, 0, 0
        line.reason = f"again: {why}"
        return line

    def ended(self, repository: str, counts: tuple[int, int, int], failure: str = "") -> Line:
        """Note that nothing more will happen to a repository, with the numbers that count."""
        line = self.lines[repository]
        if line.state != "rejected":
            line.state = "failed" if failure else "done"
        line.accepted, line.rejected, line.kept_in = counts
        line.stage, line.reason = "", failure or line.reason
        return line

    def seconds_left(self) -> float | None:
        """Estimate the rest from the pace so far; None while there is nothing to go by.

        A candidate is one piece of work and mining a repository `MINING` pieces. A repository is
        expected to need the candidates that its tasks take at the rate of acceptance so far.
        """
        lines = self.lines.values()
        finished = sum(line.finished for line in lines)
        if not finished:
            return None
        rate = max(sum(line.accepted for line in lines) / finished, LEAST_RATE)
        done = left = 0.0
        for line in lines:
            mined = line.state not in ("waiting", "mining")
            expected = min(line.candidates, line.wanted / rate) if mined else line.wanted / rate
            done += MINING * mined + line.finished
            left += MINING * (not mined)
            if line.state in ("waiting", "mining", "forging"):
                left += max(expected - line.finished, 0)
        return (time.monotonic() - self.started) * left / done


class Display(Protocol):
    """Something that shows a board as it changes."""

    def show(self, board: Board, line: Line) -> None:
        """Show that `line` of `board` has changed."""
        ...

    def say(self, text: str) -> None:
        """Say something in between."""
        ...

    def stop(self) -> None:
        """Show no more changes."""
        ...


class Plain:
    """One line of text for each change worth a line: for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.last: dict[str, str] = {}

    def show(self, board: Board, line: Line) -> None:
        """Print the line, unless it says what the last one of its repository said."""
        text = f"{line.repository}: {line.state}"
        if line.state == "mining":
            text += f" ({line.stage})"
        if line.candidates:
            text += f", {line.accepted} accepted, {line.rejected} rejected"
            text += f" of {line.candidates} candidates"
        text += f": {line.reason}" if line.reason else ""
        if self.last.get(line.repository) != text:
            self.last[line.repository] = text
            left = board.seconds_left()
            rest = f" [about {_clock(left)} left]" if left and line.state == "forging" else ""
            self.say(text + rest)

    def say(self, text: str) -> None:
        """Print a line."""
        self.console.print(text, highlight=False, soft_wrap=True, markup=False)

    def stop(self) -> None:
        """Nothing is to be done: what is printed stays."""


class Lively:
    """A table that is drawn anew several times a second: for terminals."""

    def __init__(self, console: Console) -> None:
        self.live = Live(console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> "Lively":
        self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.live.stop()

    def show(self, board: Board, line: Line) -> None:  # noqa: ARG002 -- the table shows all lines
        """Draw the whole board."""
        self.live.update(_drawn(board))

    def stop(self) -> None:
        """Take the board away, and leave the terminal as it was."""
        self.live.stop()

    def say(self, text: str) -> None:
        """Print a line above the board."""
        self.live.console.print(text, highlight=False, soft_wrap=True, markup=False)


def _drawn(board: Board) -> Table:
    left = board.seconds_left()
    caption = f"{_clock(time.monotonic() - board.started)} so far"
    caption += f", about {_clock(left)} left" if left else ""
    table = Table(caption=caption, expand=True)
    for column, style in (("repository", "bold"), ("state", ""), ("accepted", "green")):
        table.add_column(column, style=style, no_wrap=True)
    for column in ("rejected", "candidates"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("now", style="dim", no_wrap=True, ratio=1)
    for line in board.lines.values():
        table.add_row(
            line.repository, line.state, str(line.accepted or ""), str(line.rejected or ""),
            str(line.candidates or ""), line.reason or line.stage,
        )  # fmt: skip
    return table


def funnel(board: Board) -> Table:
    """Return the table that a run ends with."""
    table = Table(title="What became of each repository")
    table.add_column("repository", style="bold")
    for column in ("features", "tried", "accepted", "rejected"):
        table.add_column(column, justify="right")
    table.add_column("outcome")
    for line in board.lines.values():
        table.add_row(
            line.repository, str(line.candidates), str(line.accepted + line.rejected),
            str(line.accepted), str(line.rejected), _outcome(line),
        )  # fmt: skip
    return table


def _outcome(line: Line) -> str:
    if line.state == "failed":
        return "not finished, see below"  # the table has no room for what an error says
    return line.reason or line.state


def _clock(seconds: float | None) -> str:
    minutes, rest = divmod(round(seconds or 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
