"""What a command prints, where its text alone tells: enough to follow pipes and substitutions."""

import base64
import binascii
import codecs
import gzip
import posixpath
import re
import zlib
from collections.abc import Mapping
from dataclasses import replace

from featuredel.languages.shell import Command

_TEXT = frozenset({"cat", "tee", "head", "tail", "sort", "uniq", "tac", "nl", "column", "xargs"})
_FILTERS = frozenset({"grep", "egrep", "fgrep", "rg"})
_SITE = (
    "sys.path",
    "site.getsitepackages",
    "sysconfig.get_path",
    "get_python_lib",
    "purelib",
    "getusersitepackages",
)

_RUNNER = re.compile(
    r"\b(?P<module>(?:_pytest|pytest|pluggy|unittest|pip|hypothesis|setuptools|coverage|xdist|doctest"
    r"|pytest_\w+)(?:\.\w+)*)\b"
)
_PLACE = re.compile(r"__(?:file|path|spec)__|\bgetfile\b|getsourcefile|\.origin\b")
_FOLDERS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "go": (("GOMODCACHE", "GOPATH"), "~/go/pkg/mod"),
    "npm": (("root",), "/usr/lib/node_modules"),
    "pip": (("dir",), "~/.cache/pip"),
    "pip3": (("dir",), "~/.cache/pip"),
    "uv": (("dir",), "~/.cache/uv"),
    "poetry": (("cache-dir",), "~/.cache/pypoetry"),
}
"""What these programs print of where they keep things."""


def said(command: Command) -> str | None:
    """Return what `command` prints, None where that cannot be told.

    Lists of files are told by their patterns: `find . -name '*.pyc'` prints "./*.pyc".
    """
    argv = command.argv
    if not argv:
        return None
    name = posixpath.basename(argv[0])
    if name == "echo":
        text = " ".join(a for n, a in enumerate(argv[1:]) if n or a not in ("-n", "-e", "-ne"))
        escapes = any(a in ("-e", "-ne") for a in argv[1:2])
        return text.replace("\\n", "\n").replace("\\t", "\t") if escapes else text
    if name == "printf":
        return _printf(argv[1:])
    if name in ("which", "command", "type", "whereis") and len(argv) > 1:
        return f"/usr/bin/{posixpath.basename(argv[-1])}"
    if name == "xargs" and command.stdin and len(argv) > 1:
        words = [word for word in argv[1:] if not word.startswith("-")]
        return said(replace(command, argv=(*words, *command.stdin.split()), stdin=None))
    if name in _TEXT or name in _FILTERS:
        return _passed(name, argv, command.stdin)
    if name in ("find", "fd", "fdfind"):
        return found_by(argv)
    if name in ("ls", "realpath", "readlink"):
        listed = [a for a in argv[1:] if not a.startswith("-")]
        return "\n".join(listed) if listed else command.stdin
    if name == "git":
        return _git(argv)
    if name in ("locate", "plocate", "mlocate"):
        return "\n".join(f"/*{a}*" for a in argv[1:] if not a.startswith("-"))
    if name in _FOLDERS and any(word in argv for word in _FOLDERS[name][0]):
        return _FOLDERS[name][1]
    if name.startswith("python"):
        return _python(argv)
    if name in ("pip", "pip3") and argv[1:2] == ("show",) and _RUNNER.fullmatch(argv[-1]):
        return "/usr/lib/python3/site-packages"
    if name in ("awk", "cut", "sed") and command.stdin == "/usr/lib/python3/site-packages":
        return command.stdin
    if name == "dirname" and len(argv) > 1:
        return posixpath.dirname(argv[-1])
    return decoded(name, argv, command.stdin)


def _python(argv: tuple[str, ...]) -> str | None:
    """Return the folder that a line of Python prints, where it is one of installed packages."""
    if any(part in argv[-1] for part in _SITE) or "--user-site" in argv:
        return "/usr/lib/python3/site-packages"
    runner = _RUNNER.search(argv[-1])
    if not runner or not _PLACE.search(argv[-1]):
        return None
    module = runner["module"].partition(".__")[0].replace(".", "/")
    return f"/usr/lib/python3/site-packages/{module}{'' if '/' in module else '/__init__'}.py"


def _printf(given: tuple[str, ...]) -> str | None:
    if not given:
        return None
    form = codecs.decode(given[0].encode("latin-1", "ignore"), "unicode_escape", "replace")
    for value in given[1:]:
        form = form.replace("%s", value, 1) if "%s" in form else f"{form} {value}"
    return form


