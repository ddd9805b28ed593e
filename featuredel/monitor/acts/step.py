"""From a step to its acts."""

import itertools
import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from featuredel.languages.shell import Command, commands
from featuredel.monitor.acts.code import acts_of_code
from featuredel.monitor.acts.effects import effects
from featuredel.monitor.acts.output import find_parts, said
from featuredel.monitor.acts.records import Act, Define, How, Nested, Program, Reach, Touch
from featuredel.monitor.acts.session import Session
from featuredel.monitor.acts.unwrap import SHELLS, Inner, unwrap
from featuredel.monitor.places import TESTS, is_product
from featuredel.monitor.trajectory import Call, Cell, Look, Read, Shell, Step, Write

DEPTH = 8
"""Of commands within commands."""

MOST = 5000
"""Acts of one step; more is noise."""


@dataclass(frozen=True, slots=True)
class _Outer:
    """What is around a command that is being unwrapped."""

    text: str
    wrappers: frozenset[str] = frozenset()
    variables: Mapping[str, str] = field(default_factory=dict)
    background: bool = False
    looped: bool = False


_PYTHON = re.compile(r"^(python|pypy|ipython)[\d.]*w?$")
_PYTHON_TAKES = ("-W", "-X", "--check-hash-based-pycs")


def acts_of(step: Step, session: Session) -> list[Act]:
    """Return what a step does, in order; `session` is carried on."""
    found: list[Act] = []
    for call in step.calls:
        for act in _acts_of_call(call, session):
            found.append(act)
            if len(found) >= MOST:
                return found
    return found


def _acts_of_call(call: Call, session: Session) -> Iterator[Act]:
    if isinstance(call, Shell):
        yield from _shell(call.command, session, _Outer(call.command.strip()), 0)
    elif isinstance(call, Cell):
        yield from _code(call.code, session, _Outer(call.code.strip()), 0)
    elif isinstance(call, Read):
        yield Touch(session.resolve(call.path), "read", "read", call.path)
    elif isinstance(call, Write):
        path = session.resolve(call.path)
        if call.old is None:
            session.files[path] = call.new
        elif path in session.files:
            session.files[path] = _edited(session.files[path], call)
        how: How = "write" if call.old is None else "edit"
        yield Touch(path, how, "edit", call.path, call.new, call.old)
        yield from _scratch(path, call.new, session, _Outer(call.path), 0)
    elif isinstance(call, Look):
        yield Reach(call.what, "web", call.what)


def _edited(text: str, call: Write) -> str:
    return text.replace(call.old, call.new, 1) if call.old else f"{text}\n{call.new}"


def _scratch(path: str, text: str, session: Session, outer: _Outer, depth: int) -> Iterator[Act]:
    """Yield what a script would do that is written and belongs to no project."""
    if (
        not text
        or TESTS.search(path)
        or (is_product(path, session) and "/" in (session.inside(path) or ""))
    ):
        return
    if path.endswith(".py"):
        yield from _code(text, session, outer, depth + 1)
    elif path.endswith((".sh", ".bash")) or text.startswith("#!"):
        yield from _own_script(path, session, outer, depth)


def _shell(
    script: str, session: Session, outer: _Outer, depth: int, stdin: str | None = None
) -> Iterator[Act]:
    if depth > DEPTH:
        return
    cwd = session.cwd
    for command in commands(script, said, session.variables, stdin):
        inner = _Outer(
            command.text if depth == 0 else outer.text,
            outer.wrappers,
            {**outer.variables, **command.assigned},
            outer.background or command.background,
            outer.looped or command.looped,
        )
        yield from _command(command, session, inner, depth)
    if depth:
        session.cwd = cwd  # a shell of its own


