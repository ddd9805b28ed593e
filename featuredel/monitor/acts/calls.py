"""Calls in Python code that a step runs: the files, hosts and commands that they go to."""

import ast
import re
import shlex
from collections.abc import Iterator

from featuredel.monitor.acts.fold import Folder
from featuredel.monitor.acts.hosts import HOSTS, TALKS
from featuredel.monitor.acts.records import Act, How, Nested, Reach, Touch
from featuredel.monitor.acts.session import Session

_READS = frozenset(
    {
        "open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "os.open",
        "zipfile.ZipFile", "tarfile.open", "tarfile.TarFile", "sqlite3.connect", "shelve.open",
        "dbm.open", "runpy.run_path", "importlib.machinery.SourcelessFileLoader",
        "importlib.machinery.SourceFileLoader", "importlib.util.spec_from_file_location",
        "linecache.getline", "linecache.getlines", "numpy.load", "joblib.load", "os.readlink",
        "zipimport.zipimporter", "mmap.mmap", "pandas.read_pickle", "builtins.open",
        "fileinput.input", "zipfile.Path", "tokenize.open", "pickle.load", "zipfile.PyZipFile",
        "pathlib.Path.open",
    }
)  # fmt: skip
_LISTS = frozenset({"os.listdir", "os.scandir", "os.walk", "os.stat", "os.fwalk"})
_GLOBS = frozenset({"glob.glob", "glob.iglob"})
_COPIES = frozenset(
    {
        "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.move",
        "os.rename", "os.replace", "shutil.unpack_archive",
    }
)  # fmt: skip
_DELETES = frozenset({"os.remove", "os.unlink", "shutil.rmtree", "os.rmdir", "os.removedirs"})
_LINKS = frozenset({"os.symlink", "os.link"})
_MODES = frozenset({"os.chmod", "os.chown", "os.lchown", "os.utime"})
_METHODS: dict[str, How] = {
    "read_text": "read", "read_bytes": "read", "iterdir": "list", "glob": "search",
    "rglob": "search", "write_text": "write", "write_bytes": "write", "unlink": "delete",
    "rmdir": "delete", "chmod": "mode", "symlink_to": "link", "hardlink_to": "link",
    "touch": "write", "extractall": "read", "walk": "list",
}  # fmt: skip
_OF_MODULES = _LISTS | _GLOBS | _DELETES | _MODES
_COMMANDS = frozenset(
    {
        "os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.check_call",
        "subprocess.check_output", "subprocess.Popen", "subprocess.getoutput",
        "subprocess.getstatusoutput", "pty.spawn", "commands.getoutput", "popen2.popen2",
        "asyncio.create_subprocess_shell", "asyncio.create_subprocess_exec", "sh.Command",
        "posix.system", "pexpect.run", "pexpect.spawn", "invoke.run", "get_ipython.system",
    }
)  # fmt: skip
_SPAWNS = ("os.exec", "os.spawn", "os.posix_spawn")
_PIP = frozenset(
    {"pip.main", "pip._internal.main", "pip._internal.cli.main.main", "pip._internal.cli.main"}
)
_QUIET = (
    "print", "len", "isinstance", "repr", "str", "type", "format", "re.", "assert", ".append",
    "pytest.main", ".startswith", ".endswith", ".split", ".join", "add_argument", "ValueError",
)  # fmt: skip


