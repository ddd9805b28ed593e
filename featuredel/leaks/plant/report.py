"""What a plant test comes to: a line a vector, recall by part, and what was not made."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from featuredel.leaks.plant.measure import Recall
from featuredel.leaks.plant.table import NOT_MADE

PARTS = ("content", "path", "provenance")
_HEADER = ("vector", "family", "planted in", *PARTS, "read by")


@dataclass(frozen=True, slots=True)
class Share:
    """How many of those that had to be found were."""

    found: int
    of: int

    def __str__(self) -> str:
        """Say it; a dash where none had to be."""
        return f"{self.found}/{self.of}" if self.of else "-"


def share(recalls: Iterable[Recall], part: str) -> Share:
    """Return the recall of one of `PARTS`."""
    told = [value for recall in recalls if (value := getattr(recall, part)) is not None]
    return Share(sum(told), len(told))


def vectors_made(recalls: Iterable[Recall]) -> frozenset[str]:
    """Return the vectors that were planted at least once."""
    return frozenset(recall.vector for recall in recalls if not recall.unmade)


def markdown(recalls: Sequence[Recall]) -> str:
    """Return the whole result as Markdown: a summary, a table, and what was not made."""
    lines = [*summary(recalls), "", _row(_HEADER), _row("---" for _ in _HEADER)]
    lines += [_row(cells) for cells in _cells(recalls)]
    return "\n".join([*lines, "", *_unmade(recalls), *_never()]) + "\n"


def summary(recalls: Sequence[Recall]) -> list[str]:
    """Return a few lines that say how many vectors there are, and the recall of each part."""
    answers = sorted({recall.answer for recall in recalls if not recall.unmade})
    made, every = vectors_made(recalls), {recall.vector for recall in recalls}
    parts = ", ".join(f"{part} {share(recalls, part)}" for part in PARTS)
    lines = [
        f"{len(made)} of {len(every)} vectors planted, with {', '.join(answers)}.",
        f"Recall: {parts}.",
    ]
    missed = [f"{r.vector} ({r.answer})" for r in recalls if r.missed]
    if missed:
        lines.append(f"Missed: {', '.join(missed)}.")
    broken = [f"{r.vector} ({r.answer}): {_short(r.unmade)}" for r in recalls if r.broken]
    return lines + [f"Failed to make {line}" for line in broken]


def _cells(recalls: Sequence[Recall]) -> Iterable[tuple[str, ...]]:
    for name in dict.fromkeys(recall.vector for recall in recalls):
        own = [recall for recall in recalls if recall.vector == name]
        planted = [recall for recall in own if not recall.unmade]
        if planted:
            parts = [str(share(planted, part)) for part in PARTS]
            views = sorted({recall.view for recall in planted if recall.view})
            yield (name, own[0].family, str(len(planted)), *parts, ", ".join(views))


def _unmade(recalls: Sequence[Recall]) -> list[str]:
    reasons = {
        f"- {recall.vector} ({recall.answer}): {_short(recall.unmade)}"
        for recall in recalls
        if recall.unmade and not recall.broken
    }
    return ["Not made on this machine:", "", *sorted(reasons), ""] if reasons else []


def _never() -> list[str]:
    lines = [f"- {what}: {why}" for what, why in NOT_MADE.items()]
    return ["Of the catalogue, not made on any machine:", "", *lines]


def _short(text: str) -> str:
    return text.strip().splitlines()[-1][:200] if text.strip() else ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
