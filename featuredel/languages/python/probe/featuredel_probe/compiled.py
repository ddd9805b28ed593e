"""Code of source that was compiled before, so that no fork compiles it again."""

import ast
import base64
import contextlib
import hashlib
import importlib
import importlib._bootstrap_external as _external
import marshal
import os
from types import CodeType
from typing import Any, Dict, List, Optional, Set, Tuple

from . import names

PLAIN, REWRITTEN = "plain", "rewritten"


VERSIONS = 4


class Compiled:
    """By what the source is and where it lies; of each file the last few versions.

    A fork says which files it had to compile. From then on this process compiles them from the
    tree before it forks, so that no fork can put anything in here.
    """

    def __init__(self) -> None:
        self.missed: List[Tuple[str, str]] = []  # kind and path
        self._known: Dict[Tuple[str, str], Dict[bytes, CodeType]] = {}
        self._tests: Set[str] = set()
        self._rewrite: Any = importlib.import_module("_pytest.assertion.rewrite")

    def install(self) -> None:
        """Have imports and pytest look here first."""
        loader: Any = _external.SourceLoader
        source_to_code, rewrite_test = loader.source_to_code, self._rewrite._rewrite_test

        def plain(own: Any, data: Any, path: Any, **options: Any) -> Any:
            code = None
            if not options and isinstance(data, bytes):
                code = self._get(PLAIN, str(path), data)
            return code or source_to_code(own, data, path, **options)

        def rewritten(path: Any, config: Any) -> Any:
            code = None
            if not config.getini("enable_assertion_pass_hook"):
                code = self._get(REWRITTEN, str(path), path.read_bytes())
            return (path.stat(), code) if code else rewrite_test(path, config)

        loader.source_to_code = plain
        self._rewrite._rewrite_test = rewritten

    def expect(self, missed: List[Tuple[str, str]]) -> None:
        """Know these files, by kind and path, from now on."""
        for kind, path in missed:
            if path.startswith(names.WORKSPACE):
                self._known.setdefault((kind, path), {})

    def prepare(self, job: Dict[str, Any]) -> None:
        """Compile what the tests of a job import, where it is not what it was before."""
        ids = job["request"]["ids"]
        asked = None if ids is None else {test.partition("::")[0] for test in ids}
        lean = job["request"]["lean"]
        self._tests |= asked or set()
        for kind, path in list(self._known):
            inside = path[len(names.WORKSPACE) :]
            test = kind == REWRITTEN and os.path.basename(path) != "conftest.py"
            test = test or inside in self._tests
            if test and asked is not None and inside not in asked:
                continue
            if (kind == REWRITTEN and lean) or (kind == PLAIN and test and not lean):
                continue  # as the other kind of run imports it
            with contextlib.suppress(Exception):
                self._have(kind, path, _source(job, inside))

    def packed(self, job: Dict[str, Any]) -> bytes:
        """Return the code of files of a tree, for a process that is not forked from this one."""
        found: Dict[Tuple[str, str, bytes], CodeType] = {}
        for inside in job["code"]:
            test = inside in job["tests"] or os.path.basename(inside) == "conftest.py"
            kind, path = REWRITTEN if test else PLAIN, names.WORKSPACE + inside
            with contextlib.suppress(Exception):
                source = _source(job, inside)
                found[kind, path, _digest(source)] = self._have(kind, path, source)
        return marshal.dumps(found)

    def unpack(self, packed: bytes) -> None:
        """Know what another process has packed."""
        for (kind, path, digest), code in marshal.loads(packed).items():  # noqa: S302 -- our own
            self._known.setdefault((kind, path), {})[digest] = code

    def _have(self, kind: str, path: str, source: bytes) -> CodeType:
        """Return the code of a file, as one of its latest versions."""
        versions = self._known.setdefault((kind, path), {})
        digest = _digest(source)
        code = versions.pop(digest, None) or self._compile(kind, path, source)
        versions[digest] = code
        if len(versions) > VERSIONS:
            del versions[next(iter(versions))]
        return code

    def _get(self, kind: str, path: str, source: bytes) -> Optional[CodeType]:
        code = self._known.get((kind, path), {}).get(_digest(source))
        if code is None:
            self.missed.append((kind, path))
        return code

    def _compile(self, kind: str, path: str, source: bytes) -> CodeType:
        """Compile a file as imports do, or as pytest does."""
        if kind == PLAIN:
            code: CodeType = compile(source, path, "exec", dont_inherit=True)
            return code
        tree = ast.parse(source, filename=path)
        self._rewrite.rewrite_asserts(tree, source, path, _Defaults())
        rewritten: CodeType = compile(tree, path, "exec", dont_inherit=True)
        return rewritten


class _Defaults:
    """pytest's configuration as far as rewriting asks for it."""

    def getini(self, _name: str) -> bool:
        return False


def _source(job: Dict[str, Any], path: str) -> bytes:
    """Return a file of the tree that a job runs on."""
    if path in job.get("files", ()):
        return base64.b64decode(job["files"][path])
    found = (layer + "/" + path for layer in job["layers"])
    with open(next(file for file in found if os.path.isfile(file)), "rb") as file:
        return file.read()


def _digest(source: bytes) -> bytes:
    return hashlib.blake2b(source, digest_size=16).digest()