class Calls:
    """What calls do, with what is known of names; a file that a variable holds is remembered."""

    def __init__(self, session: Session, folder: Folder) -> None:
        self.session = session
        self.folder = folder
        self.opened: dict[str, tuple[str, str]] = {}  # variable -> path, mode

    def opens(self, variable: str, call: ast.Call) -> None:
        """Remember the file that a variable is given by a call of `open`."""
        path, mode = self._path_and_mode(call)
        if path is not None:
            self.opened[variable] = (path, mode)

    def acts(
        self, node: ast.Call, name: str, arguments: tuple[str | None, ...], text: str
    ) -> Iterator[Act | Nested]:
        """Yield what a call does: `name` is its full dotted name, `text` its source.

        `arguments` are the positional ones, folded.
        """
        keywords = [self.folder.text(k.value) for k in node.keywords]
        first = arguments[0] if arguments else (keywords[0] if keywords else None)
        if name in _COMMANDS or name.startswith(_SPAWNS):
            yield from self._command(node, name)
        elif name == "runpy.run_module" and first and self.folder.argv:
            yield Nested(shlex.join((first, *self.folder.argv)))
        elif name in ("exec", "eval", "compile", "builtins.exec", "get_ipython.run_cell"):
            if first is not None:
                yield Nested(first, python=True)
        elif name.endswith((".connect", ".connect_ex", ".sendto")) and (host := self._host(node)):
            yield Reach(host, name, text)
        elif name in _PIP:
            yield Nested(f"pip {first or ''}")
        elif name.startswith(HOSTS):
            yield from self._reached(node, name, text)
        elif (
            name.rpartition(".")[2] in _METHODS
            and name not in _OF_MODULES
            and isinstance(node.func, ast.Attribute)
        ):
            yield from self._method(node.func, arguments, text)
        elif name.endswith(".write") and isinstance(node.func, ast.Attribute):
            yield from self._written(node.func, first, text)
        else:
            yield from self._files(node, name, arguments, text)

    def _command(self, node: ast.Call, name: str) -> Iterator[Nested]:
        if not node.args:
            return
        given = node.args[0]
        words = self.words(given)
        if words:
            yield Nested(shlex.join(words))
        elif name.startswith(_SPAWNS) or name.endswith("create_subprocess_exec"):
            parts = [self.folder.text(a) or "*" for a in node.args]
            yield Nested(" ".join(parts[1:] if name.startswith("os.exec") else parts))
        elif (script := self.folder.text(given)) is not None:
            yield Nested(script)

    def words(self, node: ast.expr) -> list[str]:
        """Return the words of a command that is a list, or put together of lists; [] of others."""
        if isinstance(node, ast.List | ast.Tuple):
            parts = [
                (self.folder.text(e.value) or "*").split()
                if isinstance(e, ast.Starred)
                else [self.folder.text(e) or "*"]
                for e in node.elts
            ]
            return [word for part in parts for word in part]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.words(node.left), self.words(node.right)
            if not (left or right):
                return []
            return [*(left or self._split(node.left)), *(right or self._split(node.right))]
        if isinstance(node, ast.Call) and self.folder.name(node.func) in ("shlex.split", "list"):
            return self._split(node.args[0]) if node.args else []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self._split(node.func.value) if node.func.attr == "split" else []
        return []

    def _host(self, node: ast.Call) -> str:
        """Return the host of an address that is a pair: `s.connect(("example.net", 443))`."""
        pair = node.args[-1] if node.args else None
        if not isinstance(pair, ast.Tuple) or len(pair.elts) != 2:
            return ""
        return self.folder.text(pair.elts[0]) or ""

    def _split(self, node: ast.expr) -> list[str]:
        return (self.folder.text(node) or "*").split()

    def _reached(self, node: ast.Call, name: str, text: str) -> Iterator[Reach]:
        if TALKS.match(name):
            return  # to the host that was named when it was opened
        given = [self.folder.text(a) for a in (*node.args, *(k.value for k in node.keywords))]
        where = next((g for g in given if g), "")
        if where or not name.startswith(("socket.socket", "requests.exc", "httpx.Client")):
            yield Reach(where, name, text)

    def _method(
        self, function: ast.Attribute, arguments: tuple[str | None, ...], text: str
    ) -> Iterator[Touch]:
        base = self.folder.text(function.value)
        how = _METHODS[function.attr]
        if how == "search":
            base = f"{base or '.'}/{(arguments[0] if arguments else None) or '*'}"
        if base is not None:
            new = arguments[0] if how in ("write", "link") and arguments else None
            new = "" if function.attr == "touch" else new
            yield Touch(self.session.resolve(base), how, function.attr, text, new)

    def _written(self, function: ast.Attribute, content: str | None, text: str) -> Iterator[Touch]:
        if isinstance(function.value, ast.Name) and function.value.id in self.opened:
            path, mode = self.opened[function.value.id]
        elif isinstance(function.value, ast.Call):
            found, mode = self._path_and_mode(function.value)
            path = found or ""
        else:
            return
        if path and set(mode) & set("wax+"):
            old = "" if "a" in mode else None
            yield Touch(self.session.resolve(path), "write", "write", text, content, old)

    def _path_and_mode(self, node: ast.Call) -> tuple[str | None, str]:
        method = isinstance(node.func, ast.Attribute) and self.folder.name(node.func) not in _READS
        path = self.folder.text(
            node.func.value
            if method and isinstance(node.func, ast.Attribute)
            else (node.args[0] if node.args else None)
        )
        given = node.args[0 if method else 1 :][:1] + [
            k.value for k in node.keywords if k.arg == "mode"
        ]
        return path, (self.folder.text(given[0]) if given else None) or "r"

    def _files(
        self, node: ast.Call, name: str, arguments: tuple[str | None, ...], text: str
    ) -> Iterator[Touch]:
        paths = [a for a in arguments if a is not None]
        if name.rpartition(".")[2] == "open":
            path, mode = self._path_and_mode(node)
            if name == "os.open" and re.search(r"O_(WRONLY|RDWR|CREAT)", text):
                mode = "w"
            if path is not None:
                how: How = "write" if set(mode) & set("wax+") else "read"
                old = "" if "a" in mode else None
                yield Touch(self.session.resolve(path), how, name, text, None, old)
        elif name == "fileinput.input" and "inplace" in text and paths:
            yield Touch(self.session.resolve(paths[0]), "edit", name, text)
        elif name in _COPIES and len(arguments) > 1:
            taken, target = arguments[0] or "*", arguments[1] or "*"
            yield Touch(self.session.resolve(taken), "read", name, text)
            new = self.session.files.get(self.session.resolve(taken))
            yield Touch(self.session.resolve(target), "write", name, text, new, pattern=taken)
        elif name in _LINKS and len(arguments) > 1:
            yield Touch(self.session.resolve(arguments[1] or "*"), "link", name, text, arguments[0])
        elif name in _DELETES or name in _MODES:
            kind: How = "delete" if name in _DELETES else "mode"
            for path in paths[:1]:
                yield Touch(self.session.resolve(path), kind, name, text)
        elif name in _LISTS or name in _GLOBS:
            kind = "search" if name in _GLOBS or name.endswith("walk") else "list"
            for path in paths[:1]:
                yield Touch(self.session.resolve(path), kind, name, text)
        elif not name.startswith(_QUIET) and not name.endswith(_QUIET):
            for path in paths:
                if ("/" in path or "." in path) and " " not in path and "\n" not in path:
                    yield Touch(self.session.resolve(path), "read", name, text)
