"""Building an environment piece by piece: on this machine what is safe, the rest in a sandbox.

On this machine uv resolves to wheels and unpacks them; it runs nothing that a stranger wrote. A
project, or a dependency without a wheel, is built in a sandbox with a network and a cache of its
own, into a folder whose plain files are then laid in the prefix.
"""

import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from featuredel.errors import Rejected
from featuredel.languages.python import collection, interpreters, site, uv, uv_runs
from featuredel.languages.python.built import Built, Lock, Unresolvable, named
from featuredel.languages.python.collection import Collected
from featuredel.languages.python.interpreters import Interpreter
from featuredel.languages.python.metadata import Metadata, requires
from featuredel.languages.python.products import products_of
from featuredel.languages.python.suite import read_options
from featuredel.languages.python.uv_runs import UV, NoWheel
from featuredel.model import Snapshot
from featuredel.sandbox import ENVIRONMENT, WORKSPACE, Command, Limits, Mount, Sandbox

SCAFFOLD = ("venv", "--quiet", "--relocatable", "--no-project")
"""What uv is told to make a prefix."""

OUT = "/out"
"""Where a build in the sandbox installs to."""


@dataclass(frozen=True, slots=True)
class Builder:
    """Builds for one snapshot, in one scratch folder."""

    snapshot: Snapshot
    metadata: Metadata
    sandbox: Sandbox
    scratch: Path
    newest: date | None  # distributions of later days do not exist
    limits: Limits
    memory: dict[tuple[str, str], "Built | str"] = field(default_factory=dict)  # of source builds

    # --- on this machine -------------------------------------------------------------------

    def resolve(self, requirements: Iterable[str], interpreter: Interpreter) -> Lock:
        """Return the lock that fulfils `requirements`; the project itself is never in it."""
        wanted = list(dict.fromkeys(requirements))
        built: dict[str, Built] = {}
        while True:
            try:
                pins = self._compile(wanted, built, interpreter)
            except NoWheel as trouble:
                if trouble.name in built or len(built) > 10:
                    raise Unresolvable(str(trouble), trouble.names) from trouble
                text = next((t for t in wanted if named(t) == trouble.name), trouble.name)
                built[trouble.name] = self.build_source(text, interpreter)
                wanted += built[trouble.name].requires
                continue
            own = self.metadata.name
            wheels = tuple(sorted(p for p in pins if named(p) != own))
            return Lock(
                wheels, tuple(built[name] for name in sorted(built)), len(wheels) < len(pins)
            )

    def prefix(self, lock: Lock, project: Built, interpreter: Interpreter) -> Path:
        """Return a new prefix that holds the lock and the project by path."""
        prefix = self.scaffold(interpreter)
        if lock.wheels:
            listed = self._write("lock.txt", lock.wheels)
            # One call on a pristine prefix: uv asks the prefix's interpreter about itself, and
            # once wheels are in it a path file of theirs could run code.
            self._uv(uv.install_arguments(listed, prefix / "bin" / "python"))
            (prefix / ".lock").unlink(missing_ok=True)  # uv's, while it was at work
        for built in (*lock.built, project):
            built.lay(prefix, interpreter.minor)
        self._compile_bytecode(prefix, interpreter)
        return prefix

    def scaffold(self, interpreter: Interpreter) -> Path:
        """Return a new prefix that holds nothing yet."""
        prefix = Path(tempfile.mkdtemp(prefix="prefix-", dir=self.scratch)) / "prefix"
        self._uv((*SCAFFOLD, "--python", str(interpreter.executable), str(prefix)))
        return prefix

    def _compile(
        self, requirements: Iterable[str], excluded: Iterable[str], interpreter: Interpreter
    ) -> list[str]:
        wanted = self._write("requirements.in", requirements)
        without = self._write("excluded.txt", excluded)
        arguments = uv.compile_arguments(wanted, without, interpreter.executable, self.newest)
        return [line for line in self._uv(arguments).splitlines() if "==" in line]

    def _uv(self, arguments: tuple[str, ...]) -> str:
        return uv_runs.here(arguments, self.scratch, self.limits.wall_s)

    def _compile_bytecode(self, prefix: Path, interpreter: Interpreter) -> None:
        """Compile all modules: the prefix is read-only when tests run.

        The base interpreter does it without looking into the prefix. The files carry the paths
        that they have inside of a sandbox, and are valid whatever the sources' times are.
        """
        paths = ("-s", str(prefix), "-p", ENVIRONMENT) if interpreter.minor >= (3, 9) else ()
        subprocess.run(
            [
                *(str(interpreter.executable), "-I", "-S", "-m", "compileall", "-q", *paths),
                *("--invalidation-mode", "unchecked-hash", str(prefix / "lib")),
            ],
            capture_output=True,
            timeout=self.limits.wall_s,
            check=False,  # a module that does not compile fails when it is imported
        )

    def _write(self, name: str, lines: Iterable[str]) -> Path:
        path = self.scratch / name
        path.write_text("".join(f"{line}\n" for line in lines))
        return path

    # --- in the sandbox --------------------------------------------------------------------

    def project(self, interpreter: Interpreter) -> Built:
        """Return the project installed by path: as its own build says, else by a path file."""
        problem = "nothing to build"
        if self.metadata.buildable:
            for newest in dict.fromkeys((self.newest, None)):
                built = self._editable(interpreter, newest)
                if isinstance(built, Built):
                    return built
                problem = built
        version = self.snapshot.version or "0"
        return Built(
            name=self.metadata.name,
            version=version,
            files=self._by_path(version),
            requires=self.metadata.dependencies,
            extras=self.metadata.extras,
            command=f"by a path file ({uv.tail(problem, 1)})",
            inputs=self._tree,
            is_project=True,
        )

    def _by_path(self, version: str) -> Path:
        folder = self._folder("project-")
        site.write_by_path(folder, self.snapshot.root, self.metadata, version)
        return folder

    def again(self, built: Built, interpreter: Interpreter) -> Built:
        """Build the same once more, elsewhere; what cannot be built again has no files."""
        if not built.argv:
            return replace(built, files=self._by_path(built.version))
        files = self._folder("again-")
        changes = self._folder("changes-") if built.is_project else None
        _, inputs = self._build(built.argv, interpreter, files, changes)
        products = products_of(changes, self.snapshot.root) if changes else None
        return replace(built, files=files, products=products, inputs=inputs)

    @property
    def _tree(self) -> str:
        return f"tree {self.snapshot.tree}"

    def _folder(self, prefix: str) -> Path:
        return Path(tempfile.mkdtemp(prefix=prefix, dir=self.scratch))

    def build_source(self, requirement: str, interpreter: Interpreter) -> Built:
        """Return a dependency built from its source archive."""
        key = (requirement, interpreter.version)
        if key not in self.memory:
            self.memory[key] = self._build_source(requirement, interpreter)
        found = self.memory[key]
        if isinstance(found, str):
            raise Unresolvable(found, (named(requirement),))
        return found

    def _build_source(self, requirement: str, interpreter: Interpreter) -> Built | str:
        files = self._folder("built-")
        python = str(interpreter.executable)
        build = (UV, *uv.build_arguments((requirement,), python, OUT, self.newest))
        argv = uv.and_hash(build, requirement, python, self.newest)
        message, inputs = self._build(argv, interpreter, files, None)
        found = next(site.distributions(files), None)
        if message or found is None:
            return message or f"{requirement}: the build left nothing"
        return Built(
            name=found.name,
            version=found.version,
            files=files,
            requires=requires(found.metadata)[0],
            extras={},
            command=f"uv pip install --no-deps {requirement}",
            inputs=inputs,
            argv=argv,
        )

    def _editable(self, interpreter: Interpreter, newest: date | None) -> Built | str:
        """Build the project by path, or return why it could not be built so."""
        files, changes = self._folder("project-"), self._folder("changes-")
        python = str(interpreter.executable)
        argv = (UV, *uv.build_arguments(("-e", WORKSPACE), python, OUT, newest))
        message, inputs = self._build(argv, interpreter, files, changes)
        if message:
            return message
        copied = site.copies(files)
        found = next(site.distributions(files), None)
        if copied or found is None:
            return f"its build copies {', '.join(copied[:3])}" if copied else "built nothing"
        needs, extras = requires(found.metadata)
        return Built(
            name=found.name,
            version=found.version,
            files=files,
            requires=needs,
            extras=extras,
            command=f"uv pip install --no-deps -e {WORKSPACE}",
            inputs=inputs,
            is_project=True,
            argv=argv,
            products=products_of(changes, self.snapshot.root),
        )

    def _build(
        self, argv: tuple[str, ...], interpreter: Interpreter, out: Path, changes: Path | None
    ) -> tuple[str, str]:
        """Run uv in the sandbox; return "" or what it said, and what names the inputs."""
        version = self.snapshot.version
        command = Command(
            argv=argv,
            layers=(self.snapshot.root,),
            mounts=(Mount(out, OUT, writable=True),),
            variables=uv.pretended_version(self.metadata.name, version) if version else {},
            keep_changes=changes,
            limits=self.limits,
        )
        try:
            said = uv_runs.inside(self.sandbox, command, interpreter.home, self.scratch)
        except Unresolvable as problem:
            return str(problem), ""
        return "", self._tree if changes else uv.locked(said)

    def collect(
        self, prefix: Path, project: Built, interpreter: Interpreter, roots: tuple[str, ...]
    ) -> Collected:
        """Return what pytest finds, without a network and without running a test."""
        layers = (project.products,) if project.products else ()
        result = self.sandbox.run(
            Command(
                argv=collection.arguments(roots, read_options(self.snapshot.root)),
                layers=(*layers, self.snapshot.root),
                mounts=(
                    Mount(prefix, ENVIRONMENT),
                    *interpreters.mounts(interpreter.home, interpreter.minor),
                ),
                hidden=interpreters.hidden(interpreter.home),
                variables={"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"},
                limits=self.limits,
            )
        )
        if result.ended == "timeout":
            raise Rejected("collection hangs", f"it took more than {self.limits.wall_s:g} s")
        if result.ended == "output":
            most = self.limits.output_bytes
            raise Rejected("no tests can be collected", f"it gave more than {most} bytes of output")
        found = collection.read(result.stdout, result.stderr)
        silent = f"pytest ended with exit code {result.exit_code} and said nothing"
        return found if found.detail else replace(found, detail=silent)
