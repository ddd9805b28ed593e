"""Credentials are found where they are real, and left alone where they are made for tests.

The samples are put together at run time, so that no scanner takes this file for a leak.
"""

from pathlib import Path

import pytest

from featuredel.sources.credentials import Credential, find_credentials

BODY = "MIIEpAIBAAKCAQEA7bq0l3v5T1uX0Qw2hKfWq8mZ5n6yR4sJ9dVtLpXoGcUeHiAz\n" * 4
KEY = f"-----BEGIN RSA {'PRIVATE'} KEY-----\n{BODY}-----END RSA {'PRIVATE'} KEY-----\n"
GITHUB = "ghp" + "_" + "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW1xY2"
AWS = "AK" + "IAQ7WZ3XK5VN2MPLRT"


def found(root: Path, path: str, text: str) -> list[Credential]:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
    return list(find_credentials(root))


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("deploy/id_rsa", KEY, "private key"),
        ("src/settings.py", f'KEY = """{KEY}"""\n', "private key"),
        (".env", f"TOKEN={GITHUB}\n", "GitHub token"),
        ("docs/guide.md", f"use {GITHUB} here", "GitHub token"),
        ("config.ini", f"key = {AWS}\n", "AWS access key"),
        ("latest/config.ini", f"key = {AWS}\n", "AWS access key"),
    ],
)
def test_real_ones(tmp_path: Path, path: str, text: str, kind: str) -> None:
    assert found(tmp_path, path, text) == [Credential(path, kind)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/certs/server.key", KEY),
        ("pkg/test_data/server.key", KEY),
        ("tests/test_tokens.py", GITHUB),
        ("docs/usage.rst", KEY),
        ("examples/server/key.pem", KEY),
        ("src/pem.py", f'if line == "-----BEGIN RSA {"PRIVATE"} KEY-----":\n    pass\n'),
        ("README.md", "ghp" + "_" + "x" * 36),
        ("README.md", "AK" + "IAIOSFODNN7EXAMPLE"),
        ("src/cert.pem", f"-----BEGIN CERTIFICATE-----\n{BODY}-----END CERTIFICATE-----\n"),
    ],
)
def test_what_is_none(tmp_path: Path, path: str, text: str) -> None:
    assert found(tmp_path, path, text) == []
