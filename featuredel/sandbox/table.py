"""The table of back-ends: how `--sandbox NAME` becomes a sandbox, and what is wrong with them."""

from collections.abc import Callable, Mapping
from pathlib import Path

from featuredel.errors import SandboxError, UsageError
from featuredel.sandbox import Command, Limits, Sandbox
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.sandbox.local import Local
from featuredel.sandbox.shared import Shared

AUTOMATIC = "bubblewrap"
BACK_ENDS: Mapping[str, Callable[[], Sandbox]] = {"bubblewrap": Bubblewrap, "none": Local}


def open_sandbox(name: str = "auto") -> Shared:
    """Return the back-end of this name, tried once, for one thread; "auto" never means "none".

    Raises `UsageError` if there is no such back-end or it does not work on this machine.
    """
    chosen = AUTOMATIC if name == "auto" else name
    if chosen not in BACK_ENDS:
        known = ", ".join(["auto", *BACK_ENDS])
        raise UsageError(f"--sandbox {name}: no such sandbox; choose one of {known}")
    sandbox = BACK_ENDS[chosen]()
    if problem := trial(sandbox):
        hint = "; or accept that repositories' code runs unprotected: --sandbox none"
        raise UsageError(f"--sandbox {name}: {problem}{hint if chosen != 'none' else ''}")
    return Shared(sandbox)


def check() -> list[str]:
    """Return what keeps the sandbox from working on this machine, each with its remedy."""
    problem = trial(Bubblewrap())
    return [problem] if problem else []


def trial(sandbox: Sandbox) -> str | None:
    """Run the least command there is; return what went wrong, or None."""
    try:
        result = sandbox.run(
            Command(argv=("true",), layers=(Path(__file__).parent,), limits=Limits(wall_s=60))
        )
    except SandboxError as error:
        return str(error)
    return None if result.exit_code == 0 else f"the trial command ended with {result.exit_code}"