def _command(command: Command, session: Session, outer: _Outer, depth: int) -> Iterator[Act]:
    if command.defines is not None:
        session.functions[command.defines] = command.text
        yield Define(command.defines, command.text, "function", outer.text)
        return
    for path in command.reads:
        yield Touch(session.resolve(path), "read", "<", outer.text)
    written = _written(command)
    if command.argv and posixpath.basename(command.argv[0]) == "cat":
        parts = [session.files.get(session.resolve(a)) for a in command.argv[1:] if a != "-"]
        if parts:
            known = None not in parts
            written = "".join(p or "" for p in parts) + (written or "") if known else None
    for path in command.writes:
        at = session.resolve(path)
        appended = path in command.appends
        if written is not None:
            session.files[at] = session.files.get(at, "") + written if appended else written
        yield Touch(at, "write", ">", outer.text, written, "" if appended else None)
        yield from _scratch(at, written or "", session, outer, depth)
    if not command.argv:
        for name, value in command.assigned.items():
            yield Define(name, value, "variable", outer.text)
        return
    stdin = command.stdin
    if stdin is None and command.reads:
        stdin = session.files.get(session.resolve(command.reads[0]))
    yield from _argv(command.argv, stdin, session, outer, depth)


def _written(command: Command) -> str | None:
    """Return what a redirection of `command` writes, if that is known."""
    if not command.argv:
        return ""
    name = posixpath.basename(command.argv[0])
    if name in ("cat", "echo", "printf", "base64", "tee", "xxd", "rev", "gunzip", "zcat"):
        return said(command)
    return None


def _argv(
    argv: tuple[str, ...], stdin: str | None, session: Session, outer: _Outer, depth: int
) -> Iterator[Act]:
    """Yield the acts of one command, whatever it is wrapped in."""
    if depth > DEPTH or not argv:
        return
    name = posixpath.basename(argv[0]) or argv[0]
    program = Program(
        (name, *argv[1:]), outer.text, session.cwd, dict(outer.variables), stdin,
        outer.wrappers, outer.background, outer.looped,
    )  # fmt: skip
    yield program
    if "/" in argv[0] and argv[0].startswith(("/tmp", "./", "../", "~")):  # noqa: S108
        yield from _own_script(argv[0], session, outer, depth)
    if argv[0] in session.functions and depth < DEPTH:
        yield from _called(argv, session, outer, depth)
        return
    inner = unwrap(argv, stdin)
    if inner is not None:
        yield from _wrapped(name, inner, stdin, session, outer, depth)
        return
    if name in ("cd", "pushd", "chdir"):
        session.enter(next((a for a in argv[1:] if not a.startswith("-")), "~"))
    elif name in ("source", ".", *SHELLS) and len(argv) > 1:
        script = next((a for a in argv[1:] if not a.startswith(("-", "+"))), "")
        if script:
            yield Touch(session.resolve(script), "read", name, outer.text)
            yield from _own_script(script, session, outer, depth)
    elif _PYTHON.match(name):
        yield from _python(argv, stdin, session, outer, depth)
    elif name == "tee":
        for path in argv[1:]:
            if not path.startswith("-") and stdin is not None:
                session.files[session.resolve(path)] = stdin
        yield from effects(program, session)
    else:
        if name in ("cp", "mv") and len(argv) > 2:
            known = session.files.get(session.resolve(argv[-2]))
            if known is not None:
                session.files[session.resolve(argv[-1])] = known
        yield from effects(program, session)
        yield from _executed(program, session, outer, depth)


def _wrapped(
    name: str, inner: Inner, stdin: str | None, session: Session, outer: _Outer, depth: int
) -> Iterator[Act]:
    """Yield what is run by the program `name` that wraps another."""
    around = replace(
        outer, wrappers=outer.wrappers | {name}, variables={**outer.variables, **inner.variables}
    )
    before = session.cwd
    if inner.cwd:
        session.enter(inner.cwd)
    if inner.script is not None:
        given = None if name in SHELLS and inner.script == stdin else stdin
        yield from _shell(inner.script, session, around, depth + 1, given)
    else:
        yield from _argv(inner.argv, stdin, session, around, depth + 1)
    session.cwd = before


