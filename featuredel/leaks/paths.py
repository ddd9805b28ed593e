"""Names of artefacts that a task must not hold."""


def rule(path: str) -> str | None:
    """Return why nothing of this name may be there, or None."""
    return None
