"""The table of back-ends: how `--sandbox NAME` becomes a sandbox, and what is wrong with them."""

from collections.abc import Callable, Mapping
from pathlib import Path

from featuredel.errors import SandboxError, UsageError
from featuredel.sandbox import Command, Limits, Sandbox
from featuredel.sandbox.account import Account
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.sandbox.local import Local
from featuredel.sandbox.shared import Shared

AUTOMATIC = ("bubblewrap", "docker")
"""What "auto" stands for: the first of these that works here."""


def docker(base_image: str) -> Sandbox:
    """Return the back-end for a Docker engine."""
    # the client takes longer to import than most commands take
    from featuredel.sandbox.docker.back_end import Docker

    return Docker(base_image)


BACK_ENDS: Mapping[str, Callable[[str], Sandbox]] = {
    "bubblewrap": lambda base_image: Bubblewrap(),  # noqa: ARG005
    "docker": docker,
    "account": lambda base_image: Account(),  # noqa: ARG005
    "none": lambda base_image: Local(),  # noqa: ARG005
}
"""How each is made; `base_image` is the setting of that name."""


def open_sandbox(name: str = "auto", base_image: str = "") -> Shared:
    """Return the back-end of this name, tried once, for one thread; "auto" never means "none".

    Raises `UsageError` if there is no such back-end or it does not work on this machine.
    """
    if name not in ("auto", *BACK_ENDS):
        known = ", ".join(["auto", *BACK_ENDS])
        raise UsageError(f"--sandbox {name}: no such sandbox; choose one of {known}")
    problems = []
    for chosen in AUTOMATIC if name == "auto" else (name,):
        sandbox = working(chosen, base_image)
        if not isinstance(sandbox, str):
            return Shared(sandbox)
        problems.append(sandbox)
    hint = "; or accept that repositories' code runs unprotected: --sandbox none"
    told = "; ".join(problems)
    raise UsageError(f"--sandbox {name}: {told}{hint if name != 'none' else ''}")


def working(name: str, base_image: str = "") -> Sandbox | str:
    """Return the back-end of this name, or what keeps it from working here."""
    try:
        sandbox = BACK_ENDS[name](base_image)
    except SandboxError as error:
        return str(error)
    return trial(sandbox) or sandbox


def check() -> Mapping[str, str]:
    """Return what keeps each sandbox from working on this machine, with its remedy; "": nothing."""
    found = {name: working(name) for name in AUTOMATIC}
    return {name: one if isinstance(one, str) else "" for name, one in found.items()}


def trial(sandbox: Sandbox) -> str | None:
    """Run the least command there is; return what went wrong, or None."""
    try:
        result = sandbox.run(
            Command(argv=("true",), layers=(Path(__file__).parent,), limits=Limits(wall_s=60))
        )
    except SandboxError as error:
        return str(error)
    return None if result.exit_code == 0 else f"the trial command ended with {result.exit_code}"