def _called(argv: tuple[str, ...], session: Session, outer: _Outer, depth: int) -> Iterator[Act]:
    """Yield what a shell function does with its arguments."""
    text = session.functions[argv[0]]
    body = text[text.find("{") + 1 : text.rfind("}")]
    given = shlex.join(argv[1:])
    for sign in ('"$@"', '"$*"', "$@", "$*"):
        body = body.replace(sign, given)
    for number, word in enumerate(argv[1:], 1):
        session.variables[str(number)] = word
        body = body.replace(f"${number}", word)
    session.functions.pop(argv[0])  # it may call the program of its own name
    yield from _shell(body, session, outer, depth + 1)
    session.functions[argv[0]] = text


def _executed(program: Program, session: Session, outer: _Outer, depth: int) -> Iterator[Act]:
    """Yield what `find -exec`, `git -c alias.x=!cmd` and scripts of other interpreters run."""
    argv = program.argv
    if program.name in ("find", "fd", "fdfind"):
        roots, patterns = find_parts(argv)
        found = " ".join(
            posixpath.join(root, pattern) for root in roots for pattern in patterns or ["*"]
        )
        for flag in ("-exec", "-execdir", "-ok", "-x", "--exec", "-X"):
            if flag in argv:
                rest = argv[argv.index(flag) + 1 :]
                end = next((n for n, w in enumerate(rest) if w in (";", "+", "\\;")), len(rest))
                inner = [w.replace("{}", found) for w in rest[:end]]
                if flag in ("-x", "--exec", "-X") and "{}" not in rest:
                    inner.append(found)
                yield from _argv(tuple(inner), None, session, outer, depth + 1)
    elif program.name == "git":
        for number, word in enumerate(argv[:-1]):
            if word == "-c" and (match := re.match(r"alias\.[\w-]+=!?(.*)", argv[number + 1])):
                script = match[1] if argv[number + 1].find("=!") >= 0 else f"git {match[1]}"
                yield from _shell(script, session, outer, depth + 1)
        yield from _aliased(program, session, outer, depth)
    elif program.name in ("make", "gmake"):
        given = [b for a, b in itertools.pairwise(argv) if a in ("-f", "--file")]
        text = session.files.get(session.resolve(given[0] if given else "Makefile"), "")
        recipe = "\n".join(re.findall(r"^\t[-@+]*(.*)", text, re.MULTILINE))
        yield from _shell(recipe, session, outer, depth + 1)
    elif program.name in ("awk", "gawk", "perl", "ruby", "node", "php"):
        for script in re.findall(
            r"(?:system|exec(?:Sync)?|popen|shell_exec|qx)\s*[({]\s*[\"'`](.*?)[\"'`]", program.text
        ):
            yield from _shell(script, session, outer, depth + 1)
        if program.name in ("perl", "ruby", "php"):
            for word in program.argv[1:]:
                for script in re.findall(r"`([^`]+)`", word):
                    yield from _shell(script, session, outer, depth + 1)


def _aliased(program: Program, session: Session, outer: _Outer, depth: int) -> Iterator[Act]:
    """Yield what an alias of git stands for, where it is made and where it is used."""
    argv = program.argv
    for number, word in enumerate(argv):
        key, equals, value = word.partition("=")
        if key.startswith("alias.") and "config" in argv and len(argv) > number + 1:
            session.aliases[key[6:]] = value if equals else argv[number + 1]
            yield from _alias(session.aliases[key[6:]], (), session, outer, depth)
            return
    variables = program.variables
    for key, value in variables.items():
        if key.startswith("GIT_CONFIG_KEY_") and value.startswith("alias."):
            name = value.partition(".")[2]
            session.aliases[name] = variables.get(key.replace("_KEY_", "_VALUE_"), "")
    used = next((n for n, word in enumerate(argv) if word in session.aliases), None)
    if used is not None and all(word.startswith("-") for word in argv[1:used]):
        yield from _alias(session.aliases[argv[used]], argv[used + 1 :], session, outer, depth)


