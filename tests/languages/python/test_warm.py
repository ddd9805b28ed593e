"""Runs in forks of a warm process are like runs in processes of their own."""

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from candidates import FILES, REACHED, TESTS, this_environment, write

from featuredel.forks import run_compiled, run_forked
from featuredel.grading import run_tests
from featuredel.languages import front_end
from featuredel.languages.python.runner import PROBE
from featuredel.model import TestId, TestRequest, TestRun
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.sandbox.shared import Shared

pytestmark = pytest.mark.sandbox

MORE = FILES["calc/more.py"]
PYTHON = front_end("python")
Forked = Callable[..., TestRun]


@pytest.fixture
def forked(tmp_path: Path) -> Iterator[Forked]:
    """Return a function that writes a tree and runs its tests in a fork, always of one process."""
    count = 0

    def run(tree: dict[str, bytes], request: TestRequest | None = None, **files: bytes) -> TestRun:
        nonlocal count
        count += 1
        root = write(tmp_path / f"tree{count}", tree)
        assert count == 1 or len(sandbox.sessions) == 1
        return run_forked(
            PYTHON, sandbox, this_environment(), (root,), request or TestRequest(), tmp_path,
            {path.replace("__", "/") + ".py": content for path, content in files.items()},
        )  # fmt: skip

    with contextlib.closing(Shared(Bubblewrap())) as sandbox:
        yield run


def outcomes(run: TestRun) -> list[str]:
    return [result.outcome for result in run.results.values()]


def module(**bodies: str) -> dict[str, bytes]:
    """Return a tree with a test module of functions with these bodies."""
    code = "import os, sys, time, subprocess, pathlib, signal\n"
    code += "".join(f"def test_{name}():\n    {body}\n" for name, body in bodies.items())
    return {"test_it.py": code.encode()}


def test_each_variant_is_judged_by_itself(forked: Forked) -> None:
    def variant(more: bytes) -> TestRun:
        return forked(FILES, TestRequest(ids=REACHED), calc__more=more)

    assert outcomes(variant(MORE)) == ["passed", "passed"]
    assert outcomes(variant(MORE.replace(b"a * b", b"a + b"))) == ["failed", "failed"]
    assert outcomes(variant(b"not python at all")) == ["absent", "absent"]
    ended = variant(b"import os\nos._exit(0)\n")
    assert (outcomes(ended), ended.ended) == (["absent", "absent"], "crashed")
    assert outcomes(variant(MORE)) == ["passed", "passed"]


def test_it_says_what_a_process_of_its_own_says(forked: Forked, tmp_path: Path) -> None:
    tree = {
        **FILES,
        "tests/conftest.py": b"import calc\nimport pytest\n\n@pytest.fixture(scope='session')\n"
        b"def two():\n    return calc.add(1, 1)\n",
        "tests/test_two.py": b"import pytest\n\ndef test_two(two):\n    assert two == 2\n\n"
        b"@pytest.mark.parametrize('x', [1, 2])\ndef test_x(x, two):\n    assert x == two\n\n"
        b"def test_told():\n    with pytest.raises(AssertionError, match='assert 1 == 2'):\n"
        b"        assert 1 == 2\n",
        "tests/test_dead.py": b"import nothing_of_the_kind\n",
    }
    root = write(tmp_path / "fresh", tree)
    fresh = run_tests(PYTHON, Bubblewrap(), this_environment(), (root,), TestRequest())
    for _ in range(2):
        run = forked(tree)
        assert {t: (r.outcome, r.reason) for t, r in run.results.items()} == {
            t: (r.outcome, r.reason) for t, r in fresh.results.items()
        }
        assert run.collection_errors == fresh.collection_errors
        assert run.ended == fresh.ended


def test_nothing_of_a_run_is_there_in_the_next(forked: Forked) -> None:
    places = "('/tmp', '/dev/shm', '.', os.path.expanduser('~'))"
    leave = (
        f"[pathlib.Path(place, 'left').write_text('x') for place in {places}]; os.left = 1;"
        " os.environ['LEFT'] = '1'; pathlib.Path('test_it.py').unlink()"
    )
    find = (
        "assert not hasattr(os, 'left') and 'LEFT' not in os.environ;"
        f" assert not any(os.path.exists(place + '/left') for place in {places})"
    )
    assert outcomes(forked(module(leave=leave))) == ["passed"]
    assert outcomes(forked(module(find=find))) == ["passed"]


def test_no_process_of_a_run_is_there_in_the_next(forked: Forked) -> None:
    start = "subprocess.Popen(['sleep', '1000'], start_new_session=True)"
    find = (
        "assert not [p for p in pathlib.Path('/proc').glob('[0-9]*')"
        " if b'sleep' in (p / 'cmdline').read_bytes()]"
    )
    assert outcomes(forked(module(start=start))) == ["passed"]
    assert outcomes(forked(module(find=find))) == ["passed"]


