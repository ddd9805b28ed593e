"""Requirements files: finding them, and reading them without their options."""

import re
from collections.abc import Iterator
from pathlib import Path

from featuredel.languages.python.metadata import parse_requirement, read_text

_TEST = re.compile(r"test", re.IGNORECASE)
_DEVELOPMENT = re.compile(r"dev|ci\b|extra|optional|^all$", re.IGNORECASE)
_OTHER = re.compile(
    r"doc|lint|typ(e|ing)|mypy|style|release|build|bench|publish|pre-?commit|[a-z]\d\d"
)
_PLACES = (
    "*requirements*.in",
    "*requirements*.txt",
    "*reqs*.txt",
    "*test*.txt",
    "requirements/*.in",
    "requirements/*.txt",
    "requirements*/**/*.txt",
    "tests/*requirements*.txt",
    "test/*requirements*.txt",
    "ci/*requirements*.txt",
    ".ci/*requirements*.txt",
)


def test_files(root: Path) -> tuple[str, ...]:
    """Return the requirements files that are named for tests, in a stable order."""
    return tuple(path for path in _candidates(root) if _TEST.search(_label(path)))


def development_files(root: Path) -> tuple[str, ...]:
    """Return those that are named for development in general, and then the unnamed ones."""
    rest = [path for path in _candidates(root) if not _TEST.search(_label(path))]
    named = [path for path in rest if _DEVELOPMENT.search(_label(path))]
    plain = [path for path in rest if re.sub(r"\W", "", _label(path)) in ("", "base", "default")]
    return (*named, *plain)


def read_requirements(root: Path, path: str) -> tuple[str, ...]:
    """Return the requirements of a file and of those that it includes by `-r`.

    Index options, constraints, hashes, paths and URLs are left out, and files outside of `root`
    are never opened.
    """
    named = root.resolve() / path
    written = named.with_suffix(".in")  # a compiled file pins what suited one interpreter
    chosen = written if named.suffix == ".txt" and written.is_file() else named
    return tuple(_read(root.resolve(), chosen, set()))


def _read(root: Path, path: Path, seen: set[Path]) -> Iterator[str]:
    resolved = path.resolve()
    if resolved in seen or not resolved.is_relative_to(root) or len(seen) > 50:
        return
    seen.add(resolved)
    for line in read_text(resolved).replace("\\\n", " ").splitlines():
        text = re.sub(r"(^|\s)#.*$", "", line).strip()
        included = re.match(r"(?:-r|--requirement)[\s=]*(\S+)", text)
        if included:
            yield from _read(root, resolved.parent / included.group(1), seen)
        elif text and not text.startswith("-"):
            requirement = parse_requirement(re.split(r"\s--\w", text)[0])
            if requirement is not None:
                yield str(requirement)


def _candidates(root: Path) -> list[str]:
    """Return requirements files, `.in` before the `.txt` that was made from it."""
    found: dict[str, None] = {}
    for pattern in _PLACES:
        for path in sorted(root.glob(pattern)):
            relative = path.relative_to(root).as_posix()
            compiled_from = path.suffix == ".txt" and path.with_suffix(".in").is_file()
            if path.is_file() and not compiled_from and not _OTHER.search(_label(relative)):
                found.setdefault(relative)
    return list(found)


def _label(path: str) -> str:
    """Return what is telling in a name: `requirements/dev.txt` and `dev-requirements.txt`: dev."""
    name = re.sub(r"\.(txt|in)$", "", path.rpartition("/")[2])
    folder = path.rpartition("/")[0]
    label = re.sub(r"requirements?|reqs?", "", name)
    return label or ("" if re.fullmatch(r"requirements?|", folder) else folder)
