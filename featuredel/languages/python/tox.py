"""What tox and nox would install for the tests, read without running either."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from featuredel.languages.python.metadata import (
    literal,
    literal_names,
    read_ini,
    read_text,
    read_toml,
    strings,
    table,
)

_TESTING_FACTOR = re.compile(
    r"(py|pypy|cpython)?\d[\d.]*t?|py|py3|python3?|unit|units|pytest|.*tests?.*|cov|coverage|full|all"
)
_OTHER_WORK = re.compile(
    r"doc|lint|typ(e|ing)|mypy|style|flake|bench|release|publish|main|master|nightly|min|old"
)


@dataclass(frozen=True, slots=True)
class Installed:
    """What a test session asks for: requirements as text, files, extras and groups by name."""

    requirements: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether it asks for anything."""
        return bool(self.requirements or self.files or self.extras or self.groups)

    def __add__(self, other: "Installed") -> "Installed":
        """Return both, the first one's wishes first."""
        return Installed(
            self.requirements + other.requirements,
            self.files + other.files,
            self.extras + other.extras,
            self.groups + other.groups,
        )


def from_tox(root: Path, pyproject: Mapping[str, Any]) -> Installed:
    """Return what tox installs for its test environments, wherever they are written."""
    tool = table(pyproject, "tool", "tox")
    legacy = tool.get("legacy_tox_ini")
    texts = (read_text(root / "tox.ini"), legacy if isinstance(legacy, str) else "")
    found = Installed()
    for text in texts:
        found += _from_ini(read_ini(text))
    for data in (read_toml(root / "tox.toml"), tool):
        found += _from_table(data)
    return found


def for_tests(environment: str) -> bool:
    """Tell whether an environment or session of this name runs the tests."""
    factors = re.split(r"[-_]", environment)
    return not any(_OTHER_WORK.search(factor) for factor in factors) and all(
        _TESTING_FACTOR.fullmatch(factor) for factor in factors
    )


def from_nox(root: Path) -> Installed:
    """Return what the noxfile's test sessions install, as far as it is written in literals."""
    try:
        module = ast.parse(read_text(root / "noxfile.py"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Installed()
    names = literal_names(module)
    found = Installed()
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and for_tests(node.name):
            for call in ast.walk(node):
                if isinstance(call, ast.Call):
                    found += _from_nox_call(call, names)
    return found


def from_arguments(arguments: Iterable[str]) -> Installed:
    """Return what `pip install ARGUMENTS` would install."""
    found = Installed()
    rest = iter(arguments)
    for argument in rest:
        short = re.match(r"(?:-r|--requirement)=?(.+)", argument)
        project = re.match(r"(?:\.|\./)?\[([\w,.\s-]+)\]$", argument)
        if argument in ("-r", "--requirement"):
            found = replace(found, files=(*found.files, next(rest, "")))
        elif argument == "--group":
            found = replace(found, groups=(*found.groups, next(rest, "")))
        elif argument in ("-c", "--constraint", "-i", "--index-url", "--extra-index-url"):
            next(rest, "")
        elif short:
            found = replace(found, files=(*found.files, short.group(1).strip()))
        elif project:
            extras = tuple(e.strip() for e in project.group(1).split(","))
            found = replace(found, extras=found.extras + extras)
        elif not argument.startswith(("-", ".", "/")):
            found = replace(found, requirements=(*found.requirements, argument))
    return found


def _from_ini(sections: Mapping[str, Mapping[str, str]]) -> Installed:
    found = Installed()
    for name, section in sections.items():
        kind, _, environment = name.partition(":")
        if kind == "testenv" and (not environment or _any_for_tests(environment)):
            found += _from_section(sections, section)
    return found


def _any_for_tests(names: str) -> bool:
    return any(for_tests(name.strip()) for name in re.split(r"[,{}]", names) if name.strip())


def _from_section(
    sections: Mapping[str, Mapping[str, str]], section: Mapping[str, str]
) -> Installed:
    """Return one tox section's wishes, with references followed and factors decided."""
    values = {
        key: tuple(_factored(_substituted(sections, section.get(key, ""))))
        for key in ("deps", "extras", "dependency_groups")
    }
    found = Installed()
    for line in values["deps"]:
        option = re.match(r"(-r|--requirement|-c|--constraint)[\s=]*(\S+)$", line)
        arguments = option.groups() if option else (line,)
        found += from_arguments(tuple(arguments))
    names = {
        key: tuple(re.split(r"[\s,]+", " ".join(values[key]).strip()))
        for key in ("extras", "dependency_groups")
    }
    return found + Installed(
        extras=tuple(name for name in names["extras"] if name),
        groups=tuple(name for name in names["dependency_groups"] if name),
    )


def _substituted(sections: Mapping[str, Mapping[str, str]], value: str, depth: int = 0) -> str:
    """Replace tox's `{...}`: other sections' values, the root, defaults of variables."""

    def other(match: re.Match[str]) -> str:
        text = sections.get(match.group(1), {}).get(match.group(2), "")
        return _substituted(sections, text, depth + 1) if depth < 5 else ""

    value = re.sub(r"\{\[([^\]]+)\](\w+)\}", other, value)
    value = re.sub(r"\{(toxinidir|tox_root)\}[/\\]?", "", value)
    value = re.sub(r"\{env:\w+:([^{}]*)\}", r"\1", value)
    return re.sub(r"\{[^{},]*\}", "", value)


def _factored(value: str) -> Iterator[str]:
    """Yield the lines whose condition (`py38,unit-!lint: what`) a plain test run meets."""
    for line in strings(value):
        text = re.sub(r"(^|\s)#.*$", "", line).strip()
        condition = re.match(r"([\w.!,{}-]+)\s*:\s+(.*)$", text)
        if condition is None:
            yield text
        elif any(_met(c) for c in re.split(r"[,{}]", condition.group(1)) if c):
            yield condition.group(2)


def _met(condition: str) -> bool:
    wanted = [factor for factor in condition.strip("-").split("-") if not factor.startswith("!")]
    return all(for_tests(factor) for factor in wanted)


def _from_table(data: Mapping[str, Any]) -> Installed:
    environments = table(data, "env")
    tables = [table(data, "env_run_base")]
    tables += [table(environments, name) for name in environments if for_tests(name)]
    found = Installed()
    for section in tables:
        lines = tuple(_factored("\n".join(strings(section.get("deps")))))
        for line in lines:
            option = re.match(r"(-r|--requirement|-c|--constraint)[\s=]*(\S+)$", line)
            found += from_arguments(tuple(option.groups()) if option else (line,))
        found += Installed(
            extras=strings(section.get("extras")), groups=strings(section.get("dependency_groups"))
        )
    return found


def _from_nox_call(call: ast.Call, names: Mapping[str, Any]) -> Installed:
    function = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    values: list[Any] = []
    for argument in call.args:
        value = literal(argument, names)
        values.extend(value if isinstance(value, list) else [value])
    texts = tuple(value for value in values if isinstance(value, str))
    if function == "install":
        return from_arguments(texts)
    if function == "dependency_groups":
        return Installed(groups=texts)
    if function in ("run", "run_always", "run_install") and "install" in texts[:4]:
        return from_arguments(texts[texts.index("install") + 1 :])
    return Installed()
