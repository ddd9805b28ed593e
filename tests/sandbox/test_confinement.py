"""Hostile commands: what they must not reach."""

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from featuredel.sandbox import Command, ExecResult, Limits, Mount
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.trees import tree_hash

Shell = Callable[..., ExecResult]
pytestmark = pytest.mark.sandbox

WRITABLE = "find / -path '/proc/[0-9]*' -prune -o -xdev -writable ! -type l -print 2>/dev/null"


def test_nothing_is_writable_but_the_private_places(quick: Shell) -> None:
    places = {b"/workspace", b"/tmp", b"/home/solver"}
    assert set(quick(WRITABLE).stdout.split()) == places


def test_no_switch_of_the_kernel_can_be_written(quick: Shell) -> None:
    script = "find /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus -writable -type f 2>/dev/null"
    assert quick(script).stdout == b""
    assert quick("cat /proc/sys/kernel/ostype > /proc/sys/kernel/core_pattern").exit_code != 0


def test_devices_are_the_harmless_ones(quick: Shell) -> None:
    names = set(quick("ls /dev").stdout.decode().split())
    assert names <= {
        *("core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin"),
        *("stdout", "tty", "urandom", "zero", "console", "mqueue"),
    }
    assert quick("mknod /tmp/disk b 253 0").exit_code != 0


def test_deleting_everything_leaves_the_layers(shell: Shell, tree: Path) -> None:
    before = tree_hash(tree)
    result = shell(
        "rm -rf /workspace/* /tmp/* ~/* / 2>/dev/null; ls -A /workspace; ls /usr/bin/env"
    )
    assert result.stdout == b"/usr/bin/env\n"
    assert tree_hash(tree) == before


def test_links_and_dots_do_not_lead_out(quick: Shell, tree: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("intact")
    (tree / "way-out").symlink_to(victim)
    (tree / "up").symlink_to(tmp_path)
    up = "../" * 12
    quick(f"echo bad > way-out; echo bad > up/victim; echo bad > {up}{victim}; echo bad > {victim}")
    assert victim.read_text() == "intact"
    assert sorted(path.name for path in tmp_path.iterdir()) == [tree.name, "victim"]


def test_read_only_mounts_cannot_be_made_writable(quick: Shell, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    script = "mount -o remount,rw /opt/x; umount /opt/x; echo 1 > /opt/x/a"
    assert quick(script, mounts=(Mount(shared, "/opt/x"),)).exit_code != 0
    assert list(shared.iterdir()) == []


def test_no_privilege_is_held_or_can_be_gained(quick: Shell) -> None:
    script = "grep -E '^(Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs)' /proc/self/status | cut -f 2 | sort -u"
    assert quick(script).stdout.split() == [b"0000000000000000", b"1"]
    assert quick("unshare --user true").exit_code != 0
    assert quick("unshare --mount true").exit_code != 0


def test_no_network_unless_asked(python: Shell) -> None:
    code = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.stdin.read())), 5)"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1]).encode()
        assert b"Connection refused" in python(code, stdin=port).stderr
        assert python(code, stdin=port, network=True).exit_code == 0


def test_other_interfaces_are_not_there(quick: Shell) -> None:
    assert quick("tail -n +3 /proc/net/dev | cut -d: -f1").stdout.split() == [b"lo"]


def test_abstract_sockets_of_this_machine_are_out_of_reach(python: Shell) -> None:
    code = "import socket; socket.socket(socket.AF_UNIX).connect('\\0featuredel-test')"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0featuredel-test")
        server.listen()
        assert b"refused" in python(code).stderr


def test_processes_of_this_machine_cannot_be_seen_or_signalled(quick: Shell) -> None:
    assert len(quick("ls -d /proc/[0-9]*").stdout.split()) <= 4
    assert quick("kill -9 -1").ended == "exited"


def test_files_of_this_machine_are_hidden(quick: Shell, tmp_path: Path) -> None:
    (tmp_path / "private").touch()
    script = f"cat /etc/shadow; ls -A {tmp_path} /root /boot /srv /mnt /media /home /tmp ~"
    shown = quick(script, limits=Limits(wall_s=60)).stdout.decode().split()
    places = {"/root:", "/boot:", "/srv:", "/mnt:", "/media:", "/home:", "/tmp:", "/home/solver:"}
    assert set(shown) - places == {"solver"}


def test_nothing_of_the_system_is_seen_in_bubblewrap(tree: Path) -> None:
    command = Command(("ls", "/root", "/var", "/run", "/boot", "/sys"), layers=(tree,))
    assert Bubblewrap().run(command).stdout == b""


def test_accounts_of_this_machine_are_hidden(quick: Shell) -> None:
    accounts = quick("cut -d: -f1 /etc/passwd /etc/group").stdout.split()
    assert accounts == [b"root", b"solver"] * 2
