"""What is bubblewrap's own."""

import errno
from pathlib import Path

import pytest

from featuredel.errors import SandboxError
from featuredel.sandbox import Command, bubblewrap
from featuredel.sandbox.bubblewrap import Bubblewrap, remedy
from featuredel.sandbox.launch import LaunchError

pytestmark = pytest.mark.sandbox


def test_missing_bubblewrap_says_how_to_install_it(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxError, match="apt-get install bubblewrap"):
        Bubblewrap().run(Command(argv=("true",), layers=(tree,)))


def test_forbidden_namespaces_name_the_switch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "SYSTEM_SWITCHES", tmp_path)
    error = LaunchError("make a user namespace", errno.EPERM)
    assert "container" in remedy(error)
    (tmp_path / "kernel").mkdir()
    (tmp_path / "kernel/apparmor_restrict_unprivileged_userns").write_text("1\n")
    assert "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" in remedy(error)
    assert remedy(LaunchError("use /x", errno.ENOENT)) == ""
