"""repos.yaml: what it may say, and the one line for everything it may not."""

import datetime
from pathlib import Path

import pytest

from featuredel.config import Config, Install, Settings, load
from featuredel.errors import UsageError
from featuredel.sources import ArchiveSource, GitSource, PathSource
from featuredel.sources.licences import LicencePolicy

DIGEST = "cbf08fd0af284dc69718b9b76a8e6203df624d70209ea511e4219d350c856f63"


def config(tmp_path: Path, text: str) -> Config:
    path = tmp_path / "repos.yaml"
    path.write_text(text, encoding="utf-8")
    return load(path)


def message(tmp_path: Path, text: str) -> str:
    """Return the error without the directory of the file."""
    with pytest.raises(UsageError) as caught:
        config(tmp_path, text)
    found = str(caught.value)
    assert "\n" not in found
    return found.replace(f"{tmp_path}/", "")


def test_the_shortest_file(tmp_path: Path) -> None:
    found = config(tmp_path, "repositories:\n- source: pkg:pypi/toolz@1.2.0\n")
    (spec,) = found.repositories
    assert spec.name == "toolz"
    assert spec.origin == ArchiveSource("pypi", "toolz", "1.2.0", None)
    assert spec.settings == found.settings == Settings()
    assert spec.licences == LicencePolicy()
    assert spec.install is None


