"""How Python tests are run: pytest with the probe beside them, which reports each event."""

import json
import shlex
from pathlib import Path, PurePosixPath

from featuredel.languages.python import interpreters, run_report
from featuredel.languages.python.pytest_options import (
    CONFIG_FILES,
    MAX_CONFIG_BYTES,
    PytestOptions,
    neutral,
    pytest_options,
)
from featuredel.model import Environment, TestRequest, TestRun
from featuredel.sandbox import ENVIRONMENT, WORKSPACE, Command, ExecResult, Limits, Mount

PROBE = Path(__file__).with_name("probe")
PROBE_TARGET = "/probe"
NO_CONFIG = f"{PROBE_TARGET}/pytest.ini"  # empty: no file above or below the tree's root counts
MAX_ARGUMENT_BYTES = 100_000
BLOCKED_PLUGINS = ("cacheprovider", "randomly", "random_order", "rerunfailures", "flaky", "timeout")
"""Plugins that keep results of other runs, reorder, repeat failures or compete for the clock."""


def test_command(
    environment: Environment, layers: tuple[Path, ...], request: TestRequest
) -> Command:
    """Return the command that runs the tests of the tree made of `layers`; see `Language`."""
    variables = {
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": str(request.seed % (1 << 32)),
        "FEATUREDEL_PROBE": "lines" if request.collect_lines else "plain",
        **environment.variables,
    }
    path = variables.get("PYTHONPATH")
    variables["PYTHONPATH"] = f"{PROBE_TARGET}:{path}" if path else PROBE_TARGET
    return Command(
        argv=(
            f"{ENVIRONMENT}/bin/python",
            "-m",
            "pytest",
            *_arguments(environment, layers, request),
        ),
        layers=layers,
        mounts=(
            Mount(environment.prefix, ENVIRONMENT, lasting=True),
            *interpreters.mounts(environment.home, interpreters.minor_of(environment.interpreter)),
            Mount(PROBE, PROBE_TARGET),
        ),
        sealed=_sealed(layers, request) if request.sealed else (),
        hidden=interpreters.hidden(environment.home),
        variables=variables,
        stdin=_request(request),
        limits=Limits(wall_s=request.total_timeout_s, cpu_s=2 * request.total_timeout_s),
    )


def test_run(request: TestRequest, result: ExecResult) -> TestRun:
    """Return what the tests did, from the probe's report; see `Language`."""
    return run_report.test_run(request, result)


def _request(request: TestRequest) -> bytes:
    return json.dumps(
        {
            "ids": request.ids,
            "lean": request.lean,
            "slow_cpu_s": dict(request.slow_cpu_s),
            "order": request.order,
            "seed": request.seed % (1 << 32),
            "stalls": request.stalls,
            "stop": request.stop_after_failures,
            "timeout_s": request.timeout_s,
            "cpu_s": request.timeout_s if request.test_cpu_s is None else request.test_cpu_s,
        }
    ).encode()


def _arguments(
    environment: Environment, layers: tuple[Path, ...], request: TestRequest
) -> list[str]:
    options = pytest_options(lambda path: _read(layers, path))
    return [
        *("-p", "featuredel_probe.plugin"),
        *("-c", f"{WORKSPACE}/{options.file}" if options.file else NO_CONFIG),
        *("--rootdir", WORKSPACE, "--confcutdir", WORKSPACE),
        *(part for plugin in BLOCKED_PLUGINS for part in ("-p", f"no:{plugin}")),
        *_overrides(environment, options),
        *("-q", "--tb=no", "--no-header", "--no-summary", "--disable-warnings", "--color=no"),
        *("--continue-on-collection-errors", "--benchmark-disable"),
        # about plugins that are not here; where warnings are errors they would end the run
        *("-W", "ignore::pytest.PytestConfigWarning"),
        *("-W", "ignore::pytest.PytestUnknownMarkWarning"),
        *(("--assert=plain",) if request.lean else ()),
        *_places(environment, layers, request),
    ]


def _overrides(environment: Environment, options: PytestOptions) -> list[str]:
    """Return settings that stand above the project's file."""
    values = {
        "addopts": shlex.join(options.addopts),
        "required_plugins": "",
        "minversion": "0",
        "strict_markers": "false",
        "strict_config": "false",
    }
    if environment.runner == "unittest" and "python_files" not in options.values:
        values["python_files"] = "test*.py"  # unittest's own pattern
    return [part for key, value in values.items() for part in ("-o", f"{key}={value}")]


def _places(environment: Environment, layers: tuple[Path, ...], request: TestRequest) -> list[str]:
    """Return where to look for tests: only the files that hold what was asked for."""
    roots = neutral(environment.test_roots)
    if request.ids is None:
        return roots
    found = (test.split("::", 1)[0] for test in request.ids)
    files = [f"./{path}" for path in dict.fromkeys(found) if _exists(layers, path)]
    # pytest would take a bracket in an argument for the start of parameters
    if sum(len(file) + 1 for file in files) > MAX_ARGUMENT_BYTES or any("[" in f for f in files):
        return roots
    return [root for root in roots if not _exists(layers, root.split("::", 1)[0])] + files


def _sealed(layers: tuple[Path, ...], request: TestRequest) -> tuple[str, ...]:
    """Return the test modules, the conftests above them, and the files of pytest's settings."""
    modules = {PurePosixPath(test.split("::", 1)[0]) for test in request.ids or ()}
    above = {parent / "conftest.py" for module in modules for parent in module.parents}
    settings = {PurePosixPath(name) for name in CONFIG_FILES}
    found = sorted(str(path) for path in modules | above | settings)
    return tuple(path for path in found if _is_file(layers, path))


def _is_file(layers: tuple[Path, ...], path: str) -> bool:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts:
        return False
    file = next((layer / pure for layer in layers if (layer / pure).exists()), None)
    return file is not None and file.is_file() and not _through_link(layers, pure)


def _through_link(layers: tuple[Path, ...], path: PurePosixPath) -> bool:
    parts = [path, *path.parents]
    return any((layer / part).is_symlink() for layer in layers for part in parts if part.name)


def _exists(layers: tuple[Path, ...], path: str) -> bool:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts:
        return False
    return any((layer / pure).exists() for layer in layers)


def _read(layers: tuple[Path, ...], path: str) -> bytes | None:
    """Return a file's content in the uppermost layer that has it. Links are not followed."""
    for layer in layers:
        file = layer / path
        if file.is_symlink():
            return None
        if file.is_file():
            with file.open("rb") as stream:
                return stream.read(MAX_CONFIG_BYTES + 1)
    return None
