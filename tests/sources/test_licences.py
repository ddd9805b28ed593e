"""The licence policy."""

import pytest

from featuredel.sources.licences import UNKNOWN_LICENCE, LicencePolicy, permits


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MIT", True),
        ("BSD-3-Clause", True),
        ("GPL-3.0-only", False),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only AND MIT", False),
        ("MIT AND (GPL-2.0-only OR Apache-2.0)", True),
        ("GPL-2.0-only OR MIT AND GPL-3.0-only", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("LicenseRef-Mine", False),
        (UNKNOWN_LICENCE, False),
    ],
)
def test_the_default_is_permissive(expression: str, expected: bool) -> None:
    assert permits(LicencePolicy(), expression) is expected


def test_a_policy_of_ones_own() -> None:
    policy = LicencePolicy(allow=("*",), refuse=("GPL-*",), unknown="allow")
    assert permits(policy, "LGPL-3.0-only")
    assert not permits(policy, "GPL-3.0-or-later")
    assert permits(policy, UNKNOWN_LICENCE)
