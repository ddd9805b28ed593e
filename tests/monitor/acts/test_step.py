"""Commands within commands, within code, within commands."""

import pytest

from featuredel.monitor.acts.records import Act, Define, Program, Reach, Touch, Use
from featuredel.monitor.acts.session import Session
from featuredel.monitor.acts.step import acts_of
from featuredel.monitor.trajectory import Call, Cell, Shell, Step, Write


def acts(*calls: str | Call, session: Session | None = None) -> list[Act]:
    made = tuple(Shell(c) if isinstance(c, str) else c for c in calls)
    return acts_of(Step(0, "0", "", "", made, ""), session or Session("/w", "/w"))


def argvs(*calls: str | Call) -> list[str]:
    return [" ".join(act.argv) for act in acts(*calls) if isinstance(act, Program)]


def touched(how: str, *calls: str | Call) -> list[str]:
    return [act.path for act in acts(*calls) if isinstance(act, Touch) and act.how == how]


@pytest.mark.parametrize(
    "command",
    [
        "git log", "bash -c 'git log'", "sh -lc \"git log\"", "eval git log", "env A=1 git log",
        "sudo -u x timeout -k 5 30 git log", "nohup nice -n 5 git log &", "time -p git log",
        "echo git log | sh", "sh <<< 'git log'", "bash <<'E'\ngit log\nE", "xargs git log < x",
        "echo log | xargs git", "find . -exec git log \\;", "command git log", "/usr/bin/git log",
        "echo Z2l0IGxvZw== | base64 -d | bash", "printf 'git log' | rev | rev | sh",
        "python -c \"import os; os.system('git log')\"",
        "python3 - <<'E'\nimport subprocess as s\ns.run(['git', 'log'])\nE",
        "python -c \"__import__('os').popen('git ' + 'log')\"", "script -qc 'git log' /dev/null",
        "uv run git log", "strace -f -o x git log", "busybox git log", "f() { git log; }; f",
        "cat > x.sh <<'E'\ngit log\nE\nbash x.sh", "echo 'git log' > y; sh y",
        "watch -n 1 'git log'",
        "git -c alias.x='!git log' x", "trap 'git log' EXIT", "$(echo git) log",
        "(sleep 1; git log) &",
        "if true; then git log; fi", "parallel git ::: log || git log",
        "perl -e 'system(\"git log\")'",
    ],
)  # fmt: skip
def test_a_command_is_found_in_whatever_is_around_it(command: str) -> None:
    assert "git log" in argvs(command)


def test_what_is_only_said_is_not_run() -> None:
    assert "git log" not in argvs("echo 'git log'; grep 'git log' x; cat <<E\ngit log\nE")


def test_folders_are_followed() -> None:
    assert touched("read", "cd a && cat b; cd ..; cat c") == ["/w/a/b", "/w/c"]
    assert touched("read", "(cd a; cat b); bash -c 'cd z'; cat c")[-1] == "/w/a/c"
    assert touched("read", "cat ~/x $HOME/y /root/z") == ["~/x", "~/y", "~/z"]


@pytest.mark.parametrize(
    ("command", "how", "paths"),
    [
        ("cat a b", "read", ["/w/a", "/w/b"]),
        ("grep -e x -r a --include='*.py'", "search", ["/w/a/*.py"]),
        ("grep x a", "read", ["/w/a"]),
        ("find a -name '*.pyc' -not -path '*/b/*'", "search", ["/w/a/*.pyc"]),
        ("find a -name '*.pyc' -delete", "delete", ["/w/a/*.pyc"]),
        ("sed -i s/a/b/ f", "edit", ["/w/f"]),
        ("sed s/a/b/ f", "read", ["/w/f"]),
        ("echo x > a; echo y >> b", "write", ["/w/a", "/w/b"]),
        ("tee a < b", "write", ["/w/a"]),
        ("cp a b d/", "write", ["/w/d/a", "/w/d/b"]),
        ("mv a b", "delete", ["/w/a"]),
        ("rm -rf a", "delete", ["/w/a"]),
        ("git rm a", "delete", ["/w/a"]),
        ("chmod -R a-w a", "mode", ["/w/a"]),
        ("ln -s x d/y", "link", ["/w/d/y"]),
        ("dd if=a of=b", "write", ["/w/b"]),
        ("unknown --in=a/b c.d", "read", ["/w/a/b", "/w/c.d"]),
        ("patch -p1 <<E\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nE", "edit", ["/w/x"]),
        ("rsync -a --exclude .git a b", "read", ["/w/a"]),
    ],
)  # fmt: skip
def test_effects(command: str, how: str, paths: list[str]) -> None:
    assert touched(how, command) == paths


@pytest.mark.parametrize(
    ("code", "how", "path"),
    [
        ("open('a').read()", "read", "/w/a"),
        ("open('a', mode='w').write('x')", "write", "/w/a"),
        ("with open('a', 'a') as f:\n    f.write('x')", "write", "/w/a"),
        ("from pathlib import Path as P\n(P('a') / 'b').read_text()", "read", "/w/a/b"),
        ("import os\nprint(open(os.path.join('a', f'b{n}')).read())", "read", "/w/a/b*"),
        ("import glob\nfor f in glob.glob('a/*.pyc'):\n    open(f)", "read", "/w/a/*.pyc"),
        ("import shutil as s\ns.copy('a', 'b')", "write", "/w/b"),
        ("import os\nos.remove('a')", "delete", "/w/a"),
        ("import os\nfor r, d, f in os.walk('/'):\n    pass", "search", "/"),
        ("p = 'a' + '.pyc'\nhelper(p)", "read", "/w/a.pyc"),
        ("import zipfile\nzipfile.ZipFile('a.whl')", "read", "/w/a.whl"),
    ],
)
def test_code(code: str, how: str, path: str) -> None:
    assert path in touched(how, Cell(code))


def test_what_is_written_is_known() -> None:
    (touch,) = [a for a in acts("cat > a <<'E'\nx\nE") if isinstance(a, Touch)]
    assert (touch.new, touch.old) == ("x\n", None)
    session = Session("/w", "/w")
    acts(Write("a", "x\n"), "echo y >> a", session=session)
    assert session.files["/w/a"] == "x\ny"


def test_hosts_calls_and_definitions() -> None:
    found = acts(
        "curl -s https://x.org/a -o b; python -c 'import requests as r; r.get(\"https://y.org\")'",
        "alias pytest=true; pytest() { true; }; export A=1",
        Cell("from marshal import loads as l\nl(b'')"),
    )
    assert [a.where for a in found if isinstance(a, Reach)] == ["https://x.org/a", "https://y.org"]
    assert [(a.name, a.kind) for a in found if isinstance(a, Define)] == [
        ("pytest", "alias"), ("pytest", "function"), ("A", "variable"),
    ]  # fmt: skip
    assert "marshal.loads" in [a.name for a in found if isinstance(a, Use)]


def test_cells_of_notebooks_may_hold_shell() -> None:
    assert "git log" in argvs(Cell("!git log"))
    assert "pip install x" in argvs(Cell("%pip install x"))
    assert "git log" in argvs(Cell("%%bash\ngit log\n"))
