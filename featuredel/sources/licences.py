"""Licences as SPDX expressions, and the policy that allows or refuses them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

UNKNOWN_LICENCE = "LicenseRef-unknown"

PERMISSIVE_LICENCES = (
    "0BSD",
    "AFL-3.0",
    "Apache-2.0",
    "Artistic-2.0",
    "BlueOak-1.0.0",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CC-BY-4.0",
    "CNRI-Python",
    "HPND",
    "ISC",
    "MIT",
    "MIT-0",
    "MIT-CMU",
    "PSF-2.0",
    "Python-2.0",
    "Unlicense",
    "UPL-1.0",
    "WTFPL",
    "X11",
    "Zlib",
    "ZPL-2.1",
)
"""What is allowed where repos.yaml says nothing: the trees may be passed on with their notices,
and what is written on top of them need not carry the same licence."""


@dataclass(frozen=True, slots=True)
class LicencePolicy:
    """Which licences may enter a dataset. Patterns may hold `*`: `GPL-*`."""

    allow: tuple[str, ...] = PERMISSIVE_LICENCES
    """SPDX ids that may enter. `*` allows every known licence."""

    refuse: tuple[str, ...] = ()
    """SPDX ids that may not, whatever `allow` says."""

    unknown: Literal["refuse", "allow"] = "refuse"
    """What becomes of a repository whose licence could not be told and is not stated."""


def permits(policy: LicencePolicy, expression: str) -> bool:
    """Tell whether the policy allows a valid SPDX expression.

    Of `A OR B` one side must be allowed, of `A AND B` both; `A WITH exception` counts as A.
    """
    if expression == UNKNOWN_LICENCE:
        return policy.unknown == "allow"
    tokens = re.findall(r"[()]|[^\s()]+", expression)
    return _either(tokens, lambda licence: _permits_one(policy, licence))


def _permits_one(policy: LicencePolicy, licence: str) -> bool:
    def matches(patterns: tuple[str, ...]) -> bool:
        # "GPL-2.0+" and "GPL-2.0-or-later" are named apart, as SPDX does
        return any(fnmatchcase(licence.lower(), pattern.lower()) for pattern in patterns)

    return matches(policy.allow) and not matches(policy.refuse)


def _either(tokens: list[str], permitted: Callable[[str], bool]) -> bool:
    result = _both(tokens, permitted)
    while tokens and tokens[0].upper() == "OR":
        del tokens[0]
        result = _both(tokens, permitted) or result
    return result


def _both(tokens: list[str], permitted: Callable[[str], bool]) -> bool:
    result = _one(tokens, permitted)
    while tokens and tokens[0].upper() == "AND":
        del tokens[0]
        result = _one(tokens, permitted) and result
    return result


def _one(tokens: list[str], permitted: Callable[[str], bool]) -> bool:
    word = tokens.pop(0)
    if word == "(":
        result = _either(tokens, permitted)
        del tokens[0]  # the closing bracket
        return result
    if tokens and tokens[0].upper() == "WITH":
        del tokens[:2]
    return permitted(word)
