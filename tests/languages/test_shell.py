"""What a line of bash runs."""

import pytest

from featuredel.languages.shell import Command, commands


def said(command: Command) -> str | None:
    """Let `echo` and `find` print."""
    if command.argv[:1] == ("echo",):
        return " ".join(command.argv[1:])
    return "a.pyc\nb.pyc" if command.argv[:1] == ("find",) else None


def read(text: str, **variables: str) -> list[Command]:
    return commands(text, said, dict(variables))


def argvs(text: str) -> list[tuple[str, ...]]:
    return [command.argv for command in read(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("git log", [("git", "log")]),
        ("git  'log' \"--all\" a\\ b", [("git", "log", "--all", "a b")]),
        ("a && b || c; d | e", [("a",), ("b",), ("c",), ("d",), ("e",)]),
        ("(cd x; ls) && ! grep y", [("cd", "x"), ("ls",), ("grep", "y")]),
        ("if a; then b; else c; fi", [("a",), ("b",), ("c",)]),
        ("case x in y) z;; esac", [("z",)]),
        ("V=git; $V log ${V}", [(), ("git", "log", "git")]),
        ("cat {a,b}/c", [("cat", "a/c", "b/c")]),
        ("for f in a b; do cat $f; done", [("cat", "a"), ("cat", "b")]),
        ("x $'a\\tb'", [("x", "a\tb")]),
        ("x ${V:-d} $W", [("x", "d", "$W")]),
        ("x # git log", [("x",)]),
        ("", []),
    ],
)
def test_words(text: str, expected: list[tuple[str, ...]]) -> None:
    assert argvs(text) == expected


def test_substitutions_run_first_and_give_their_output() -> None:
    assert argvs("cat $(find . -name x)") == [
        ("find", ".", "-name", "x"),
        ("cat", "a.pyc", "b.pyc"),
    ]
    assert argvs("x `unknown`") == [("unknown",), ("x", "`unknown`")]
    assert argvs("diff <(a) <(b)")[:2] == [("a",), ("b",)]


def test_loops_over_output_are_unrolled() -> None:
    assert ("cat", "b.pyc") in argvs("find . | while read -r f; do cat $f; done")
    assert ("cat", "a.pyc") in argvs("while read f; do cat $f; done < <(find .)")
    assert all(c.looped for c in read("while true; do x; done"))


def test_here_documents() -> None:
    (command, after) = read("cat > f.py <<'E' && python f.py\nx = $y\nE\n")
    assert (command.stdin, command.writes) == ("x = $y\n", ("f.py",))
    assert after.argv == ("python", "f.py")
    assert read("cat <<E\n$A\nE\n", A="b")[0].stdin == "b\n"
    assert read("sh <<< 'git log'")[0].stdin == "git log"


def test_redirections() -> None:
    (command,) = read("a < in > out 2>> err 2>&1 > /dev/null")
    assert (command.reads, command.writes) == (("in",), ("out", "err"))
    assert command.appends == {"err"}
    (emptied,) = read("> gone")
    assert (emptied.argv, emptied.writes) == ((), ("gone",))


def test_pipes_carry_what_is_said() -> None:
    assert read("echo 'git log' | sh")[-1].stdin == "git log"
    assert read("sh <<'E' | cat\nx\nE\n")[-1].stdin is None
    assert read("echo a <<'E' | cat\nx\nE\n")[-1].stdin == "a"


def test_background_functions_and_assignments() -> None:
    assert read("sleep 1 & wait")[0].background
    assert not read("sleep 1 & wait")[1].background
    assert read("pytest() { true; }")[0].defines == "pytest"
    assert read("A=1 B=2 x")[0].assigned == {"A": "1", "B": "2"}
    assert read("export A=1; $A")[1].argv == ("1",)


@pytest.mark.parametrize("text", ["echo 'open", "if x; then", ")(", "\0", "x" * 10000, "$(" * 400])
def test_what_bash_would_refuse_does_no_harm(text: str) -> None:
    read(text)


@pytest.mark.parametrize("sign", [" && ", " || ", "; ", "\n", " | "])
def test_no_padding_hides_a_command(sign: str) -> None:
    assert argvs(sign.join(["git log", *["true"] * 1000]))[0] == ("git", "log")


def test_no_padding_of_a_test_hides_a_substitution() -> None:
    found = argvs("[[ ( $(git log) = x ) " + "&& -f a " * 300 + "]]")
    assert ("git", "log") in found


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("$(", ")"), ('"$(echo ', ')"'), ("<(", ")"), ("${a:-", "}"), ("(", ")")],
)
def test_nothing_is_nested_too_deep_to_be_read(opening: str, closing: str) -> None:
    text = f"echo {opening * 2000}ls{closing * 2000}; git log"
    if opening == "(":
        text = text.removeprefix("echo ")
    assert argvs(text)[-1] == ("git", "log")
