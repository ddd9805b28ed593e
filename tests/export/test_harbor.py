"""Task directories of Harbor, made of toys; what Harbor says of them is in tests/consumers."""

import hashlib
import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from samples import task as sample
from toy_dataset import MUL, NEG, write_two_tasks
from uv import find_uv_bin

import featuredel
from featuredel import tables
from featuredel.cli.export import export as export_commands
from featuredel.errors import UsageError
from featuredel.export.harbor import images, settings
from featuredel.export.harbor.own_wheel import NAME
from featuredel.export.harbor.write import Exported, Options, write
from featuredel.model import EnvironmentRow
from featuredel.tarfiles import tarfile
from featuredel.tasks.read import p2p, read, unpack_snapshot


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_two_tasks(tmp_path_factory.mktemp("toys"))


def export(dataset: str, directory: Path, **options: str) -> Exported:
    return write(tables.read_tasks(dataset), dataset, directory, Options(**options))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def exported(dataset: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("out") / "calc"
    export(dataset, directory)
    return directory


def files(directory: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            yield path.relative_to(directory).as_posix(), path.read_bytes()


def test_the_agent_gets_the_tree_and_nothing_of_the_answer(dataset: str, exported: Path) -> None:
    directory = exported / f"calc-{MUL}"
    with tarfile.open(directory / "environment" / "workspace.tar") as archive:
        names = archive.getnames()
        assert {entry.uid for entry in archive} == {1000}
    assert "workspace/calc/more.py" in names and "workspace/.git/HEAD" in names
    row = read(dataset, MUL)
    added = re.findall(rb"^\+(?!\+\+)(.*\S.*\n)", row.gold_patch, re.MULTILINE)
    answer = [*added, row.hidden_files[0].content, *(test.encode() for test in row.f2p)]
    shown = {n: c for n, c in files(directory) if not n.startswith(("tests/", "solution/"))}
    assert "environment/workspace.tar" in shown and len(answer) > 3
    for name, content in shown.items():
        assert not [one for one in answer if one in content], name


def test_the_tests_hold_the_tasks_own_rows_alone(
    dataset: str, exported: Path, tmp_path: Path
) -> None:
    kept = str(exported / f"calc-{NEG}" / "tests" / "dataset")
    (row,) = tables.read_tasks(kept)
    assert row == read(dataset, NEG)
    assert p2p(kept, row) == p2p(dataset, row)
    assert unpack_snapshot(kept, row, tmp_path / "tree").tree == row.snapshot_tree


def test_the_same_dataset_gives_the_same_bytes(
    dataset: str, exported: Path, tmp_path: Path
) -> None:
    export(dataset, tmp_path / "calc")
    assert dict(files(tmp_path / "calc")) == dict(files(exported))


def test_the_digest_of_a_task_covers_each_of_its_files(exported: Path) -> None:
    told = tomllib.loads((exported / "dataset.toml").read_text())
    assert [one["name"] for one in told["tasks"]] == [
        f"featuredel/calc-{MUL}",
        f"featuredel/calc-{NEG}",
    ]
    lines = (f"{n}\0{hashlib.sha256(c).hexdigest()}\n" for n, c in files(exported / f"calc-{MUL}"))
    assert (
        told["tasks"][0]["digest"]
        == f"sha256:{hashlib.sha256(''.join(lines).encode()).hexdigest()}"
    )


def test_settings(dataset: str, exported: Path) -> None:
    told = tomllib.loads((exported / f"calc-{NEG}" / "task.toml").read_text())
    assert told["artifacts"] == ["/workspace"]
    assert told["verifier"]["environment_mode"] == "separate"
    assert told["environment"]["network_mode"] == "no-network"
    assert told["agent"] == {"timeout_sec": settings.AGENT_S["hard"], "user": "solver"}
    long = sample(test_timeout_s=120)
    toml = tomllib.loads(settings.task_toml(long, "org", "full", "public"))
    assert toml["verifier"]["timeout_sec"] == 7200.0


def test_names_that_harbor_would_not_take() -> None:
    assert settings.short_name(sample(repository="Some/Thing é", task_id="ab" * 8)) == (
        f"some-thing-{'ab' * 8}"
    )
    assert settings.short_name(sample(repository="é", task_id="ab" * 8)) == f"task-{'ab' * 8}"


def test_a_task_without_that_statement_is_left_out(dataset: str, tmp_path: Path) -> None:
    done = export(dataset, tmp_path / "out", register="terse")
    assert [one.name for one in done.directories] == [f"calc-{MUL}"]
    assert done.left_out == (NEG,)
    with tarfile.open(done.directories[0] / "environment" / "workspace.tar") as archive:
        assert "workspace/tests/test_more.py" in archive.getnames()  # the contract


def test_a_directory_in_use_is_refused(dataset: str, exported: Path) -> None:
    with pytest.raises(UsageError, match="is there already"):
        export(dataset, exported)


def test_nothing_is_left_of_an_export_that_fails(dataset: str, tmp_path: Path) -> None:
    first, second = tables.read_tasks(dataset)
    broken = (first, replace(second, environment_id="0" * 16))
    (tmp_path / "empty").mkdir()
    for name in ("new", "empty"):
        with pytest.raises(UsageError, match="is not in environments"):
            write(broken, dataset, tmp_path / name, Options())
    assert list(tmp_path.rglob("*")) == [tmp_path / "empty"]


def test_a_task_that_is_named_twice_is_written_once(dataset: str, tmp_path: Path) -> None:
    first = next(tables.read_tasks(dataset))
    assert len(write([first, first], dataset, tmp_path / "out", Options()).directories) == 1


def test_featuredel_may_be_a_file(dataset: str, tmp_path: Path) -> None:
    wheel = tmp_path / "featuredel-9-py3-none-any.whl"
    with pytest.raises(UsageError, match="no such file"):
        export(dataset, tmp_path / "none", featuredel=str(wheel))
    wheel.write_bytes(b"a wheel")
    tests = export(dataset, tmp_path / "out", featuredel=str(wheel)).directories[0] / "tests"
    assert (tests / wheel.name).read_bytes() == b"a wheel"
    dockerfile = (tests / "Dockerfile").read_text()
    assert f"COPY {wheel.name} /opt/" in dockerfile and f"/opt/{wheel.name}" in dockerfile


def environment(*build: str) -> EnvironmentRow:
    return EnvironmentRow("e", "calc", "3.12.1", ("a==1", "b==2; x"), build, (), "pytest", "{}")


def test_an_environment_is_made_of_its_lock() -> None:
    row = environment("uv pip install --no-deps c==3", "uv pip install --no-deps -e /workspace")
    text = images.agent_dockerfile(row, "base@sha256:0")
    assert text.splitlines()[1] == "FROM base@sha256:0"
    assert "--python 3.12.1 /env" in text
    assert "--no-deps a==1 'b==2; x' c==3\n" in text
    assert "--no-deps -e /workspace" in text and images.PROJECT not in text


def test_a_project_without_a_build_is_put_on_the_path() -> None:
    row = environment("by a path file (nothing to build)")
    assert images.is_by_path(row)
    text = images.agent_dockerfile(row, "base")
    assert f"ADD {images.PROJECT} /\n" in text and "-e /workspace" not in text


def test_the_command(dataset: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["harbor", dataset, str(out), "--task", NEG[:6], "--network", "public", "--json"]
    done = CliRunner().invoke(export_commands, arguments)
    assert json.loads(done.stdout) == {"tasks": [str(out / f"calc-{NEG}")], "left_out": []}
    told = tomllib.loads((out / f"calc-{NEG}" / "task.toml").read_text())
    assert told["environment"]["network_mode"] == "public"


def test_featuredel_itself_goes_with_a_task(exported: Path, tmp_path: Path) -> None:
    tests = exported / f"calc-{MUL}" / "tests"
    assert f"COPY {NAME} /opt/" in (tests / "Dockerfile").read_text()
    install = [find_uv_bin(), "pip", "install", "--no-deps", "--offline"]
    told = subprocess.run(
        [*install, "--target", str(tmp_path / "to"), str(tests / NAME)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    package = Path(featuredel.__file__).parent
    for name in ("export/harbor/files/test.sh", "sandbox/account.py"):
        assert (tmp_path / "to" / "featuredel" / name).read_bytes() == (package / name).read_bytes()
    done = subprocess.run(
        [sys.executable, "-m", "featuredel", "--version"], capture_output=True, text=True,
        env={"PYTHONPATH": str(tmp_path / "to")}, cwd=tmp_path,
    )  # fmt: skip
    assert featuredel.__version__ in done.stdout
    assert importlib.metadata.Distribution.at(
        tmp_path / "to" / f"featuredel-{featuredel.__version__}.dist-info"
    ).entry_points
