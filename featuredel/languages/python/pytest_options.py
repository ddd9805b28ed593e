"""The project's own pytest options, without those that would change what a run can say.

pytest takes its options from one file at the root of the tree, the first of `CONFIG_FILES` that
has a section for it. What the project chose stays, but for options that stop a run early, fail it
for something other than a test, reorder or distribute it, or print.
"""

import configparser
import shlex
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

MAX_CONFIG_BYTES = 1 << 20

Read = Callable[[str], bytes | None]
"""Returns the content of a file of the tree by its path, or None."""

_FLAGS = """
    -x --exitfirst --lf --last-failed --ff --failed-first --nf --new-first --sw --stepwise
    --sw-skip --stepwise-skip --stepwise-reset --cache-clear --strict --strict-markers
    --strict-config --pdb --trace --setup-show --setup-plan --setup-only --collect-only --co
    --no-cov --no-cov-on-fail --cov-append --cov-branch --cov-reset --forked --boxed
    --random-order --flake8 --mypy --ruff --ruff-format --black --isort --pylint --pycodestyle
    --pydocstyle --pep8 --codestyle --docstyle --nbval --showlocals --no-showlocals --verbose
    --quiet --disable-warnings --no-header --no-summary --full-trace --testmon --picked --profile
    --profile-svg --memray --sugar --force-sugar --instafail --benchmark-only --benchmark-skip
    --benchmark-enable --benchmark-disable --benchmark-autosave --benchmark-verbose
    --show-progress
""".split()  # noqa: SIM905 -- a list of thirty options reads better so
_WITH_VALUE = """
    --maxfail -n --numprocesses --maxprocesses --dist --tx --rsyncdir -d --cov-report --cov-config
    --cov-fail-under --cov-context --cov-precision --random-order-bucket --random-order-seed
    --randomly-seed --reruns --reruns-delay --timeout --timeout-method --session-timeout
    --durations --durations-min --junitxml --junit-xml --junit-prefix --junitprefix --html
    --self-contained-html --csv --report-log --result-log --resultlog --color --tb --show-capture
    --verbosity --capture -r --rootdir --confcutdir --basetemp -c --config-file
    --benchmark-min-rounds --benchmark-max-time --benchmark-min-time --benchmark-storage
    --benchmark-compare --benchmark-compare-fail --benchmark-columns --benchmark-sort
    --benchmark-group-by --benchmark-json --hypothesis-seed --pastebin --alluredir --splits
    --group --md-report
""".split()  # noqa: SIM905 -- a list of thirty options reads better so
_WITH_OPTIONAL_VALUE = ("--cov", "--benchmark-save", "--profile-dir")
_FLAG_LETTERS = frozenset("xvqsl")
_REMOVED_PLUGINS = ("randomly", "random_order", "xdist.looponfail", "pytest_cov", "cov")


@dataclass(frozen=True, slots=True)
class PytestOptions:
    """Where the project configures pytest, and the options that it adds to every run."""

    file: str | None  # relative to the root of the tree
    values: Mapping[str, str | list[str]]

    @property
    def addopts(self) -> list[str]:
        """The options, without those that change what a run can say."""
        given = self.values.get("addopts", "")
        try:
            return neutral(given if isinstance(given, list) else shlex.split(given))
        except ValueError:  # quotes that do not match; pytest would not start with it either
            return []


def pytest_options(read: Read) -> PytestOptions:
    """Return the project's options. A file that does not parse counts as none."""
    for name, parse in CONFIG_FILES.items():
        content = read(name)
        if content is None or len(content) > MAX_CONFIG_BYTES:
            continue
        try:
            values = parse(content.decode())
        except (ValueError, configparser.Error):
            continue
        if values is not None:
            return PytestOptions(name, values)
    return PytestOptions(None, {})


def neutral(options: Sequence[str]) -> list[str]:
    """Return the options without those that change what a run can say, each with its value."""
    kept: list[str] = []
    rest = list(options)
    while rest:
        option = rest.pop(0)
        name, equals, _ = option.partition("=")
        if name in _FLAGS:
            continue
        if name in _WITH_VALUE:
            rest = rest if equals else rest[1:]
        elif name in _WITH_OPTIONAL_VALUE:
            rest = rest if equals or rest[:1] == [] or rest[0].startswith("-") else rest[1:]
        elif option in ("-p", "-o", "-W", "-m", "-k") and rest:
            value = rest.pop(0)
            kept += [] if option == "-p" and _is_removed(value) else [option, value]
        elif option.startswith("-p") and _is_removed(option[2:]):
            continue
        elif not _is_short_noise(option):
            kept.append(option)
    return kept


def _is_removed(plugin: str) -> bool:
    return plugin.strip() in _REMOVED_PLUGINS


def _is_short_noise(option: str) -> bool:
    """`-vv`, `-xq`, `-ra`, `-n4`: letters that only print or that take a value we drop."""
    if not option.startswith("-") or option.startswith("--") or len(option) < 2:
        return False
    return option[1] in "rnd" or set(option[1:]) <= _FLAG_LETTERS


def _dedicated_toml(text: str) -> Mapping[str, str | list[str]] | None:
    return _texts(_table(tomllib.loads(text), "pytest") or {})


def _pyproject(text: str) -> Mapping[str, str | list[str]] | None:
    table = _table(_table(tomllib.loads(text), "tool") or {}, "pytest")
    if table is None:
        return None
    native = {key: value for key, value in table.items() if key != "ini_options"}
    options = native or _table(table, "ini_options")
    return None if options is None else _texts(options)


def _table(table: Mapping[str, object], key: str) -> dict[str, object] | None:
    found = table.get(key)
    return found if isinstance(found, dict) else None


def _dedicated_ini(text: str) -> Mapping[str, str | list[str]] | None:
    return _section(text, "pytest") or {}


def _tox_ini(text: str) -> Mapping[str, str | list[str]] | None:
    return _section(text, "pytest")


def _setup_cfg(text: str) -> Mapping[str, str | list[str]] | None:
    return _section(text, "tool:pytest")


def _section(text: str, name: str) -> Mapping[str, str | list[str]] | None:
    parser = configparser.RawConfigParser(
        strict=False, allow_no_value=True, comment_prefixes=("#", ";"), default_section="\0"
    )
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(text)
    if not parser.has_section(name):
        return None
    return {key: value or "" for key, value in parser.items(name)}


def _texts(table: Mapping[str, object]) -> Mapping[str, str | list[str]]:
    return {
        key: [str(item) for item in value] if isinstance(value, list) else str(value)
        for key, value in table.items()
    }


CONFIG_FILES: Mapping[str, Callable[[str], Mapping[str, str | list[str]] | None]] = {
    "pytest.toml": _dedicated_toml,
    ".pytest.toml": _dedicated_toml,
    "pytest.ini": _dedicated_ini,
    ".pytest.ini": _dedicated_ini,
    "pyproject.toml": _pyproject,
    "tox.ini": _tox_ini,
    "setup.cfg": _setup_cfg,
}
"""In pytest's own order. Older versions know no .toml of their own, which then is not there."""
