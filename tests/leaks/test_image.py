"""`leaks scan IMAGE` with a real engine: what a later layer removed is in the earlier one."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from engine import docker_engine

from featuredel import cli
from featuredel.sandbox.docker import images, labels
from featuredel.sandbox.docker.engine import connect
from featuredel.sandbox.docker.layers import Part

pytestmark = pytest.mark.docker

NAME = "featuredel/task:whiteout"
CODE = b"def zorptastic_merge(alpha):\n    return alpha\n"
NEEDLES = [{"kind": "identifier", "text": "zorptastic_merge"}]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with docker_engine(), contextlib.closing(connect()) as found:
        yield found


def scan(tmp_path: Path, image: str) -> tuple[int, list[dict[str, str]]]:
    needles = tmp_path / "needles.json"
    needles.write_text(json.dumps(NEEDLES))
    words = ["leaks", "scan", image, "--needles", str(needles), "--json"]
    result = CliRunner().invoke(cli.cli, words, standalone_mode=False)
    assert result.exception is None, result.exception
    return int(result.return_value), json.loads(result.output)["findings"]


def assemble(client: Any, parts: list[Part], variables: tuple[str, ...] = ()) -> images.Image:
    config = {"Env": list(variables), "Labels": labels.made("task")}
    return images.assemble(client, None, parts, NAME, config, "amd64")


def test_a_file_under_a_whiteout_is_found(client: Any, tmp_path: Path) -> None:
    planted = assemble(
        client, [Part(files={"app/note.txt": CODE}), Part(files={"app/.wh.note.txt": b""})]
    )
    merged = client.api.create_container(planted.id, command=["x"], labels=labels.running())["Id"]
    try:  # in the merged tree it is not there, for which one has to look at layers
        seen = b"".join(client.api.export(merged))
        assert b"zorptastic_merge" not in seen
    finally:
        client.api.remove_container(merged)
    code, findings = scan(tmp_path, NAME)
    assert code == 1
    (finding,) = [one for one in findings if one["kind"] == "content"]
    assert "/layer-1-" in finding["where"]
    assert finding["where"].endswith("app/note.txt")


def test_what_an_image_says_of_itself_is_read(client: Any, tmp_path: Path) -> None:
    assemble(client, [Part(files={"app/f": b"x"})], ("ANSWER=zorptastic_merge",))
    _, findings = scan(tmp_path, NAME)
    assert [one["where"].rsplit("/", 2)[-2:] for one in findings] == [
        ["configuration", "config.json"]
    ]


def test_a_clean_image_has_no_finding(client: Any, tmp_path: Path) -> None:
    made = assemble(client, [Part(files={"app/f": b"x = 1\n"})])
    assert scan(tmp_path, made.id) == (0, [])