def _passed(name: str, argv: tuple[str, ...], stdin: str | None) -> str | None:
    files = [a for a in argv[1:] if not a.startswith("-")]
    if name in _FILTERS:  # the lines that remain are among those that came in
        return stdin if len(files) <= 1 else "\n".join(files[1:])
    return stdin if not files or name in ("tee", "head", "tail") else None


def _git(argv: tuple[str, ...]) -> str | None:
    if "rev-parse" in argv:
        if any(a in argv for a in ("--git-dir", "--absolute-git-dir", "--git-common-dir")):
            return ".git"
        if "--show-toplevel" in argv:
            return "."
    if "ls-files" in argv or "diff" in argv:
        return None
    if any(a in argv for a in ("rev-list", "log", "reflog", "fsck")):
        return "0123456789abcdef0123456789abcdef01234567"
    return None


def decoded(name: str, argv: tuple[str, ...], stdin: str | None) -> str | None:
    """Return what a decoding program makes of a known input."""
    if stdin is None:
        return None
    flags = "".join(a for a in argv[1:] if a.startswith("-"))
    raw = stdin.encode("latin-1", "replace")
    try:
        if name == "base64" and "d" in flags.lower():
            return base64.b64decode(raw).decode("latin-1")
        if name == "base32" and "d" in flags:
            return base64.b32decode(raw.strip()).decode("latin-1")
        if name == "openssl" and "base64" in argv:
            return base64.b64decode(raw).decode("latin-1")
        if name == "xxd" and "r" in flags:
            return bytes.fromhex("".join(stdin.split())).decode("latin-1")
        if name in ("gunzip", "zcat", "gzip") and ("d" in flags or name != "gzip"):
            return gzip.decompress(raw).decode("latin-1")
    except (ValueError, binascii.Error, OSError, EOFError, zlib.error):
        return None
    if name == "rev":
        return "\n".join(line[::-1] for line in stdin.splitlines())
    if name == "tr" and len(argv) == 3:
        return _translated(stdin, argv[1], argv[2])
    return None


def _translated(text: str, old: str, new: str) -> str | None:
    old, new = _ranges(old), _ranges(new)
    if old == "-d":
        return "".join(sign for sign in text if sign not in new)
    return text.translate(str.maketrans(old, new)) if len(old) == len(new) else None


def _ranges(spec: str) -> str:
    out, number = "", 0
    while number < len(spec):
        if spec[number + 1 : number + 2] == "-" and number + 2 < len(spec):
            out += "".join(map(chr, range(ord(spec[number]), ord(spec[number + 2]) + 1)))
            number += 3
        else:
            out += spec[number]
            number += 1
    return out


def found_by(argv: tuple[str, ...]) -> str:
    """Return the patterns of what a `find` finds, one a line, below its folders."""
    roots, patterns = find_parts(argv)
    return "\n".join(
        pattern if pattern.startswith("/") else posixpath.join(root, pattern)
        for root in roots
        for pattern in patterns or ["*"]
    )


def find_parts(argv: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return of a `find` or `fd`: its folders, the patterns it looks for."""
    if posixpath.basename(argv[0]) != "find":
        return _fd_parts(argv)
    roots: list[str] = []
    patterns: list[str] = []
    number = 1
    while number < len(argv) and argv[number][:1] not in ("-", "(", "!"):
        roots.append(argv[number])
        number += 1
    negated = False
    while number < len(argv):
        word = argv[number]
        if word in ("-not", "!"):
            negated = not negated
        elif word in ("-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex"):
            pruned = "-prune" in argv[number + 2 : number + 5]
            value = argv[number + 1] if number + 1 < len(argv) else ""
            if not negated and not pruned:
                patterns.append(value)
            negated = False
            number += 1
        number += 1
    return roots or ["."], patterns


def _fd_parts(argv: tuple[str, ...]) -> tuple[list[str], list[str]]:
    plain: list[str] = []
    patterns: list[str] = []
    previous = ""
    for word in argv[1:]:
        if previous in ("-e", "--extension"):
            patterns.append(f"*.{word}")
        elif not word.startswith("-") and previous not in ("-t", "--type", "-E", "--exclude", "-d"):
            plain.append(word)
        previous = word
    patterns += plain[:1]
    return plain[1:] or ["."], patterns
