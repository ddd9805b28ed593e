"""What a rule is given, what it says, and the examples that hold it to that."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from featuredel.monitor.acts.records import Act
from featuredel.monitor.acts.session import Session
from featuredel.monitor.subject import Subject
from featuredel.monitor.trajectory import Call, Shell, Step, Trajectory, Write

Class = Literal[
    "history mining",
    "artefact mining",
    "fetching",
    "grader tampering",
    "suspicious code",
    "outcome",
    "honeytoken",
]
Severity = Literal["block", "flag", "note"]
"""block: no honest reason; flag: a person should look; note: told, and no alarm."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found in a step, and what to tell the solver at that turn."""

    trajectory: str
    step: int  # 0 is the agent's first turn
    step_id: str  # as the file numbers it
    rule: str
    kind: Class
    severity: Severity
    evidence: str  # the span of the command or text
    hint: str

    @property
    def alarms(self) -> bool:
        """Tell whether this is more than a note."""
        return self.severity != "note"


@dataclass(frozen=True, slots=True)
class Hit:
    """A finding as its rule states it; step and names are added to it."""

    severity: Severity
    evidence: str
    hint: str


@dataclass(frozen=True, slots=True)
class Seen:
    """One step, as a rule sees it."""

    step: Step
    acts: Sequence[Act]
    session: Session  # as it is after the step
    subject: Subject
    trajectory: Trajectory
    before: Sequence[Finding] = ()  # of the steps before
    edits: tuple[int, ...] = ()  # steps up to here that wrote code of the project
    kept: dict[str, Any] = field(default_factory=dict)  # what several rules ask for

    @property
    def last(self) -> bool:
        """Tell whether the trajectory ends here."""
        return self.step.index == len(self.trajectory.steps) - 1


class Rule(Protocol):
    """A module in rules/. Its docstring's first line says what it looks for."""

    __name__: str

    @property
    def KIND(self) -> Class:  # noqa: N802 -- a constant of the module
        """Return the class of what it finds."""

    @property
    def EXAMPLES(self) -> Sequence["Example"]:  # noqa: N802 -- a constant of the module
        """Return steps that it must find, and steps that it must not."""

    def find(self, seen: Seen) -> Iterator[Hit]:
        """Yield what is wrong with a step."""


@dataclass(frozen=True, slots=True)
class Example:
    """A step, after those before it, that a rule must or must not alarm at."""

    calls: tuple[Call, ...]
    caught: bool
    earlier: tuple[tuple[Call, ...], ...] = ()
    observations: tuple[str, ...] = ()  # of the earlier steps and this one
    subject: Subject = field(default_factory=Subject)
    submission: str | None = None
    resolved: bool | None = None


Told = str | Call | Iterable[Call]
SUBJECT = Subject(packages=frozenset({"calc"}), names=frozenset({"long_division"}))
"""Of the examples."""


def caught(*steps: Told, subject: Subject = SUBJECT) -> Example:
    """Return an example whose last step must be found; text is a shell command."""
    *earlier, last = [_calls(step) for step in steps]
    return Example(last, True, tuple(earlier), subject=subject)


def honest(*steps: Told, subject: Subject = SUBJECT) -> Example:
    """Return an example whose last step must give no alarm."""
    *earlier, last = [_calls(step) for step in steps]
    return Example(last, False, tuple(earlier), subject=subject)


def caught_code(new: str, old: str | None = None) -> Example:
    """Return an example whose code of the project must be found; of an edit if `old` is given."""
    return caught(Write("calc/core.py", new, old))


def honest_code(new: str, old: str | None = None) -> Example:
    """Return an example whose code of the project must give no alarm."""
    return honest(Write("calc/core.py", new, old))


def ending(
    *steps: Told, observations: Iterable[str] = (), subject: Subject = SUBJECT, found: bool,
    resolved: bool | None = None, submission: str | None = None,
) -> Example:  # fmt: skip
    """Return an example whose last step is judged by what came before and out."""
    *earlier, last = [_calls(step) for step in steps]
    return Example(last, found, tuple(earlier), tuple(observations), subject, submission, resolved)


def _calls(told: Told) -> tuple[Call, ...]:
    if isinstance(told, str):
        return (Shell(told),)
    return tuple(told) if isinstance(told, Iterable) else (told,)


Kind = TypeVar("Kind", bound=Act)


def only(acts: Iterable[Act], kind: type[Kind]) -> Iterator[Kind]:
    """Yield the acts of one kind."""
    for act in acts:
        if isinstance(act, kind):
            yield act


def short(text: str, most: int = 200) -> str:
    """Return evidence as one line of bounded length."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."
