"""Credentials in a tree: what must never be passed on with a dataset.

Only what is certain by its form counts: private keys with their content, and tokens whose prefix
their issuer reserves. Tests, documentation and examples carry keys that were made for them; these
are left alone, but a token is looked for in documentation and examples as well.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from featuredel import trees

_PRIVATE_KEY = re.compile(
    # every repetition is bounded: the files are hostile
    rb"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----\s{1,4}"
    rb"(?:[A-Za-z-]{1,40}: [^\n]{0,200}\n){0,8}\s{0,4}"  # headers of an encrypted key
    rb"(?:[A-Za-z0-9+/=]{40,200}\s{1,20}){3}"
)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    marks: tuple[bytes, ...]  # one of them stands in every such token; cheap to look for
    pattern: re.Pattern[bytes]


_TOKENS = (
    _Token("AWS access key", (b"AKIA", b"ASIA"), re.compile(rb"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    _Token(
        "GitHub token",
        (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_", b"github_pat_"),
        re.compile(rb"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{82})\b"),
    ),
    _Token("GitLab token", (b"glpat-",), re.compile(rb"\bglpat-[A-Za-z0-9_-]{20}\b")),
    _Token("PyPI token", (b"pypi-AgE",), re.compile(rb"\bpypi-AgE[A-Za-z0-9_-]{60,}")),
    _Token("npm token", (b"npm_",), re.compile(rb"\bnpm_[A-Za-z0-9]{36}\b")),
    _Token("Slack token", (b"xox",), re.compile(rb"\bxox[baprs]-[0-9]{8,}-[A-Za-z0-9-]{20,}")),
    _Token("Stripe key", (b"k_live_",), re.compile(rb"\b[sr]k_live_[A-Za-z0-9]{24,}\b")),
)
_MIN_DISTINCT = 10  # below it a token is a placeholder: ghp_xxxx...
_PLACEHOLDER = re.compile(rb"example|placeholder|dummy|abcdef|12345|01234", re.IGNORECASE)
_TEST_PART = re.compile(r"(?:^|[/_.-])(?:tests?|testing|test_?data|fixtures?|conftest)(?=[/_.-])")
_SHOWN_PART = re.compile(r"(?:^|/)(?:docs?|documentation|examples?|demos?|samples?)(?=/)")


@dataclass(frozen=True, slots=True)
class Credential:
    """Where a credential stands, and of what kind it is. Never the credential itself."""

    path: str
    kind: str


def find_credentials(root: Path) -> Iterator[Credential]:
    """Yield the credentials in the tree, in the order of its paths."""
    for path in trees.files(root):
        lowered = path.lower()
        if _TEST_PART.search(lowered):
            continue
        content = trees.read(root, path)
        if (
            b"PRIVATE KEY" in content
            and not _SHOWN_PART.search(lowered)
            and _PRIVATE_KEY.search(content)
        ):
            yield Credential(path, "private key")
        for token in _TOKENS:
            if any(mark in content for mark in token.marks) and any(
                _is_real(match[0]) for match in token.pattern.finditer(content)
            ):
                yield Credential(path, token.kind)


def _is_real(token: bytes) -> bool:
    return len(set(token)) >= _MIN_DISTINCT and not _PLACEHOLDER.search(token)
