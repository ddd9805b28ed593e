"""Where a making works: copies of the answer's tree, and tools run on them.

What executes code of the answer runs in the sandbox, without a network; compilers and git, which
only read it, run on this machine with a home of their own.
"""

import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from featuredel.leaks.plant import Unmade
from featuredel.leaks.plant.answer import Answer
from featuredel.leaks.plant.tools import Tools, run
from featuredel.sandbox import WORKSPACE, Command, Limits, Mount, Sandbox

Words = list[str | Path]
"""A command, or a part of one."""

_SHOWN = 3000  # characters of a log's end


@dataclass(frozen=True, slots=True)
class Workshop:
    """What a making is given."""

    answer: Answer
    tools: Tools
    sandbox: Sandbox
    scratch: Path  # empty, for this making only

    def tree(self, name: str = "tree") -> Path:
        """Return a new copy of the answer's tree."""
        copy = self.scratch / name
        shutil.copytree(self.answer.root, copy, symlinks=True)
        return copy

    def trusted(
        self, argv: Sequence[str | Path], cwd: Path, variables: Mapping[str, str] | None = None
    ) -> bytes:
        """Run a tool that executes nothing of the answer; return its stdout."""
        home = self.scratch / "home"
        home.mkdir(exist_ok=True)
        own = {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"), "LC_ALL": "C.UTF-8"}
        return run([str(word) for word in argv], cwd, own | dict(variables or {}))

    def sandboxed(
        self, pins: str, argv: Sequence[str], out: Path, *, layers: Sequence[Path] = (),
        mounts: Sequence[Mount] = (), fine: Sequence[int] = (0,),
    ) -> None:  # fmt: skip
        """Run a program of a set of Python tools in the sandbox, on the answer's tree.

        The folders `layers` lie over the tree. `out` receives what was made or changed; the
        program's home is `.home` of that. What it may exit with is in `fine`.
        """
        venv = self.tools.pins(pins).resolve()
        base = Path(sys.base_prefix).resolve()
        kept = self.scratch / "changes"
        kept.mkdir()
        homes = self.scratch / "homes"
        (homes / ".home").mkdir(
            parents=True, exist_ok=True
        )  # some tools use /tmp if it is not there
        home = f"{WORKSPACE}/.home"
        source = WORKSPACE + (f"/{self.answer.source}" if self.answer.source else "")
        outside = () if base.is_relative_to("/usr") else (Mount(base, str(base)),)
        done = self.sandbox.run(
            Command(
                # an absolute first word stays itself
                argv=(str(venv / "bin" / argv[0]), *argv[1:]),
                layers=(*layers, homes, self.answer.root),
                mounts=(Mount(venv, str(venv)), *outside, *mounts),
                variables={
                    "HOME": home, "XDG_CACHE_HOME": f"{home}/.cache", "PYTHONPATH": source,
                    "XDG_DATA_HOME": f"{home}/.local/share", "SOURCE_DATE_EPOCH": "1600000000",
                    "PATH": f"{venv}/bin:/usr/local/bin:/usr/bin:/bin",
                },
                keep_changes=kept,
                limits=Limits(wall_s=600),
            )
        )  # fmt: skip
        if done.ended != "exited" or done.exit_code not in fine:
            log = (done.stdout + done.stderr).decode(errors="replace").strip()
            raise Unmade(f"{argv[0]} {done.ended} with {done.exit_code}: {log[-_SHOWN:]}")
        shutil.copytree(kept, out, symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(kept)

    def shell(
        self, pins: str, script: str, out: Path, *,
        layers: Sequence[Path] = (), mounts: Sequence[Mount] = (),
    ) -> None:  # fmt: skip
        """Run a shell script in the sandbox, with a set's programs first on its PATH."""
        argv = ("/bin/sh", "-eu", "-c", script)
        self.sandboxed(pins, argv, out, layers=layers, mounts=mounts)

    def layer(self, files: Mapping[str, str]) -> Path:
        """Write files into a new folder that can lie over the tree, and return it."""
        folder = self.scratch / "layer"
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8", errors="surrogateescape")
        return folder


def copied(source: Path, dest: Path) -> None:
    """Copy a file, a link or a folder, with its attributes, as it is."""
    dest.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir() and not source.is_symlink():
        shutil.copytree(source, dest, symlinks=True)
    else:
        shutil.copy2(source, dest, follow_symlinks=False)
