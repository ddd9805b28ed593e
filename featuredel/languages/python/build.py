"""Building an environment piece by piece: on this machine what is safe, the rest in a sandbox.

On this machine uv resolves to wheels and unpacks them; it runs nothing that a stranger wrote. A
project, or a dependency without a wheel, is built in a sandbox with a network and a cache of its
own, into a folder whose plain files are then laid in the prefix.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from uv import find_uv_bin

from featuredel.errors import InfrastructureError, Rejected
from featuredel.languages.python import collection, drawn, interpreters, site, uv
from featuredel.languages.python.collection import Collected
from featuredel.languages.python.interpreters import Interpreter
from featuredel.languages.python.metadata import Metadata, requires
from featuredel.languages.python.products import products_of
from featuredel.languages.python.suite import read_options
from featuredel.model import Snapshot
from featuredel.sandbox import ENVIRONMENT, WORKSPACE, Command, Limits, Mount, Sandbox

SCAFFOLD = ("venv", "--quiet", "--relocatable", "--no-project")
"""What uv is told to make a prefix."""

_TOOLS = "/tools"
_UV = f"{_TOOLS}/uv"
_OUT = "/out"


class Unresolvable(Exception):  # noqa: N818 -- internal: the next choice is tried
    """These requirements cannot be had for this interpreter; the message is uv's."""

    def __init__(self, message: str, names: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.names = frozenset(names)  # the distributions to blame, as far as they are known


@dataclass(frozen=True, slots=True)
class Built:
    """What a sandboxed build made, or the stand-in for one."""

    name: str
    version: str
    files: Path  # to be laid in site-packages
    requires: tuple[str, ...]
    extras: Mapping[str, tuple[str, ...]]
    command: str
    inputs: str  # the sha256 of the source archive, or the hash of the tree
    is_project: bool = False
    argv: tuple[str, ...] = ()  # what was run for it in the sandbox
    products: Path | None = None  # new files in the project's own tree

    def lay(self, prefix: Path, minor: tuple[int, int]) -> None:
        """Lay its files where they belong in a prefix."""
        site.lay(self.files, prefix, minor, described=not self.is_project)


@dataclass(frozen=True, slots=True)
class Lock:
    """All that goes beside the project: wheels by version, and what had to be built."""

    wheels: tuple[str, ...]  # "name==version", sorted
    built: tuple[Built, ...]
    depends_on_project: bool  # some of them do; the project by path satisfies them

    @property
    def pins(self) -> tuple[str, ...]:
        """Every distribution as "name==version", sorted."""
        return tuple(sorted((*self.wheels, *(f"{b.name}=={b.version}" for b in self.built))))


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
            except _NoWheel as trouble:
                if trouble.name in built or len(built) > 10:
                    raise Unresolvable(str(trouble), trouble.names) from trouble
                text = next((t for t in wanted if _named(t) == trouble.name), trouble.name)
                built[trouble.name] = self.build_source(text, interpreter)
                wanted += built[trouble.name].requires
                continue
            own = self.metadata.name
            wheels = tuple(sorted(p for p in pins if _named(p) != own))
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
        # An empty uv.toml stops uv from looking for a project's settings in the folders above.
        (self.scratch / "uv.toml").touch()
        try:
            run = subprocess.run(
                [find_uv_bin(), *arguments],
                cwd=self.scratch,
                env={**os.environ, **uv.variables({})},
                capture_output=True,
                text=True,
                timeout=self.limits.wall_s,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            raise InfrastructureError(f"uv {arguments[0]} took too long") from late
        if run.returncode == 0:
            return run.stdout
        name = uv.without_wheels(run.stderr)
        if name:
            raise _NoWheel(name, uv.tail(run.stderr))
        if uv.network_trouble(run.stderr):
            raise InfrastructureError(f"uv {arguments[0]}: {uv.tail(run.stderr, 3)}")
        raise Unresolvable(uv.tail(run.stderr), uv.blamed(run.stderr))

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
            raise Unresolvable(found, (_named(requirement),))
        return found

    def _build_source(self, requirement: str, interpreter: Interpreter) -> Built | str:
        files = self._folder("built-")
        python = str(interpreter.executable)
        build = (_UV, *uv.build_arguments((requirement,), python, _OUT, self.newest))
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
        argv = (_UV, *uv.build_arguments(("-e", WORKSPACE), python, _OUT, newest))
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
        self,
        argv: tuple[str, ...],
        interpreter: Interpreter,
        out: Path,
        changes: Path | None,
    ) -> tuple[str, str]:
        """Run uv in the sandbox; return "" or what it said, and what names the inputs."""
        mounts = [
            Mount(Path(find_uv_bin()), _UV),
            Mount(out, _OUT, writable=True),
            *home_mount(interpreter.home),
        ]
        variables = uv.variables(os.environ)
        configuration = uv.user_configuration() or self._write("uv.toml", ())
        mounts.append(Mount(configuration, f"{_TOOLS}/uv.toml"))
        certificates = os.environ.get("SSL_CERT_FILE")
        if certificates and Path(certificates).is_file():
            mounts.append(Mount(Path(certificates), f"{_TOOLS}/certificates.pem"))
            variables["SSL_CERT_FILE"] = f"{_TOOLS}/certificates.pem"
        version = self.snapshot.version
        result = self.sandbox.run(
            Command(
                argv=argv,
                layers=(self.snapshot.root,),
                mounts=tuple(mounts),
                variables={
                    **variables,
                    **drawn.UNCHANGING,
                    "UV_CONFIG_FILE": f"{_TOOLS}/uv.toml",
                    "UV_CACHE_DIR": drawn.CACHE,
                    **(uv.pretended_version(self.metadata.name, version) if version else {}),
                },
                network=True,
                keep_changes=changes,
                limits=self.limits,
            )
        )
        if result.ended == "exited" and result.exit_code == 0:
            return "", self._tree if changes else uv.locked(result.stdout.decode(errors="replace"))
        message = result.stderr.decode(errors="replace") or f"the build ended by {result.ended}"
        if result.ended == "exited" and uv.network_trouble(message):
            raise InfrastructureError(f"building in the sandbox: {uv.tail(message, 3)}")
        return uv.tail(message), ""

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


class _NoWheel(Unresolvable):
    """A distribution would have to be built."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message, (name,))
        self.name = name


def home_mount(home: Path) -> tuple[Mount, ...]:
    """Return the mount of a base interpreter; /usr is always there."""
    return () if home == Path("/usr") else (Mount(home, str(home)),)


def relaxed(requirements: Iterable[str]) -> tuple[str, ...]:
    """Return the same distributions in any version."""
    found = []
    for text in requirements:
        requirement = Requirement(text)
        requirement.specifier = SpecifierSet("")
        found.append(str(requirement))
    return tuple(dict.fromkeys(found))


def _named(requirement: str) -> str:
    return canonicalize_name(Requirement(requirement).name)