def test_everything(tmp_path: Path) -> None:
    found = config(
        tmp_path,
        f"""
defaults: {{max_tasks: 5, python: 3.12, test: tests}}
licences: {{allow: [MIT], refuse: ["GPL-*"], unknown: allow}}
repositories:
- source: pkg:pypi/More_Itertools@11.2.1
  sha256: {DIGEST.upper()}
  install: [".[test, docs]", "pytest >=8"]
  python: 3.10
  licence: mit
  forms: [removal, stub]
  exclude_newer: 2025-01-31
  max_tasks: 7
  test_timeout_s: 20
- source: git+https://example.org/group/project.git@release/1.x
  install: {{requirements: ["a[b]>1; python_version > '3'"], extras: [x], groups: [dev]}}
- source: checkouts/one
  name: other
""",
    )
    first, second, third = found.repositories
    assert first.origin == ArchiveSource("pypi", "more-itertools", "11.2.1", DIGEST)
    assert first.install == Install(("pytest>=8",), ("test", "docs"))
    assert (first.python, first.licence, first.test) == ("3.10", "MIT", ("tests",))
    assert first.settings.forms == ("removal", "stub")
    assert first.settings.exclude_newer == datetime.date(2025, 1, 31)
    assert (first.settings.max_tasks, found.settings.max_tasks) == (7, 5)
    assert first.settings.test_timeout_s == 20.0
    assert first.licences == LicencePolicy(("MIT",), ("GPL-*",), "allow")
    assert second.origin == GitSource("https://example.org/group/project.git", "release/1.x")
    assert (second.name, second.python, second.settings.max_tasks) == ("project", "3.12", 5)
    assert second.install is not None
    assert second.install.groups == ("dev",)
    assert third.origin == PathSource(tmp_path / "checkouts" / "one")
    assert third.name == "other"
    assert third.place == f"{tmp_path}/repos.yaml:16: repositories[2].source"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("sorce: x", "repos.yaml:3: repositories[0].sorce: unknown key; did you mean 'source'?"),
        ("zzz: x", "repos.yaml:3: repositories[0].zzz: unknown key 'zzz'; one of: "),
        ("max_tasks: many", "max_tasks: expected a whole number, found text 'many'"),
        ("max_tasks: 0", "max_tasks: must be at least 1, found 0"),
        ("max_tasks: 1.5", "max_tasks: expected a whole number, found a number '1.5'"),
        ("max_tasks: true", "max_tasks: expected a whole number, found true or false 'true'"),
        ("max_overlap: 2", "max_overlap: must be at least 0 and at most 1, found 2"),
        ("forms: stub", "forms: expected a list, found text 'stub'"),
        ("forms: [stubb]", "forms[0]: unknown value; did you mean 'stub'?"),
        ("forms: []", "forms: must name at least one, and none twice"),
        ("forms: [stub, stub]", "forms: must name at least one, and none twice"),
        ("test_timeout_s: .inf", "test_timeout_s: must be at least 0.001 and at most 1e+06"),
        ("memory_bytes: 1", "memory_bytes: must be at least 6.71089e+07"),
        (f"processes: 1{30 * '0'}", "processes: must be at least 1 and at most"),
        (
            "sandbox: jail",
            "sandbox: unknown value 'jail'; one of: account, auto, bubblewrap, docker, none",
        ),
        ("base_image: debian:12", "base_image: 'debian:12' is not pinned; write it as NAME@sha256"),
        ("exclude_newer: 2025-13-45", "exclude_newer: not a date: '2025-13-45'"),
        ("python: 2.7", "python: '2.7' is no Python version"),
        ("python:", "python: expected text, found nothing"),
        ("licence: My Own", "licence: 'My Own' is no SPDX licence expression"),
        ("install: pytest", "install: expected a list, found text 'pytest'"),
        ("install: [pip install x]", "install[0]: 'pip install x' is no requirement"),
        ("install: {extra: [a]}", "install.extra: unknown key; did you mean 'extras'?"),
        ("sha256: abc", "sha256: not a SHA-256 digest"),
        ("name: a/b", "name: 'a/b' cannot name a repository"),
        ("name: ..", "name: '..' cannot name a repository"),
        ("name: [a]", "name: expected text, found a list"),
        ("name: !!python/name:os.system x", "name: expected text, found the tag"),
        ("max_tasks: 1\n  max_tasks: 2", "repos.yaml:4: repositories[0].max_tasks: given twice"),
        ("<<: {}", "<<: unknown key"),
        ("? [a]\n  : b", "repositories[0].?: unknown key"),
    ],
)
def test_errors_of_one_entry(tmp_path: Path, entry: str, expected: str) -> None:
    text = f"repositories:\n- source: pkg:pypi/a@1\n  {entry}\n"
    found = message(tmp_path, text)
    assert expected in found
    assert found.startswith("repos.yaml:")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("pkg:npm/left-pad@1.3.0", "packages of npm are not supported yet"),
        ("pkg:golang/x@1", "packages of golang are not supported yet"),
        ("pkg:cargo/rand@0.7.2", "packages of cargo are not supported yet"),
        ("pkg:gem/rails@1", "unknown registry 'gem'"),
        ("pkg:pypi/toolz", "no version; write pkg:pypi/toolz@VERSION"),
        ("pkg:nothing", "not a package URL"),
        ("pkg:pypi/toolz@1?sha256=12", "not a SHA-256 digest"),
        (f"pkg:pypi/a@1?sha256={DIGEST}&checksum=sha256:{'0' * 64}", "two different SHA-256"),
        ("pkg:pypi/toolz@1?os=linux", "takes no namespace, subpath or other qualifiers"),
        ("https://example.org/a.git", "did you mean 'git+https://example.org/a.git@COMMIT'?"),
        ("https://example.org/a", "not a source; write git+https"),
        ("git+ext::sh -c touch% /tmp/x", "git over 'ext'"),
        ("git+https://user:secret@example.org/a@v1", "a password in the URL would be published"),
        ("git+https://example.org/a@", "nothing after the '@'"),
        ("git+https://example.org/a@--upload-pack=x", "not a git source"),
        ("git+ssh://-oProxyCommand=x/a", "not a git source"),
        ("git+https://example.org/a@v1#subdirectory=b", "takes no query or fragment"),
    ],
)
def test_errors_of_sources(tmp_path: Path, source: str, expected: str) -> None:
    found = message(tmp_path, f'repositories:\n- source: "{source}"\n')
    assert found.startswith("repos.yaml:2: repositories[0].source: ")
    assert expected in found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "repos.yaml: is empty"),
        ("# nothing\n", "repos.yaml: is empty"),
        ("defaults: {}\n", "repos.yaml: no 'repositories'"),
        ("repositories: []\n", "repos.yaml:1: repositories: is empty"),
        ("repositories: pkg:pypi/a@1\n", "repos.yaml:1: repositories: expected a list, found text"),
        ("- a\n", "repos.yaml:1: expected a mapping, found a list"),
        ("repositories:\n- a\n", "repos.yaml:2: repositories[0]: expected a mapping"),
        ("repositories:\n- name: a\n", "repos.yaml:2: repositories[0]: no 'source'"),
        ("repositories:\n- source: [\n", "repos.yaml:3: not valid YAML"),
        ("a: b: c\n", "repos.yaml:1: not valid YAML"),
        ("a: *b\n", "repos.yaml:1: not valid YAML: found undefined alias"),
        ("a: 1\n---\nb: 2\n", "repos.yaml:2: not valid YAML"),
        (3000 * "[", "repos.yaml: nested too deeply"),
        ("a: \x01\n", "repos.yaml: not valid YAML"),
        ("default: {}\n", "repos.yaml:1: default: unknown key; did you mean 'defaults'?"),
        ("defaults: {source: a}\n", "repos.yaml:1: defaults.source: unknown key"),
        ("licences: {allow: MIT}\n", "repos.yaml:1: licences.allow: expected a list"),
        (
            "repositories:\n- source: pkg:pypi/a@1\n- source: pkg:pypi/a@2\n",
            "repos.yaml:3: repositories[1]: the name 'a' is taken by 'pkg:pypi/a@1'",
        ),
        (
            f"repositories:\n- source: a\n  sha256: {DIGEST}\n",
            "repos.yaml:2: repositories[0].source: sha256 pins package URLs only",
        ),
        (
            "licences: {unknown: perhaps}\nrepositories:\n- source: a\n",
            "repos.yaml:1: licences.unknown: unknown value",
        ),
    ],
)
def test_errors_of_whole_files(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in message(tmp_path, text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"absent\.yaml: no such file"):
        load(tmp_path / "absent.yaml")
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        load(tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"a: caf\xe9\n")
    with pytest.raises(UsageError, match=r"latin\.yaml: not UTF-8 at byte 6"):
        load(tmp_path / "latin.yaml")


def test_every_setting_can_be_set(tmp_path: Path) -> None:
    """A new setting needs a type that the file can say."""
    for name in Settings.__dataclass_fields__:
        found = message(
            tmp_path, f"defaults: {{{name}: {{}}}}\nrepositories:\n- source: pkg:pypi/a@1\n"
        )
        assert f"defaults.{name}: " in found