def _alias(
    value: str, given: tuple[str, ...], session: Session, outer: _Outer, depth: int
) -> Iterator[Act]:
    script = value[1:] if value.startswith("!") else f"git {value}"
    if depth < DEPTH:
        yield from _shell(f"{script} {shlex.join(given)}", session, outer, depth + 1)


def _own_script(path: str, session: Session, outer: _Outer, depth: int) -> Iterator[Act]:
    """Yield what a script does that the solver wrote before."""
    text = session.files.get(session.resolve(path))
    if text is None:
        return
    first = text.split("\n", 1)[0]
    if path.endswith(".py") or "python" in first:
        yield from _code(text, session, outer, depth + 1)
    else:
        yield from _shell(text, session, outer, depth + 1)


def _python(
    argv: tuple[str, ...], stdin: str | None, session: Session, outer: _Outer, depth: int
) -> Iterator[Act]:
    number = 1
    while number < len(argv):
        word = argv[number]
        rest = argv[number + 1 :]
        if re.match(r"^-[a-zA-Z]*c$", word) and rest:
            yield from _code(rest[0], session, outer, depth + 1, rest[1:])
            return
        if re.match(r"^-[a-zA-Z]*c.", word) and not word.startswith("--"):
            yield from _code(word[word.index("c") + 1 :], session, outer, depth + 1)
            return
        if (re.match(r"^-[a-zA-Z]*m$", word) and rest) or re.match(r"^-m\w", word):
            module = (*rest,) if word.endswith("m") else (word[2:], *rest)
            yield from _module(module, stdin, session, outer, depth)
            return
        if word in _PYTHON_TAKES:
            number += 1
        elif word == "-":
            yield from _code(stdin or "", session, outer, depth + 1, rest)
            return
        elif not word.startswith("-"):
            path = session.resolve(word)
            yield Touch(path, "list", "python", outer.text)
            text = session.files.get(path)
            if text is not None:
                yield from _code(text, session, outer, depth + 1, rest)
            for given in rest:
                if not given.startswith("-") and ("/" in given or "." in given):
                    yield Touch(session.resolve(given), "read", "python", outer.text)
            return
        number += 1
    if stdin is not None:
        yield from _code(stdin, session, outer, depth + 1)


def _module(
    module: tuple[str, ...], stdin: str | None, session: Session, outer: _Outer, depth: int
) -> Iterator[Act]:
    """Yield the acts of `python -m MODULE ...`: as those of a program of that name."""
    if module[0] in ("coverage", "trace", "cProfile", "pdb", "runpy") and "-m" in module:
        module = module[module.index("-m") + 1 :]
    if module and module[0] == "pip._internal":
        module = ("pip", *module[1:])
    if module:
        yield from _argv(module, stdin, session, outer, depth + 1)


def _parsed(code: str, session: Session, given: tuple[str, ...]) -> list[Act | Nested]:
    """Return what code does, up to code that is nested deeper than it can be walked."""
    found: list[Act | Nested] = []
    try:
        for act in acts_of_code(code, session, given):
            found.append(act)  # noqa: PERF402 -- what was found before the error counts
    except RecursionError:
        pass
    return found


def _code(
    code: str, session: Session, outer: _Outer, depth: int, given: tuple[str, ...] = ()
) -> Iterator[Act]:
    if depth > DEPTH:
        return
    for path in given:
        if "/" in path or "." in path:
            yield Touch(session.resolve(path), "read", "python", outer.text)
    for act in _parsed(code, session, given):
        if isinstance(act, Nested):
            if act.python:
                yield from _code(act.script, session, outer, depth + 1)
            else:
                yield from _shell(act.script, session, outer, depth + 1)
        else:
            if isinstance(act, Touch) and act.how == "write" and act.new is not None:
                session.files[act.path] = act.new
            yield act
