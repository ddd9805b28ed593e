"""Tests whose examples hypothesis generates must not fail for the speed of the machine."""

import contextlib
import sys
from typing import Any, Iterable


def ignore_the_clock(items: Iterable[Any]) -> None:
    """Remove hypothesis's deadlines and its checks of health, which both read the clock."""
    hypothesis: Any = sys.modules.get("hypothesis")
    if hypothesis is None:
        return
    for item in items:
        function: Any = getattr(item, "obj", None)
        function = getattr(function, "__func__", function)
        if getattr(function, "is_hypothesis_test", False):
            with contextlib.suppress(Exception):  # its attributes differ from version to version
                given = getattr(function, "_hypothesis_internal_use_settings", None)
                function._hypothesis_internal_use_settings = hypothesis.settings(
                    given or hypothesis.settings(),
                    deadline=None,
                    suppress_health_check=list(hypothesis.HealthCheck),
                )
