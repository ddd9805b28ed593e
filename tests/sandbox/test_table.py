import pytest

from featuredel.errors import SandboxError, UsageError
from featuredel.sandbox import Command, ExecResult
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.sandbox.table import check, open_sandbox


@pytest.mark.sandbox
def test_names_open_their_back_ends() -> None:
    assert [open_sandbox(name).name for name in ("auto", "bubblewrap", "none")] == [
        *("bubblewrap", "bubblewrap", "none")
    ]
    assert check() == []


def test_unknown_name_lists_the_known() -> None:
    with pytest.raises(UsageError, match="choose one of auto, bubblewrap, none"):
        open_sandbox("podman")


def test_broken_sandbox_is_refused_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Bubblewrap, command: Command) -> ExecResult:
        raise SandboxError("cannot do it; do that")

    monkeypatch.setattr(Bubblewrap, "run", broken)
    with pytest.raises(UsageError, match=r"cannot do it; do that.*--sandbox none"):
        open_sandbox("auto")
    assert check() == ["cannot do it; do that"]