def test_a_fork_sees_no_other_tree_and_has_no_power(forked: Forked) -> None:
    tree = module(
        trees="assert set(os.listdir('/trees')) <= {'changes', 'work'}",
        namespace="import ctypes; assert ctypes.CDLL(None).unshare(0x10000000) == -1",
        mount="import ctypes; assert ctypes.CDLL(None).umount2(b'/trees', 2) == -1",
        memory="""
    parent = os.getppid()
    try:
        open(f'/proc/{parent}/mem', 'rb')
    except PermissionError:
        pass
    else:
        raise AssertionError""",
    )
    assert outcomes(forked(tree)) == ["passed"] * 4


def test_source_that_changed_is_compiled_anew(forked: Forked) -> None:
    for number in (1, 2, 1):
        tree = {
            "mod.py": b"def f():\n    return %d\n" % number,
            "test_it.py": b"import mod\n\ndef test_f():\n    assert mod.f() == %d\n" % number,
        }
        assert outcomes(forked(tree)) == ["passed"]
        assert outcomes(forked(tree, mod=b"def f():\n    return 3\n")) == ["failed"]


def test_a_process_of_its_own_finds_what_was_compiled(tmp_path: Path) -> None:
    found = (
        b"import gc, mod\n\ndef test_found():\n    from featuredel_probe.compiled import Compiled\n"
        b"    [own] = (one for one in gc.get_objects() if type(one) is Compiled)\n"
        b"    assert not [path for _, path in own.missed if path.startswith('/workspace/')]\n\n"
        b"def test_new():\n    assert mod.f() == 2\n"
    )
    paths, tests = ("mod.py", "test_it.py", "not_there.py"), (TestId("test_it.py::test_new"),)
    with contextlib.closing(Shared(Bubblewrap())) as sandbox:
        for number in (1, 2):
            mod = b"def f():\n    return %d\n" % number
            root = write(tmp_path / f"tree{number}", {"mod.py": mod, "test_it.py": found})
            run = run_compiled(
                PYTHON, sandbox, this_environment(), (root,), TestRequest(), tmp_path, paths, tests
            )
            assert [(one.outcome, one.reason) for one in run.results.values()] == [
                ("passed", ""),
                ("failed", "AssertionError: assert 1 == 2") if number == 1 else ("passed", ""),
            ]


def test_expressions_are_compiled_once_but_those_that_warn() -> None:
    script = (
        "import re, warnings; from featuredel_probe.patterns import Patterns\n"
        "own = Patterns(); own.expect([('a+', 0), ('(', 0), ('[[a]', 0)]); own.install()\n"
        "warnings.simplefilter('ignore')\n"
        "print(*[re.compile(one).match('a[') is None for one in ('a+', 'b+', '[[a]')])\n"
        "re.compile(b'a+'); print(own.missed)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(PROBE)},
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout == "False True False\n[('b+', 0), ('[[a]', 0)]\n"


def test_an_endless_loop_ends(forked: Forked) -> None:
    request = TestRequest(ids=(TestId("test_it.py::test_loop"),), timeout_s=0.3)
    assert outcomes(forked(module(loop="\n    while True: pass"), request)) == ["timeout"]
    deaf = "\n    signal.pthread_sigmask(signal.SIG_BLOCK, [14, 27])\n    while True: pass"
    request = replace(request, total_timeout_s=1.0)
    assert forked(module(loop=deaf), request).ended == "timeout"


def test_a_run_that_ends_the_session_is_run_by_itself(forked: Forked) -> None:
    tree = module(first="os.getpid() > 3 and os.kill(os.getppid(), 9)", second="pass")
    assert forked(tree).results[TestId("test_it.py::test_second")].outcome == "passed"
    assert outcomes(forked(FILES)) == ["passed"] * len(TESTS)


def test_what_one_tree_imports_may_be_a_plugin_of_another(forked: Forked) -> None:
    plain = module(it="import yaml")
    strict = {
        **plain,
        "conftest.py": b"import pytest\n\npytest.register_assert_rewrite('yaml')\n",
        "pytest.ini": b"[pytest]\nfilterwarnings = error\n",
    }
    assert [outcomes(forked(tree)) for tree in (plain, strict)] == [["passed"], ["passed"]]


def test_a_fork_that_dies_before_it_tells_of_a_test_is_run_by_itself(forked: Forked) -> None:
    dies = b"import os, sys\nif 'featuredel_probe.private' in sys.modules:\n    os._exit(1)\n"
    assert outcomes(forked({**module(it="pass"), "conftest.py": dies})) == ["passed"]


def test_a_package_that_fails_half_way_is_left_to_the_forks(tmp_path: Path) -> None:
    files = {
        "half/__init__.py": b"import half.first\nimport nothing_of_the_kind\n",
        "half/first.py": b"",
        "dies.py": b"import os\nos._exit(1)\n",
        "threads.py": b"import threading, time\n"
        b"threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n",
        "whole.py": b"",
    }
    write(tmp_path, files)
    names = "['half.first', 'half', 'dies', 'threads', 'whole']"
    script = (
        "import sys; from featuredel_probe.forks import Preloaded\n"
        f"sys.prefix = {str(tmp_path)!r}; sys.path.append(sys.prefix)\n"
        f"Preloaded().add({names})\n"
        f"print(*[name for name in {names} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(PROBE)},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("whole\n", "")
