"""What calls of agents' tools come to: the same few tools go by many names."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from featuredel.monitor.trajectory import Call, Cell, Look, Read, Shell, Write

_SHELLS = frozenset(
    {
        "bash", "execute_bash", "run_command", "shell", "terminal", "run", "exec", "execute",
        "bash_command", "run_terminal_cmd", "run_shell_command", "local_shell", "exec_command",
        "shell_command", "sh", "cmd", "bashtool", "command", "execute_command", "container.exec",
    }
)  # fmt: skip
_CELLS = frozenset(
    {
        "execute_ipython_cell",
        "ipython",
        "python",
        "run_ipython",
        "jupyter",
        "python_exec",
        "notebook",
    }
)
_COMMAND_KEYS = (
    "command",
    "command_line",
    "cmd",
    "keystrokes",
    "commands",
    "script",
    "input",
    "bash_command",
)
_CODE_KEYS = ("code", "source", "script", "input")
_PATH_KEYS = (
    "path", "file_path", "filename", "file_name", "file", "target_file", "filepath",
    "absolute_path", "relative_path", "dir_path", "directory", "directory_path", "search_path",
    "search_directory", "target_directory", "notebook_path",
)  # fmt: skip
_NEW_KEYS = (
    "file_text", "new_str", "new_string", "content", "contents", "new_text", "code_edit",
    "code_content", "replacement_content", "new_content", "new_source",
    "new_lines", "code",
)  # fmt: skip
_OLD_KEYS = ("old_str", "old_string", "old_text", "target_content", "old_content")
_WEB_KEYS = (
    "url", "query", "q", "search_query", "urls", "uri", "search_term", "prompt", "repo",
    "repository", "repo_name", "library_name", "library_id", "package", "package_name", "question",
)  # fmt: skip
_WEB = (
    "web", "browse", "fetch", "http", "url", "internet", "google", "search_engine", "tavily",
    "brave", "kagi", "serper", "duckduckgo", "perplexity", "exa_", "firecrawl", "crawl", "scrape",
    "stackoverflow", "stack_overflow", "sourcegraph", "deepwiki", "context7", "library_docs",
    "library_id", "navigate", "download", "pypi",
)  # fmt: skip
_SERVERS = frozenset(
    {
        "github", "gitlab", "tavily", "brave", "exa", "perplexity", "deepwiki", "context7",
        "firecrawl", "duckduckgo", "fetch", "playwright", "puppeteer", "browser", "brave_search",
        "brave-search", "sourcegraph", "kagi",
    }
)  # fmt: skip
"""MCP servers that go elsewhere, whatever their tools are called."""
_BLOCK = re.compile(
    r"<{5,}[^\n]*\n(?:[^\n]*line[^\n]*\n-+\n)?(.*?)\n?={5,}\n(.*?)\n?>{5,}", re.DOTALL
)
_READS = ("read", "view", "open", "cat")
_PATCHES = ("patch", "diff")


def calls_of(name: str, arguments: Any) -> tuple[Call, ...]:
    """Return what a call of a tool does; nothing for tools that touch nothing (think, finish).

    `arguments` is a mapping, or the JSON text of one.
    """
    server, _, tool = name.lower().rpartition("__")
    told = {_snake(key): value for key, value in _mapping(arguments).items()}
    if server.rpartition("__")[2] in _SERVERS:
        return tuple(Look(text) for text in _texts(told, (*_WEB_KEYS, "path", "owner", "text")))
    return tuple(_calls(tool, told))


def _snake(key: str) -> str:
    """Return a key in the spelling that most tools use: `AbsolutePath` is `absolute_path`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", str(key)).lower()


def _mapping(arguments: Any) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return {"command": arguments, "code": arguments, "input": arguments}
    return arguments if isinstance(arguments, Mapping) else {}


def _calls(name: str, arguments: Mapping[str, Any]) -> Iterator[Call]:
    path, command = _first(arguments, _PATH_KEYS), _first(arguments, ("command",))
    if name in _SHELLS or (name.endswith(("bash", "shell", "terminal")) and not path):
        yield from (Shell(text) for text in _texts(arguments, _COMMAND_KEYS))
    elif name in _CELLS or (name.endswith(("python", "ipython")) and not path):
        yield from (Cell(text) for text in _texts(arguments, _CODE_KEYS))
    elif any(part in name for part in _WEB):
        yield from (Look(text) for text in _texts(arguments, _WEB_KEYS))
    elif search := _searched(name, path, arguments):
        yield Shell(search)
    elif any(part in name for part in _PATCHES) and not path:
        for text in _texts(arguments, ("patch", "diff", "input")):
            yield from patched(text)
    elif path:
        yield from _file_calls(name, path, command, arguments)
    else:
        yield from (Shell(text) for text in _texts(arguments, ("command", "cmd", "keystrokes")))
        yield from (Look(text) for text in _texts(arguments, ("url", "urls")))


