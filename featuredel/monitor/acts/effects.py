"""Which files and hosts a command touches.

A program that is not known counts as reading whatever of its arguments looks like a path.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from featuredel.monitor.acts.output import find_parts
from featuredel.monitor.acts.records import Act, Define, How, Program, Reach, Touch
from featuredel.monitor.acts.session import Session
from featuredel.monitor.readers.tools import patched

_SILENT = frozenset(
    {
        "echo", "printf", "export", "set", "unset", "true", "false", "test", "[", "[[", "mkdir",
        "alias", "which", "type", "hash", "kill", "pkill", "sleep", "date", "basename", "dirname",
        "declare", "local", "readonly", "pip", "pip3", "uv", "conda", "npm", "read", "exit",
        "pytest", "py.test", "tox", "nox", "ruff", "mypy", "black", "isort", "flake8", "pylint",
        "coverage", "make", "command", "pushd", "cd", "popd", "seq", "expr", "return", "wait",
        "build", "sphinx-build", "py_compile", "compileall", "http.server", "venv", "virtualenv",
        "git", "fd", "fdfind", "find", "umask", "ulimit", "id", "whoami", "uname", "jobs",
    }
)  # fmt: skip
_SEARCHERS = frozenset(
    {"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "ugrep", "pcregrep", "rga", "zipgrep"}
)
_LISTERS = frozenset({"ls", "tree", "stat", "file", "du", "dir", "exa", "eza", "lsattr", "vdir"})
_DELETERS = frozenset({"rm", "unlink", "shred", "rmdir"})
_MODES = frozenset({"chmod", "chown", "chattr", "setfacl", "chgrp"})
_COPIERS = frozenset({"cp", "mv", "install", "rsync", "scp"})
_FETCHERS = frozenset(
    {
        "curl", "wget", "aria2c", "axel", "lynx", "links", "elinks", "w3m", "http", "https",
        "httpie", "ftp", "lftp", "nc", "ncat", "netcat", "telnet", "ssh", "sftp", "socat", "dig",
        "nslookup", "host", "drill", "rclone", "gsutil", "aws", "xh", "curlie", "gh", "hub",
        "glab", "ping", "scp", "skopeo", "crane", "oras", "hf", "huggingface-cli", "kaggle",
        "gdown", "getent", "s3cmd", "traceroute", "tracepath", "mtr", "whois", "mail", "mailx",
        "mutt", "neomutt", "msmtp", "sendmail", "swaks", "ipfs", "gcloud", "az", "bq", "b2", "oci",
        "llm", "aichat", "sgpt", "chatgpt", "mods", "wormhole", "croc", "tftp", "sshfs", "mosh",
        "smbclient", "autossh", "rcp", "rsh", "httrack", "wget2", "websocat", "wscat", "tea",
        "resolvectl", "systemd-resolve", "transmission-cli", "webtorrent", "yt-dlp", "chromium",
        "hurl", "nmap",
        "chromium-browser", "google-chrome", "firefox", "wkhtmltopdf", "browsh", "fetchmail",
        "links2", "puf", "saldl", "lwp-request", "lwp-download", "GET", "POST", "wkhtmltoimage",
    }
)  # fmt: skip
_BROWSERS = frozenset(
    {
        "lynx", "links", "links2", "elinks", "w3m", "chromium", "chromium-browser", "firefox",
        "google-chrome", "wkhtmltopdf", "wkhtmltoimage", "browsh",
    }
)  # fmt: skip
_EVALUATORS = frozenset(
    {
        "node", "deno", "bun", "php", "lua", "luajit", "Rscript", "R", "groovy", "julia", "pwsh",
        "powershell", "emacs", "emacsclient", "gdb", "tclsh", "expect", "guile", "sbcl", "ghci",
        "elixir", "iex", "erl", "scala", "jshell", "octave", "swipl", "racket", "raku", "crystal",
        "dart", "nu", "osascript", "qjs",
    }
)  # fmt: skip
"""Programs that run a script in a language of their own, given in their command line."""
_TAKES_PATTERN = re.compile(r"^-\w*[ef]$|^--(?:regexp|file)$")
_VALUED = frozenset({"-A", "-B", "-C", "-m", "--max-count", "-t", "--type", "-d", "-D", "-j", "-M"})
_WRITES = re.compile(
    r"(?:write|append)File(?:Sync)?\(\s*([\"'`])(?P<path>[^\"'`]+)\1\s*,\s*"
    r"([\"'`])(?P<text>(?:\\.|(?!\3).)*)\3",
    re.DOTALL,
)
"""Of node: a path, and what is written there."""
_VERBS = frozenset({"build", "dist", "site", "target", "tags", "docs", "html"})
_ADDRESS = re.compile(r"(?:https?|ftps?|git|ssh|s3|gs)://\S+|^git@\S+")
_EXCLUDES = re.compile(r"^--?(?:exclude|ignore|prune|omit|not)")


def effects(program: Program, session: Session) -> Iterator[Act]:
    """Yield what `program` touches, reaches and defines."""
    name = program.name
    if name in _FETCHERS:
        yield from _reached(program, session)
    elif name in ("find", "fd", "fdfind"):
        yield from _found(program, session)
    elif name in _SEARCHERS:
        yield from _searched(program, session)
    elif name in _COPIERS or name == "ln":
        yield from _copied(program, session)
    elif name in ("tee", "sponge"):
        yield from _touches(program, session, "write", _plain(program.argv[1:]), program.stdin)
    elif name in _DELETERS:
        yield from _touches(program, session, "delete", _plain(program.argv[1:]))
    elif name in ("rename", "prename", "mmv"):
        yield from _touches(program, session, "delete", _plain(program.argv[2:]))
    elif name in _MODES:
        words = [w for w in program.argv[1:] if not re.match(r"^-[Rvfch]+$|^--", w)]
        yield from _touches(program, session, "mode", words[1:])
    elif name == "touch":
        yield from _touches(program, session, "write", _plain(program.argv[1:]), "")
    elif name == "truncate":
        yield from _touches(program, session, "edit", _plain(program.argv[1:])[-1:], "")
    elif name in _LISTERS:
        deep = name in ("ls", "dir") and any(re.match(r"^-\w*R", w) for w in program.argv[1:])
        listed = _plain(program.argv[1:]) or (["."] if session.cwd else [])
        yield from _touches(program, session, "search" if deep else "list", listed)
    elif name in ("sed", "gsed", "perl", "awk", "gawk", "ed", "ex", "vim", "vi", "ruby"):
        yield from _edited(program, session)
    elif name in _EVALUATORS:
        yield from _touches(program, session, "read", _plain(program.argv[1:])[:1])
        yield from _inline(program, session, "\n".join([*program.argv[1:], program.stdin or ""]))
    elif name == "mount":
        for word in program.argv[1:]:
            if re.match(r"[\w.-]+:/|//\w", word):
                yield Reach(word, name, program.text)
    elif name == "dd":
        yield from _dd(program, session)
    elif name == "patch" or (name == "git" and "apply" in program.argv[1:3]):
        yield from _patched(program, session)
    elif name == "alias":
        for word in program.argv[1:]:
            yield Define(word.partition("=")[0], word.partition("=")[2], "alias", program.text)
    elif name in ("export", "declare", "readonly"):
        for word in _plain(program.argv[1:]):
            key, _, value = word.partition("=")
            yield Define(key, value or session.variables.get(key, ""), "variable", program.text)
    elif name == "git" and "--no-index" in program.argv:
        yield from _touches(program, session, "read", _plain(program.argv[2:]))
    elif name == "git" and program.argv[1:2] in (("rm",), ("mv",)):
        yield from _moved(program, session)
    elif name and name not in _SILENT and not name.startswith(("python", "pypy", "ipython")):
        words = list(program.argv[1:])
        if words and words[0] in _VERBS and name not in ("cat", "less", "more", "head", "tail"):
            words = words[1:]  # `docker build .`
        yield from _touches(program, session, "read", _paths(words))
        for word in program.argv[1:]:
            if re.match(r"\w+://|[\w.-]+\.\w{2,}:\d+$", word):
                yield Reach(word, name, program.text)


def _moved(program: Program, session: Session) -> Iterator[Touch]:
    """Yield what `git rm` and `git mv` take away."""
    words = _plain(program.argv[2:])
    if program.argv[1] == "mv" and words:
        yield from _copied(replace(program, argv=program.argv[1:]), session)
        return
    if "--cached" not in program.argv:
        yield from _touches(program, session, "delete", words)


def _plain(words: Sequence[str]) -> list[str]:
    return [w for w in words if w and not w.startswith("-")]


def _paths(words: Sequence[str]) -> list[str]:
    """Return the arguments that look like paths, those of options too."""
    found: list[str] = []
    skip = False
    for word in words:
        if skip or _EXCLUDES.match(word):
            skip = not skip and "=" not in word and _EXCLUDES.match(word) is not None
            continue
        if word.startswith("-"):
            _, equals, word = word.partition("=")
            if not equals:
                continue
        if word and not _ADDRESS.search(word) and "\n" not in word and len(word) < 400:
            found.append(word)
    return found


def _touches(
    program: Program, session: Session, how: How, paths: Sequence[str], new: str | None = None
) -> Iterator[Touch]:
    for path in paths:
        yield Touch(session.resolve(path), how, program.name, program.text, new)


def _found(program: Program, session: Session) -> Iterator[Touch]:
    roots, patterns = find_parts(program.argv)
    how: How = "delete" if "-delete" in program.argv else "search"
    for root in roots:
        for pattern in patterns or [""]:
            path = pattern if pattern.startswith("/") else posixpath.join(root, pattern)
            yield Touch(session.resolve(path), how, program.name, program.text, pattern=pattern)


def _searched(program: Program, session: Session) -> Iterator[Touch]:
    pattern, files, includes = grep_parts(program.argv)
    recursive = program.name in ("rg", "ag", "ack", "ugrep", "rga") or any(
        re.match(r"^-\w*[rR]|^--(?:dereference-)?recursive", w) for w in program.argv[1:]
    )
    if not files and program.stdin is None and recursive:
        files = ["."]
    how: How = "search" if recursive else "read"
    for file in files:
        for include in includes or [""]:
            path = session.resolve(posixpath.join(file, include) if include else file)
            yield Touch(path, how, program.name, program.text, pattern=pattern)


def grep_parts(argv: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """Return of a grep: what it looks for, where, and only in which files."""
    pattern: str | None = None
    files: list[str] = []
    includes: list[str] = []
    number = 1
    while number < len(argv):
        word = argv[number]
        following = argv[number + 1] if number + 1 < len(argv) else ""
        if word.startswith("--include="):
            includes.append(word.partition("=")[2])
        elif word in ("-g", "--glob", "--iglob", "--include"):
            includes += [following] if following and not following.startswith("!") else []
            number += 1
        elif _TAKES_PATTERN.match(word):
            pattern = f"{pattern}|{following}" if pattern else following
            number += 1
        elif word in _VALUED:
            number += 1
        elif not word.startswith("-") or word == "-":
            if pattern is None:
                pattern = word
            else:
                files.append(word)
        number += 1
    return pattern or "", files, includes


def _copied(program: Program, session: Session) -> Iterator[Touch]:
    words = [w for w in _paths(program.argv[1:]) if not w.startswith("-")]
    if program.name == "install":
        words = [w for w in words if not re.match(r"^\d{3,4}$", w)]
    if "-t" in program.argv:
        into = list(program.argv[program.argv.index("-t") + 1 :][:1])
        words = [w for w in words if w not in into] + into
    if len(words) == 1 and program.name == "ln":
        words.append(".")
    if len(words) < 2:
        return
    *sources, target = words
    if program.name == "ln":
        link = session.resolve(target)
        to = sources[0]
        if not to.startswith(("/", "~")) and any(re.match(r"^-\w*s", w) for w in program.argv):
            to = posixpath.join(posixpath.dirname(link), to)
        yield Touch(link, "link", "ln", program.text, session.resolve(to))
        return
    for source in sources:
        at = session.resolve(source)
        yield Touch(at, "read", program.name, program.text)
        if program.name == "mv":
            yield Touch(at, "delete", program.name, program.text)
        place = session.resolve(target)
        name = posixpath.basename(source.rstrip("/"))
        if target.endswith("/") or len(sources) > 1 or target in (".", ".."):
            place = posixpath.join(place, name)
        new = session.files.get(at)
        yield Touch(place, "write", program.name, program.text, new, pattern=at)


def _edited(program: Program, session: Session) -> Iterator[Act]:
    """Yield what an editor of streams reads, or changes in place."""
    flags = [w for w in program.argv[1:] if w.startswith("-")]
    words = _plain(program.argv[1:])
    if program.name in ("awk", "gawk"):
        words = [w for w in words if w != "inplace"]
    recovers = program.name in ("vim", "vi", "ex") and any(f in flags for f in ("-r", "-R"))
    in_place = (program.name in ("ed", "ex", "vim", "vi") and not recovers) or any(
        re.match(r"^-\w*i|^--in-place", f) for f in flags
    )
    scripts = [
        program.argv[n + 1]
        for n, w in enumerate(program.argv[:-1])
        if re.match(r"^-\w*e$|^--expression$|^-c$", w)
    ]
    if not scripts and program.name not in ("ed", "ex", "vim", "vi"):
        scripts, words = words[:1], words[1:]
    script = "\n".join(scripts) or program.stdin or ""
    files = [w for w in words if w not in scripts and not w.startswith("+")]
    if program.name in ("awk", "gawk"):
        in_place = "inplace" in program.argv
    how: How = "edit" if in_place else "read"
    if in_place and program.name in ("vim", "vi", "ex"):
        yield from _touches(program, session, "read", files)
    yield from _touches(program, session, how, files, script if in_place else None)
    for taken in re.findall(r"(?:^|[/;\d$\s])r\s+(\S+)", script) if in_place else ():
        text = session.files.get(session.resolve(taken))
        if text is not None:
            yield from (Touch(session.resolve(f), "edit", "r", program.text, text) for f in files)
    for flag in flags:
        if in_place and re.match(r"^-i\.?\w+$", flag) and program.name in ("sed", "gsed", "perl"):
            copies = [f"{file}{flag[2:]}" for file in files]
            yield from _touches(program, session, "write", copies)
    if program.name in ("perl", "ruby"):
        yield from _inline(program, session, script)
    if program.name in ("vim", "vi", "ex", "ed"):
        for path in re.findall(
            r"(?:^|[:\n])\s*(?:e|edit|r|read|rundo|view|sp\w*)!? +(\S+)", script
        ):
            if _ADDRESS.search(path):
                yield Reach(path, program.name, program.text)
            else:
                yield Touch(session.resolve(path), "read", program.name, program.text)


def _inline(program: Program, session: Session, script: str) -> Iterator[Act]:
    """Yield the paths and addresses that a script in another language quotes."""
    for path in re.findall(r"[\"'`<]([\w~./*-]*[./][\w./*-]+)[\"'`>]", script):
        yield Touch(session.resolve(path), "read", program.name, program.text)
    for written in _WRITES.finditer(script):
        text = written["text"].replace("\\n", "\n").replace("\\'", "'").replace('\\"', '"')
        yield Touch(session.resolve(written["path"]), "write", program.name, program.text, text)
    if re.search(r"\.py[co]\b|__pycache__", script):
        yield Touch(session.resolve("*.pyc"), "search", program.name, program.text)
    for address in [*_ADDRESS.findall(script), *re.findall(r"[\w-]+(?:\.[\w-]+)+:\d+", script)]:
        yield Reach(address.rstrip("\"')`;"), program.name, program.text)


def _dd(program: Program, session: Session) -> Iterator[Touch]:
    for word in program.argv[1:]:
        key, _, value = word.partition("=")
        if key in ("if", "of"):
            how: How = "read" if key == "if" else "write"
            new = program.stdin if key == "of" else None
            yield Touch(session.resolve(value), how, "dd", program.text, new)


def _patched(program: Program, session: Session) -> Iterator[Touch]:
    text = program.stdin or ""
    if program.name == "patch":
        yield from _touches(program, session, "edit", _plain(program.argv[1:])[:1])
    for word in _plain(program.argv[1:]):
        text = text or session.files.get(session.resolve(word), "")
    for write in patched(text):
        how: How = "write" if write.old is None else "edit"
        yield Touch(
            session.resolve(write.path), how, program.name, program.text, write.new, write.old
        )


def _is_file(word: str) -> bool:
    """Tell whether what a browser is given is a page on this machine."""
    if word.startswith(("file:", "/", "./", "../", "~")):
        return True
    first = word.partition("/")[0]
    return (
        "://" not in word
        and word.endswith((".html", ".htm", ".xhtml"))
        and ("/" not in word or "." not in first)
    )


def _reached(program: Program, session: Session) -> Iterator[Act]:
    words = _plain(program.argv[1:])
    if program.name in ("nc", "ncat", "netcat") and any(
        re.match(r"^-\w*l", w) for w in program.argv[1:]
    ):
        return  # it listens
    if program.name in _BROWSERS and (pages := [w for w in words if _is_file(w)]):
        for page in pages:
            yield Touch(
                session.resolve(page.removeprefix("file://")), "read", program.name, program.text
            )
        return
    addresses = [w for w in words if _ADDRESS.search(w)]
    hosts = [w for w in words if re.search(r"\w\.\w{2,}|localhost|@|^\d+\.\d+|::", w)]
    targets = addresses or hosts or words[:1]
    if program.name == "scp" or (program.name == "gh" and words):
        targets = [w for w in words if ":" in w] or targets
    if not words and "xargs" in program.wrappers:
        targets = ["?"]
    for target in targets:
        if target.startswith("file://"):
            yield Touch(session.resolve(target[7:]), "read", program.name, program.text)
            continue
        yield Reach(target, program.name, program.text)
    for flag in ("-o", "-O", "--output", "--output-document"):
        if flag in program.argv[:-1] and program.name in ("curl", "wget", "aria2c"):
            path = program.argv[program.argv.index(flag) + 1]
            if not path.startswith("-") and not _ADDRESS.search(path):
                yield Touch(session.resolve(path), "write", program.name, program.text)
