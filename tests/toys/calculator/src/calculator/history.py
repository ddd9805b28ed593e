"""What was worked out before."""


class History:
    """Keeps expressions with their results, newest last."""

    def __init__(self, limit=100):
        self.limit = limit
        self.entries = []
        self._undone = []

    def record(self, expression, result):
        """Remember a result; the oldest goes where there is no room."""
        self.entries.append((expression, result))
        self._undone.clear()
        del self.entries[: -self.limit]

    def undo(self):
        """Take the newest entry back and return it."""
        if not self.entries:
            raise IndexError("nothing to undo")
        entry = self.entries.pop()
        self._undone.append(entry)
        return entry

    def redo(self):
        """Bring back what was taken back last."""
        if not self._undone:
            raise IndexError("nothing to redo")
        entry = self._undone.pop()
        self.entries.append(entry)
        return entry

    def search(self, text):
        """Return the entries whose expression holds `text`, newest first."""
        found = []
        for expression, result in reversed(self.entries):
            if text in expression:
                found.append((expression, result))
        return found

    def total(self):
        """Return the sum of all results."""
        return sum(result for _, result in self.entries)