def _searched(name: str, path: str, arguments: Mapping[str, Any]) -> str:
    """Return the shell command that a tool for searching, listing or deleting stands for, or ""."""
    pattern = _first(
        arguments, ("pattern", "regex", "search_term", "query", "glob_pattern", "glob")
    )
    if pattern and ("grep" in name or "search" in name or name == "ripgrep"):
        return shlex.join(["grep", "-rn", "--", pattern, path or "."])
    if pattern and ("glob" in name or "find" in name):
        return shlex.join(["find", path or ".", "-path", pattern])
    if path and ("list" in name or name in ("ls", "tree", "dir")):
        return shlex.join(["ls", path])
    if path and ("delete" in name or "remove" in name):
        return shlex.join(["rm", path])
    return ""


def _file_calls(name: str, path: str, command: str, arguments: Mapping[str, Any]) -> Iterator[Call]:
    if command in ("view", "undo_edit") or (
        not command and name.startswith(_READS) and not _first(arguments, _NEW_KEYS)
    ):
        yield Read(path)
        return
    old = _first(arguments, _OLD_KEYS)
    if command == "insert" or (not command and "insert" in name):
        old = ""  # something is added to what is there
    edits = arguments.get("edits")
    for edit in edits if isinstance(edits, list) else ():
        if isinstance(edit, Mapping):
            yield Write(path, _first(edit, _NEW_KEYS) or "", _first(edit, _OLD_KEYS) or "")
    diff = _first(arguments, ("diff", "patch"))
    if diff:
        yield from _pieces(path, diff)
        return
    new = _first(arguments, _NEW_KEYS)
    added = any(key in arguments for key in _NEW_KEYS)
    if added or command in ("create", "str_replace", "insert") or "write" in name:
        removal = any(arguments.get(key) is not None for key in _OLD_KEYS)
        yield Write(path, new or "", old if old or removal or command == "insert" else None)
    elif not edits:
        yield Read(path)


def _pieces(path: str, diff: str) -> Iterator[Write]:
    """Yield the edits of one file: blocks of what to search and its replacement, or a diff."""
    blocks = _BLOCK.findall(diff)
    for old, new in blocks:
        yield Write(path, new, old)
    if not blocks:
        lines = [line for line in diff.splitlines() if not line.startswith(("+++", "---", "@@"))]
        new = "\n".join(line[1:] for line in lines if line.startswith("+"))
        yield Write(path, new, "\n".join(line[1:] for line in lines if line.startswith("-")))


def patched(text: str) -> Iterator[Write]:
    """Yield the writes of a patch: a unified diff, or the form that begins `*** Begin Patch`."""
    path, old, new = "", list[str](), list[str]()
    made = False

    def done() -> Iterator[Write]:
        if path and (old or new):
            yield Write(path, "\n".join(new), None if made else "\n".join(old))

    for line in text.splitlines():
        header = next(
            (
                h
                for h in ("+++ ", "*** Update File: ", "*** Add File: ", "*** Delete File: ")
                if line.startswith(h)
            ),
            None,
        )
        if header:
            yield from done()
            given = line[len(header) :].strip()
            path, old, new = given.removeprefix("b/"), [], []
            made = made if header == "+++ " else "Add" in header
            if "Delete" in header or given == "/dev/null":
                yield Write(path, "", "(the whole file)")
        elif line.startswith("--- "):
            made = line[4:].strip() == "/dev/null"
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith("-"):
            old.append(line[1:])
    yield from done()


def _first(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next(
        (
            str(arguments[key])
            for key in keys
            if isinstance(arguments.get(key), str) and arguments[key]
        ),
        "",
    )


def _texts(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[str]:
    """Yield the texts under the first of `keys` that is given; argv lists are joined."""
    for key in keys:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            yield value
            return
        if isinstance(value, list) and value:
            if all(isinstance(part, str) for part in value):
                yield from _argv(value) if key in ("command", "cmd") else value
            else:
                for part in value:
                    yield from _texts(part, keys) if isinstance(part, Mapping) else ()
            return


def _argv(parts: list[str]) -> Iterator[str]:
    shell = parts[0].rpartition("/")[2] in ("bash", "sh", "zsh") and len(parts) == 3
    yield parts[2] if shell else shlex.join(parts)


def text_of(content: Any) -> str:
    """Return the text of a message's content: a string, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    if isinstance(content, Mapping):
        return text_of(content.get("text") or content.get("thinking") or content.get("content"))
    return ""
