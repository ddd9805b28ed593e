"""What Harbor calls: an environment that is a sandbox of featuredel, for agent and verifier."""

import asyncio
import contextlib
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities
from harbor.environments.options import EnvironmentOptions
from pydantic import Field

from featuredel.languages import front_end
from featuredel.languages.python.interpreters import minor_of
from featuredel.model import Environment, TestRequest
from featuredel.sandbox import WORKSPACE, Command, Limits, Mount, table
from featuredel.sandbox.launcher.trees import copy
from featuredel.scratch import scratch_directory
from featuredel.tarfiles import tarfile
from featuredel.tasks.read import kept_snapshot, read, recorded_environment
from featuredel.tasks.workplace import Workplace
from featuredel_harbor import grading, once
from featuredel_harbor.place import Place

LONGEST_S = 24 * 3600.0
"""Of a command for which Harbor sets no time; Harbor's own clocks end it sooner."""

OUTPUT_BYTES = 64 << 20
IN_DIRECTORY = 'cd -- "$0" && exec /bin/bash -c "$1"'
TIMED_OUT = "Command timed out after {} seconds"


class Options(EnvironmentOptions):
    """Given as `--ek NAME=VALUE`."""

    work: str = Field(default="", description="featuredel's work folder; default: your cache.")


@dataclass(frozen=True, slots=True)
class _Shown:
    """What commands see besides the place."""

    mounts: tuple[Mount, ...]
    hidden: tuple[str, ...]
    variables: dict[str, str]


class Bubblewrap(BaseEnvironment):
    """Runs a task that `featuredel export harbor` wrote, without an engine.

    The Dockerfiles are not read: the environment is built from the recorded lock, as for grading.
    Each command has a sandbox of its own, so that no process outlives one; files stay. All users
    are one. The verifier's script runs in a sandbox as well, and the grading it calls for outside.
    """

    options_model = Options
    options: Options
    environment_dir: Path

    def __init__(self, *args: Any, logger: logging.Logger | None = None, **kwargs: Any) -> None:
        super().__init__(*args, logger=logger, **kwargs)
        self._stack = contextlib.AsyncExitStack()
        self._place: Place | None = None
        self._nothing = Path()
        self._shown = _Shown((), (), {})

    @staticmethod
    def type() -> str:
        return "featuredel-bubblewrap"

    @classmethod
    def preflight(cls, kwargs: dict[str, Any] | None = None) -> None:
        super().preflight(kwargs)
        trouble = table.working("bubblewrap")
        if isinstance(trouble, str):
            raise SystemExit(trouble)

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities(disable_internet=True)

    @property
    def _is_verifier(self) -> bool:
        return (self.environment_dir / "test.sh").exists()

    @property
    def _tests(self) -> Path:
        """The directory with the task's rows, which only this program reads."""
        return self.environment_dir.parent / "tests"

    def _validate_definition(self) -> None:
        for path in (self._tests / "dataset", self._tests / "task"):
            if not path.exists():
                raise FileNotFoundError(f"{path}: not a task of `featuredel export harbor`")

    async def start(self, force_build: bool) -> None:
        root = self._stack.enter_context(scratch_directory())
        place, self._nothing = Place(root / "root"), root / "nothing"
        for directory in (place.root, self._nothing):
            directory.mkdir()
        place.lay_out()
        environment, self._shown = await asyncio.to_thread(self._prepared)
        if self._is_verifier:
            await self._open_verifier(place, environment, root)
        else:
            await asyncio.to_thread(self._lay_tree, place, environment)
        self._place = place
        await self.ensure_dirs(self._mount_targets(writable_only=True))
        await self._upload_environment_dir_after_start()

    def _prepared(self) -> tuple[Environment, _Shown]:
        """Return the task's environment, built where this machine lacks it."""
        dataset, work = str(self._tests / "dataset"), self.options.work
        workplace = Workplace.open("bubblewrap", work=Path(work) if work else None)
        with contextlib.closing(workplace.sandbox):
            task = read(dataset, (self._tests / "task").read_text().strip())
            snapshot = kept_snapshot(dataset, task, workplace.work)
            environment = workplace.ensure(recorded_environment(dataset, task), snapshot)
        like = front_end(task.language).test_command(environment, (), TestRequest())
        lasting = tuple(mount for mount in like.mounts if mount.lasting)
        return environment, _Shown(lasting, like.hidden, dict(environment.variables))

    def _lay_tree(self, place: Place, environment: Environment) -> None:
        """Lay the solver's tree, and over it what the project's build made."""
        with tarfile.open(self.environment_dir / "workspace.tar") as archive:
            archive.extractall(place.root, filter="data")
        if environment.products:
            copy(str(environment.products), str(place.path(WORKSPACE)))

    async def _open_verifier(self, place: Place, environment: Environment, root: Path) -> None:
        await asyncio.to_thread(place.put_tree, self.environment_dir, "/tests")
        directory = root / "grading"
        directory.mkdir()
        major, minor = minor_of(environment.interpreter)
        program = f"{environment.home}/bin/python{major}.{minor}"
        door = grading.lay_out(directory, program)
        self._shown = _Shown((*self._shown.mounts, door), self._shown.hidden, self._shown.variables)
        task = (self._tests / "task").read_text().strip()
        arguments = (
            *("grade", str(self._tests / "dataset"), task, str(place.path(WORKSPACE))),
            *("--sandbox", "bubblewrap"),
            *(("--work", self.options.work) if self.options.work else ()),
        )
        await self._stack.enter_async_context(grading.open_door(directory, arguments))

    async def stop(self, delete: bool) -> None:
        self._place = None
        await self._stack.aclose()

    async def exec(
        self, command: str, cwd: str | None = None, env: dict[str, str] | None = None,
        timeout_sec: int | None = None, user: str | int | None = None,
    ) -> ExecResult:  # fmt: skip
        directory = cwd or self.task_env_config.workdir or "/"
        result = await once.run(
            Command(
                argv=("/bin/bash", "-c", IN_DIRECTORY, directory, command),
                layers=(self._nothing,),  # the tree is mounted over it
                mounts=(*self._shown.mounts, *self._standing().mounts()),
                hidden=self._shown.hidden,
                variables={**self._shown.variables, **(self._merge_env(env) or {})},
                network=not self._network_disabled,
                limits=Limits(
                    wall_s=float(timeout_sec or LONGEST_S), cpu_s=LONGEST_S,
                    output_bytes=OUTPUT_BYTES,
                ),
            )
        )  # fmt: skip
        if result.ended == "timeout":
            raise RuntimeError(TIMED_OUT.format(timeout_sec))
        stdout, stderr = (one.decode(errors="replace") for one in (result.stdout, result.stderr))
        if result.exit_code is None:
            return ExecResult(
                stdout=stdout, stderr=f"{stderr}ended by {result.ended}", return_code=1
            )
        code = result.exit_code if result.exit_code >= 0 else 128 - result.exit_code
        return ExecResult(stdout=stdout, stderr=stderr, return_code=code)

    def _standing(self) -> Place:
        if self._place is None:
            raise RuntimeError("the environment has not been started")
        return self._place

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        await asyncio.to_thread(self._standing().put_file, Path(source_path), target_path)

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        await asyncio.to_thread(self._standing().put_tree, Path(source_dir), target_dir)

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        await asyncio.to_thread(self._standing().take_file, source_path, Path(target_path))

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        await asyncio.to_thread(self._standing().take_tree, source_dir, Path(target_dir))
