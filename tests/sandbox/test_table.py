import pytest

from featuredel.errors import SandboxError, UsageError
from featuredel.sandbox import Command, ExecResult
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.sandbox.docker.back_end import Docker
from featuredel.sandbox.table import check, open_sandbox


@pytest.mark.sandbox
def test_names_open_their_back_ends() -> None:
    assert [open_sandbox(name).name for name in ("auto", "bubblewrap", "none")] == [
        *("bubblewrap", "bubblewrap", "none")
    ]
    assert check()["bubblewrap"] == ""


def test_unknown_name_lists_the_known() -> None:
    with pytest.raises(UsageError, match="choose one of auto, bubblewrap, docker, account, none"):
        open_sandbox("podman")


def test_broken_sandbox_is_refused_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Bubblewrap, command: Command) -> ExecResult:
        raise SandboxError("cannot do it; do that")

    monkeypatch.setattr(Bubblewrap, "run", broken)
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere")
    with pytest.raises(UsageError, match=r"cannot do it; do that; no Docker.*--sandbox none"):
        open_sandbox("auto")
    with pytest.raises(UsageError, match=r"^--sandbox docker: no Docker engine answers: apt-get"):
        open_sandbox("docker")
    problems = check()
    assert problems["bubblewrap"] == "cannot do it; do that"
    assert "apt-get install docker.io" in problems["docker"]


@pytest.mark.docker
def test_docker_takes_the_place_of_a_broken_bubblewrap(
    docker: Docker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Bubblewrap, command: Command) -> ExecResult:
        raise SandboxError("cannot do it")

    monkeypatch.setattr(Bubblewrap, "run", broken)
    assert open_sandbox("auto").name == "docker"
