"""Names of artefacts that a task must not hold, whatever is in them.

A tree that was exported cleanly and never run in has none of these. What an installer puts into an
environment (bytecode beside its source, RECORD) is none of a task's and stays out of the rules.
"""

import re
from collections.abc import Mapping

RULES: Mapping[str, tuple[str, ...]] = {
    "cache of a type checker": (
        ".mypy_cache/", ".dmypy.json", ".pytype/", ".pyre/", "monkeytype.sqlite3", ".pyrefly/",
        "*.data.ff", "*.meta.ff", "*.meta_ex.ff", "*.err.ff", ".jedi/", ".cache/jedi/",
        ".cache/parso/",
    ),
    "cache of a test runner, linter or coverage": (
        ".pytest_cache/", ".hypothesis/", ".ruff_cache/", ".coverage", ".coverage.*", "htmlcov/",
        "coverage.xml", "coverage.json", "*,cover", "lcov.info", "lcov-report/",
        "coverage-final.json",
        ".nyc_output/", ".testmondata*", ".eslintcache", ".stylelintcache", "jest_*/",
        ".ropeproject/", ".pylint.d/", "jacoco.exec", "surefire-reports/", "failsafe-reports/",
    ),
    "compiled Python": ("__pycache__/", "*.pyc", "*.pyo", "*.nbi", "*.nbc", "cython_debug/"),
    "built or installed copy": (
        "build/lib*/", "build/bdist*/", ".eggs/", "*.egg", "*.egg-link", "*.whl", "*.egg-info/",
        "__editable__*", "pip-wheel-metadata/", ".pybuild/", "*.crate",
    ),
    "virtual environment or its tool": (".tox/", ".nox/", ".venv/", "venv/", ".hatch/", ".pixi/"),
    "cache of a package manager": (
        ".cache/pip/", ".cache/uv/", ".cache/pypoetry/", ".cache/pdm/", ".cache/pre-commit/",
        ".cache/bazel/", ".cache/go-build/", ".npm/_cacache/", ".yarn/cache/", ".pnp.cjs",
        ".m2/repository/", ".gradle/", ".ivy2/", ".cargo/registry/", ".cargo/git/", "*.conda",
    ),
    "history or state of git": (
        ".git/logs/", ".git/refs/stash", ".git/refs/notes/", ".git/refs/remotes/",
        ".git/refs/tags/*", ".git/refs/replace/", ".git/packed-refs", ".git/FETCH_HEAD",
        ".git/ORIG_HEAD",
        ".git/MERGE_HEAD", ".git/CHERRY_PICK_HEAD", ".git/REVERT_HEAD", ".git/BISECT_*",
        ".git/rebase-merge/", ".git/rebase-apply/", ".git/rr-cache/", ".git/worktrees/",
        ".git/modules/", ".git/lfs/", ".git/shallow", ".git/objects/info/alternates",
        ".git/COMMIT_EDITMSG", "*.bundle",
    ),
    "output of a build of documents": (
        "_build/doctrees/", "*.doctree", "environment.pickle", "objects.inv", "searchindex.js",
        "_build/html/", "target/doc/",
    ),
    "output of a build": (
        "target/debug/", "target/release/", "target/package/", "target/classes/",
        "target/test-classes/", "build/classes/", "build/tmp/", "*.tsbuildinfo", "*.rmeta",
        "*.rlib", ".next/", ".nuxt/", ".svelte-kit/", ".turbo/", ".parcel-cache/",
        ".angular/cache/", "node_modules/.cache/", "*.prof", "__debug_bin*",
    ),
    "index of a code browser": (
        "tags", "TAGS", "GTAGS", "GRTAGS", "GPATH", "cscope.out", "cscope.*.out", ".zoekt/",
        ".aider.tags.cache*/",
    ),
    "left by an editor, a merge or a tool": (
        "*.orig", "*.rej", "*~", ".*.swp", ".*.swo", ".*.swn", "#*#", ".history/", ".idea/",
        ".metadata/", ".ipynb_checkpoints/", "__marimo__/", ".cursor/", ".claude/", ".aider*",
        ".python_history", ".bash_history", ".zsh_history", ".node_repl_history",
        "profile_default/history.sqlite", ".viminfo", ".lesshst", "core.[0-9]*",
    ),
}  # fmt: skip
"""By what they are; a pattern that ends in `/` is of everything below, `*` is within one name."""

_OF_AN_INSTALLER = re.compile(
    r"/(?:site-packages|dist-packages|python\d[\d.]*|node_modules)/|/pip/_vendor/"
)
_INSTALLED = frozenset({"compiled Python", "built or installed copy", "index of a code browser"})


def rule(path: str) -> str | None:
    """Return what an entry of this path is and why it must not be there, or None."""
    found = _ALL.search(f"/{path}")
    if found is None or found.lastgroup is None:
        return None
    what = _REASONS[found.lastgroup]
    if what in _INSTALLED and _OF_AN_INSTALLER.search(f"/{path}"):
        return None
    return what


def _expression(pattern: str) -> str:
    body = re.escape(pattern.rstrip("/")).replace(r"\*", "[^/]*")
    body = body.replace(r"\[0\-9\]", "[0-9]")
    return body + ("(?:/|$)" if pattern.endswith("/") else "$")


_REASONS = {f"r{number}": what for number, what in enumerate(RULES)}
_ALL = re.compile(
    "|".join(
        f"(?P<r{number}>/(?:{'|'.join(map(_expression, patterns))}))"
        for number, patterns in enumerate(RULES.values())
    )
)
