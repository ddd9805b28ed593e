"""Code of source that was compiled before, so that no fork compiles it again."""

import ast
import contextlib
import hashlib
import importlib
import importlib._bootstrap_external as _external
import os
from types import CodeType
from typing import Any, Dict, List, Optional, Set, Tuple

from . import names

PLAIN, REWRITTEN = "plain", "rewritten"

MOST = 3000
"""Files whose code is kept; the oldest go."""


class Compiled:
    """By what the source is and where it lies.

    A fork says what it had to compile; this process then compiles it from the tree, so that no
    fork can put anything in here.
    """

    def __init__(self) -> None:
        self.missed: List[Tuple[str, str]] = []  # kind and path
        self._known: Dict[Tuple[str, str, bytes], CodeType] = {}
        self._seen: Set[Tuple[str, str, bytes]] = set()
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

    def fill(self, missed: List[Tuple[str, str]], layers: List[str], once: bool) -> None:
        """Compile files of the tree made of `layers`; if it is run `once`, those missed before."""
        for kind, path in missed:
            if not path.startswith(names.WORKSPACE):
                continue
            found = [layer + "/" + path[len(names.WORKSPACE) :] for layer in layers]
            with contextlib.suppress(Exception):
                with open(next(file for file in found if os.path.isfile(file)), "rb") as file:
                    source = file.read()
                key = kind, path, _digest(source)
                if once and key not in self._seen:
                    self._seen.add(key)
                    continue
                self._known[key] = self._compile(kind, path, source)
                while len(self._known) > MOST:
                    del self._known[next(iter(self._known))]

    def _get(self, kind: str, path: str, source: bytes) -> Optional[CodeType]:
        code = self._known.get((kind, path, _digest(source)))
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


def _digest(source: bytes) -> bytes:
    return hashlib.blake2b(source, digest_size=16).digest()
