"""Sources: what each form means, and the name that it gives a repository."""

from pathlib import Path

import pytest

from featuredel.sources import ArchiveSource, GitSource, PathSource, Source, parse_source

DIGEST = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("text", "expected", "name"),
    [
        (
            "git+https://example.org/a/b.git@v1.0",
            GitSource("https://example.org/a/b.git", "v1.0"),
            "b",
        ),
        ("git+https://example.org/a/b", GitSource("https://example.org/a/b", ""), "b"),
        ("git+ssh://git@example.org/a", GitSource("ssh://git@example.org/a", ""), "a"),
        ("git+file:///srv/a/.git@x/y", GitSource("file:///srv/a/.git", "x/y"), "a"),
        ("pkg:pypi/A_b@1.0", ArchiveSource("pypi", "a-b", "1.0", None), "a-b"),
        (f"pkg:pypi/a@1?sha256={DIGEST}", ArchiveSource("pypi", "a", "1", DIGEST), "a"),
        (
            f"pkg:pypi/a@1?checksum=sha1:ff,sha256:{DIGEST}",
            ArchiveSource("pypi", "a", "1", DIGEST),
            "a",
        ),
        ("some/dir/../a", PathSource(Path("/base/some/a")), "a"),
        ("/srv/a", PathSource(Path("/srv/a")), "a"),
        ("../a@1", PathSource(Path("/a@1")), "a@1"),
    ],
)
def test_sources(text: str, expected: Source, name: str) -> None:
    found = parse_source(text, Path("/base"))
    assert found == expected
    assert found.default_name == name


def test_a_digest_given_twice(tmp_path: Path) -> None:
    found = parse_source(f"pkg:pypi/a@1?sha256={DIGEST}", tmp_path, DIGEST)
    assert found == ArchiveSource("pypi", "a", "1", DIGEST)
    assert isinstance(found, ArchiveSource)
    assert found.url == "pkg:pypi/a@1"
