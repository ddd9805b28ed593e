"""What a trainer calls: from any thread or process, at once; nothing of the answer is printed."""

import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest
from candidates import FILES
from toy_dataset import ANSWER, MUL, NEG, have_environment, write_dataset, write_two_tasks

import featuredel
from featuredel.errors import InfrastructureError, UsageError


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> featuredel.Dataset:
    folder = tmp_path_factory.mktemp("toys")
    return featuredel.load(
        write_two_tasks(folder), sandbox="bubblewrap", work=have_environment(folder / "work")
    )


def solved(task: featuredel.Task, directory: Path) -> Path:
    task.materialize(directory)
    for path, content in FILES.items():
        if path in ANSWER:
            (directory / path).write_bytes(content)
    return directory


# --- what there is -------------------------------------------------------------------------


def test_all_names_are_there_and_every_public_name_is_in_all() -> None:
    assert sorted(featuredel.__all__) == list(featuredel.__all__)
    for name in featuredel.__all__:
        assert getattr(featuredel, name) is not None
    typed = {"TYPE_CHECKING", "Any"}
    submodules = {path.stem for path in Path(featuredel.__file__).parent.iterdir()}
    public = {name for name in vars(featuredel) if not name.startswith("_")} - typed - submodules
    assert public <= set(featuredel.__all__)
    assert set(dir(featuredel)) == set(featuredel.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = featuredel.nothing
    assert (Path(featuredel.__file__).parent / "py.typed").exists()


def test_to_import_it_takes_no_heavy_library_along() -> None:
    script = (
        "import sys, featuredel; print(*{'pyarrow', 'dask', 'distributed', 'libcst', 'docker',"
        " 'fsspec', 'git', 'numpy', 'rich', 'click'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.split() == []


def test_tasks_by_id_and_in_order(dataset: featuredel.Dataset) -> None:
    assert len(dataset) == 2
    assert dataset.ids == (MUL, NEG)
    assert [task.id for task in dataset] == [MUL, NEG]
    assert dataset["fe"] == dataset[MUL]
    assert MUL in dataset and "fe" not in dataset
    with pytest.raises(UsageError, match="no task 'dead'"):
        dataset["dead"]


def test_only_some_of_the_tasks(dataset: featuredel.Dataset) -> None:
    assert dataset.where().ids == (MUL, NEG)
    hard = dataset.where(repository="calc", split="test", tier="hard")
    assert hard.ids == (NEG,) and [task.id for task in hard] == [NEG]
    assert len(dataset.where(split="test").where(tier="easy")) == 0
    with pytest.raises(UsageError, match="no task 'fe'"):
        hard["fe"]


def test_where_there_is_no_dataset(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no dataset here"):
        featuredel.load(tmp_path)


def test_a_dataset_named_from_here_is_found_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_dataset(tmp_path)
    monkeypatch.chdir(tmp_path)
    found = featuredel.load("data", work="work")
    monkeypatch.chdir("/")
    assert found[MUL].statement() == "Write add."


# --- what a solver is given ----------------------------------------------------------------


def test_a_task_is_laid_out(dataset: featuredel.Dataset, tmp_path: Path) -> None:
    task = dataset[MUL]
    statement = task.materialize(tmp_path / "solver", "terse")
    assert statement.read_text() == task.statement("terse") == "Write mul."
    assert task.registers == ("full", "terse")
    with pytest.raises(UsageError, match="no statement in the register 'interface'"):
        task.statement("interface")
    with pytest.raises(UsageError, match="'short'; it has full, terse"):
        task.statement("short")  # type: ignore[arg-type]  # that there is none of this name


def test_nothing_of_the_answer_is_printed(dataset: featuredel.Dataset) -> None:
    task = dataset[MUL]
    shown = f"{dataset!r} {dataset} {task!r} {task} {[task]} {task.statement()!r}"
    assert "feed" in shown and "calc" in shown and "easy" in shown
    for secret in (task.row.feature, *task.row.f2p, "def test", "test_more", "def mul", "patch"):
        assert secret not in shown


# --- grading -------------------------------------------------------------------------------


@pytest.mark.sandbox
def test_every_form_of_a_submission(dataset: featuredel.Dataset, tmp_path: Path) -> None:
    task = dataset[MUL]
    gold = task.row.gold_patch
    (tmp_path / "gold.diff").write_bytes(gold)
    submissions = (solved(task, tmp_path / "solver"), tmp_path / "gold.diff", gold, gold.decode())
    for submission in submissions:
        earned = task.grade(submission)
        assert earned.resolved and earned.reward == 1.0 and earned.reason == ""
    task.materialize(tmp_path / "untouched")
    for nothing in (tmp_path / "untouched", b"", "", "\n"):
        assert task.grade(nothing).reward == 0.0


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "diff", ["no diff", "\ud83d", b"\xff\0", "--- a/no\n+++ b/no\n@@ -1 +1 @@\n-a\n+b\n"]
)
def test_a_diff_that_does_not_apply_earns_nothing(
    dataset: featuredel.Dataset, diff: str | bytes
) -> None:
    earned = dataset[MUL].grade(diff)
    assert (earned.reward, earned.resolved) == (0.0, False)
    assert earned.reason.startswith("the diff: the patch does not apply")


@pytest.mark.sandbox
def test_text_is_never_taken_for_a_path(dataset: featuredel.Dataset, tmp_path: Path) -> None:
    task = dataset[MUL]
    answer = tmp_path / "gold.diff"
    answer.write_bytes(task.row.gold_patch)
    assert task.grade(answer).resolved
    assert task.grade(str(answer)).reward == 0.0


def test_a_path_that_is_not_there(dataset: featuredel.Dataset, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        dataset[MUL].grade(tmp_path / "gone.diff")


def test_a_machine_that_cannot_grade_gives_no_verdict(tmp_path: Path) -> None:
    work = have_environment(tmp_path / "work")
    (work / "tasks").write_bytes(b"")  # where a folder should be
    dataset = featuredel.load(write_dataset(tmp_path), sandbox="bubblewrap", work=work)
    with pytest.raises(InfrastructureError, match="tasks: File exists"):
        dataset[MUL].grade(b"")
    with pytest.raises(UsageError, match="no such sandbox"):
        featuredel.load(dataset.location, sandbox="clay", work=work)[MUL].grade(b"")


# --- at once -------------------------------------------------------------------------------

JOBS = [(MUL, True), (NEG, True), (MUL, False), (MUL, True), (NEG, False), (NEG, True)]
"""Tasks, and whether what is graded is their gold patch."""


def earned(dataset: featuredel.Dataset, task_id: str, gold: bool) -> float:
    task = dataset[task_id]
    return task.grade(task.row.gold_patch if gold else b"").reward


def fresh(tmp_path: Path) -> featuredel.Dataset:
    """Return a dataset of which nothing is unpacked yet, so that all meet at that."""
    work = have_environment(tmp_path / "work")
    return featuredel.load(write_two_tasks(tmp_path), sandbox="bubblewrap", work=work)


def expected() -> list[float]:
    return [float(gold) for _, gold in JOBS]


@pytest.mark.sandbox
def test_from_many_threads(tmp_path: Path) -> None:
    dataset = fresh(tmp_path)
    with ThreadPoolExecutor(len(JOBS)) as pool:
        jobs = [pool.submit(earned, dataset, *job) for job in JOBS]
        assert [job.result() for job in jobs] == expected()
    assert not list((tmp_path / "work").rglob(".scratch-*"))


@pytest.mark.sandbox
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_from_many_processes(tmp_path: Path, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    dataset = fresh(tmp_path)
    assert earned(dataset, MUL, gold=True) == 1.0  # this process has its sandbox open
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(4, mp_context=context) as pool:
        jobs = [pool.submit(graded_there, pickle.dumps(dataset[task]), gold) for task, gold in JOBS]
        assert [job.result() for job in jobs] == expected()
    assert not list((tmp_path / "work").rglob(".scratch-*"))


def graded_there(task: bytes, gold: bool) -> float:
    """Grade in another process."""
    here: featuredel.Task = pickle.loads(task)
    return here.grade(here.row.gold_patch if gold else b"").reward
