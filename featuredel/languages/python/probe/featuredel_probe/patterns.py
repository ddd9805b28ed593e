"""Regular expressions that were compiled before: many modules compile some when imported."""

import contextlib
import importlib
import re
import sys
import warnings
from typing import Any, Dict, List, Tuple

MOST = 500
LONGEST = 2_000

Key = Tuple[str, int]
"""A pattern and its flags."""


class Patterns:
    """By what is compiled; a fork says what it had to compile, as with source."""

    def __init__(self) -> None:
        self.missed: List[Key] = []
        self._known: Dict[Key, Any] = {}
        name = "re._compiler" if sys.version_info >= (3, 11) else "sre_compile"
        self._compiler: Any = importlib.import_module(name)
        self._compile: Any = self._compiler.compile

    def install(self) -> None:
        """Have `re` look here first."""

        def compiled(pattern: Any, flags: Any = 0) -> Any:
            if type(pattern) is not str or len(pattern) > LONGEST:
                return self._compile(pattern, flags)
            key = (pattern, int(flags))
            found = self._known.get(key)
            if found is None:
                found = self._compile(pattern, flags)
                self.missed.append(key)
            return found

        self._compiler.compile = compiled

    def expect(self, missed: List[Key]) -> None:
        """Compile these here, but what says more than its result."""
        for key in missed:
            if len(self._known) < MOST and key not in self._known and not key[1] & re.DEBUG:
                with contextlib.suppress(Exception), warnings.catch_warnings():
                    warnings.simplefilter("error")
                    self._known[key] = self._compile(*key)
