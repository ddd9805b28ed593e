"""One run over many bad repositories: each is turned down for a reason, and a good one thrives."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from end_to_end import bad_repositories as bad
from end_to_end import offline
from end_to_end.index_server import serve
from end_to_end.scene import TOYS, Scene

from featuredel import trees
from featuredel.model import Rejection, Task

pytestmark = pytest.mark.sandbox

DEFAULTS = {
    "licence": "MIT",
    "max_candidates": 4,
    "max_tasks": 1,
    "mutants": 1,
    "repeats": 1,
    "baseline_runs": 2,
    "test_timeout_s": 5,
    "suite_timeout_s": 60,
}
QUICK = {"test_timeout_s": 1, "suite_timeout_s": 30}
TREES: Mapping[str, bad.Files] = {
    "empty": bad.EMPTY,
    "no-tests": bad.NO_TESTS,
    "all-fail": bad.ALL_FAIL,
    "hangs": bad.HANGS,
    "hangs-at-import": bad.HANGS_AT_IMPORT,
    "prints": bad.PRINTS,
    "prints-at-import": bad.PRINTS_AT_IMPORT,
    "forks": bad.FORKS,
    "deletes-its-tests": bad.DELETES_ITS_TESTS,
    "syntax-error": bad.SYNTAX_ERROR,
    "python-2": bad.PYTHON_2,
    "large": bad.large(50 << 20),
    "many-modules": bad.many_modules(2000),
}
OWN_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "hangs": QUICK,
    "hangs-at-import": {"build_timeout_s": 8},
}
TURNED_DOWN = {  # stage, reason, and what the detail tells
    "empty": ("acquire", "empty repository", "holds no files"),
    "no-tests": ("environment", "no tests", "looks like a test module"),
    "all-fail": ("baseline", "no stable passing tests", "2 failing; .*assert 1 == 2"),
    "hangs": ("baseline", "no stable passing tests", "3 slow; .*test_asleep"),
    "hangs-at-import": ("environment", "collection hangs", "8 s"),
    "prints": (
        "baseline",
        "no stable passing tests",
        "(2 failing|1 slow); .*File too large|2 slow; .*no end after",
    ),
    "prints-at-import": ("environment", "no tests can be collected", "output"),
    "forks": ("baseline", "no stable passing tests", "1 failing; .*processes"),
    "python-2": ("environment", "no tests can be collected", "SyntaxError: Missing parentheses"),
    "writes-outside": ("baseline", "no stable passing tests", "9 failing; .*Read-only file system"),
    "large": ("acquire", "too large", r"'table.py' has 52,428,800 bytes; max_file_bytes"),
    "links-out-on-disk": ("acquire", "unsafe directory", "a link out of the tree: 'out'"),
    "climbs": ("acquire", "unsafe archive", r"\.\./\.\./escaped\.py"),
    "absolute": ("acquire", "unsafe archive", "/tmp/escaped.py"),
    "links-out": ("acquire", "unsafe archive", "a file and a directory at once: 'toy-1.0/out'"),
    "links": ("acquire", "unsafe archive", r"a link out of the tree: 'out' -> '\.\./\.\.'"),
    "hard-links": ("acquire", "unsafe archive", "a hard link: 'toy-1.0/passwords'"),
    "cut-short": ("acquire", "damaged archive", ""),
}
GIVE_TASKS = ("calculator", "deletes-its-tests", "syntax-error", "many-modules")


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What the run left behind."""

    said: Mapping[str, Any]
    tasks: tuple[Task, ...]
    rejections: tuple[Rejection, ...]
    before: Mapping[str, str]  # the trees' hashes by name
    sources: Path
    victim: Path

    def of(self, name: str) -> list[Rejection]:
        """Return the rejections of a repository as a whole."""
        stages = ("acquire", "environment", "baseline", "discover")
        return [r for r in self.rejections if r.repository == name and r.stage in stages]


@pytest.fixture(scope="module")
def aftermath(
    tmp_path_factory: pytest.TempPathFactory, packages: Mapping[str, str]
) -> Iterator[Aftermath]:
    folder = tmp_path_factory.mktemp("bad")
    sources, victim = folder / "sources", folder / "victim"
    victim.mkdir()
    for name, files in {**TREES, "writes-outside": bad.writes_outside(victim)}.items():
        bad.write(files, sources / name)
    (bad.write(bad.GOOD, sources / "links-out-on-disk") / "out").symlink_to("../../victim")
    shutil.copytree(TOYS / "calculator", sources / "calculator")
    names = sorted(path.name for path in sources.iterdir())
    before = {name: trees.tree_hash(sources / name) for name in names}
    with serve({name: make() for name, make in bad.ARCHIVES.items()}) as index:
        scene = Scene(
            folder,
            {**packages, "UV_DEFAULT_INDEX": index, "NO_PROXY": "127.0.0.1"},
            {**DEFAULTS, "python": offline.choose_python()},
        )
        paths = [{"source": f"sources/{name}", **OWN_SETTINGS.get(name, {})} for name in names]
        scene.write(*paths, *({"source": f"pkg:pypi/{name}@1.0"} for name in bad.ARCHIVES))
        # with failures it ends with another code: each test says whether it is concerned
        done = scene.call(scene.run_command(workers=2))
    assert done.stdout, done.stderr
    said = json.loads(done.stdout)
    yield Aftermath(said, tuple(scene.tasks()), tuple(scene.rejections()), before, sources, victim)


@pytest.mark.parametrize("name", TURNED_DOWN)
def test_it_is_turned_down(aftermath: Aftermath, name: str) -> None:
    stage, reason, detail = TURNED_DOWN[name]
    (rejection,) = aftermath.of(name)
    assert (rejection.stage, rejection.reason) == (stage, reason), rejection.detail
    assert re.search(detail, rejection.detail, re.DOTALL)
    assert len(rejection.detail) < 4000
    assert not [task for task in aftermath.tasks if task.repository == name]


@pytest.mark.parametrize("name", GIVE_TASKS)
def test_it_gives_tasks(aftermath: Aftermath, name: str) -> None:
    assert aftermath.of(name) == []
    assert [task for task in aftermath.tasks if task.repository == name], aftermath.rejections


def test_every_repository_is_accounted_for(aftermath: Aftermath) -> None:
    assert aftermath.said["failures"] == []
    assert set(aftermath.said["repositories"]) == {*TURNED_DOWN, *GIVE_TASKS}


def test_broken_test_modules_are_set_aside(aftermath: Aftermath) -> None:
    (task, *_) = [task for task in aftermath.tasks if task.repository == "syntax-error"]
    assert task.p2p_count + task.f2p_count == len(re.findall("def test_", bad.GOOD_TESTS))


def test_nothing_was_written_elsewhere(aftermath: Aftermath) -> None:
    assert list(aftermath.victim.iterdir()) == []
    assert not Path("/tmp/escaped.py").exists()
    after = {name: trees.tree_hash(aftermath.sources / name) for name in aftermath.before}
    assert after == aftermath.before
