"""What became of a test, from the reports of its phases and of its subtests."""

from typing import Any, Dict

REASON_CHARACTERS = 300
_ORDER = ("passed", "xpassed", "xfailed", "skipped", "error", "failed", "timeout")


class Result:
    """Outcome, duration and reason of the test that is running. The worst phase counts."""

    def __init__(self) -> None:
        self.outcome = "absent"
        self.reason = ""
        self.duration_s = 0.0

    def add(self, report: Any) -> None:
        """Take in the report of a phase, or of a subtest."""
        subtest = getattr(report, "context", None) is not None
        if not subtest:
            self.duration_s += getattr(report, "duration", 0.0)
        outcome = _outcome(report)
        if outcome not in _ORDER or (outcome == "passed" and report.when != "call"):
            return
        if subtest and outcome not in ("failed", "error"):
            return  # the parent has a report of its own
        self.set(outcome, getattr(report, "featuredel_reason", "") or _text(report))

    def set(self, outcome: str, reason: str) -> None:
        """Take this outcome unless a worse one is there already."""
        if self.outcome == "absent" or _ORDER.index(outcome) > _ORDER.index(self.outcome):
            self.outcome, self.reason = outcome, reason


def _outcome(report: Any) -> str:
    if hasattr(report, "wasxfail"):
        return {"skipped": "xfailed", "passed": "xpassed"}.get(report.outcome, "failed")
    if report.outcome == "failed" and report.when != "call":
        return "error"
    return str(report.outcome)


def _text(report: Any) -> str:
    if report.outcome == "passed":
        return ""
    return first_line(getattr(report, "longrepr", "") or "")


def first_line(value: Any) -> str:
    """Return the first line of a value's text that is not blank. Never raises."""
    try:
        text = str(value)
    except BaseException as error:  # the test's own class, it can do anything
        text = "<%s in __str__>" % type(error).__name__
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line), "")[:REASON_CHARACTERS]


def described(error: BaseException) -> str:
    """Return "Type: first line of the message"."""
    text = first_line(error)
    name = type(error).__name__
    return "%s: %s" % (name, text) if text else name


def why_not_imported(error: BaseException) -> str:
    """Return the reason behind pytest's rendered collection error."""
    wrapped: Dict[str, Any] = getattr(error, "__dict__", {})
    cause = error.__cause__ or wrapped.get("cause")
    if type(error).__name__ in ("CollectError", "ConftestImportFailure") and cause is not None:
        return described(cause)
    return described(error)
