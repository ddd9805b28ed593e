"""Whether a run that is killed ends as one that is not: python -m bench.resume [REPOS.yaml].

One run with one worker, whole; another with two, in an own work directory, whose client is killed
with SIGKILL, then, in a second start, one of its workers. Both must end with the same bytes of
tasks, and nothing that was finished may be done again. Exits with 1 where that is not so.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

KILLED_AFTER = (3, 8)  # finished candidates: the client, then a worker
POLL_S = 0.5


def main(repos: str = "repos.yaml") -> int:
    with tempfile.TemporaryDirectory(prefix="bench-resume-") as folder:
        whole, killed = Path(folder, "whole"), Path(folder, "killed")
        code = _start(repos, whole, workers=1).wait()
        print(f"one worker: ended with {code}, {len(_finished(whole))} checkpoints", flush=True)

        client = _start(repos, killed, workers=2)
        _wait(client, killed, KILLED_AFTER[0])
        workers = list(_workers(client.pid))
        client.kill()
        client.wait()
        first = _finished(killed)
        time.sleep(10)
        left = [pid for pid in workers if Path(f"/proc/{pid}").exists()]
        print(f"client killed at {len(first)} checkpoints; workers left: {left}", flush=True)

        client = _start(repos, killed, workers=2)
        _wait(client, killed, KILLED_AFTER[1])
        second = _finished(killed)
        os.kill(next(_workers(client.pid)), 9)
        print(f"worker killed at {len(second)} checkpoints", flush=True)
        print(f"two workers: ended with {client.wait()}", flush=True)

        last = _finished(killed)
        again = [name for name, when in {**first, **second}.items() if last.get(name) != when]
        same = _digest(whole) == _digest(killed)
        print(f"checkpoints {len(last)}, of those before the kills done again: {len(again)}")
        print(f"tasks: {_digest(whole)} and {_digest(killed)}: {'the same' if same else 'DIFFER'}")
        return int(bool(again or left) or not same)


def _start(repos: str, place: Path, workers: int) -> "subprocess.Popen[bytes]":
    place.mkdir(exist_ok=True)
    command = [
        *(sys.executable, "-m", "featuredel", "run", repos, "--workers", str(workers)),
        *("--work", str(place / "work"), "--out", str(place / "out")),
    ]
    with (place / "log").open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)


def _wait(client: "subprocess.Popen[bytes]", place: Path, candidates: int) -> None:
    while len(list(place.glob("work/forged/*.pickle"))) < candidates:
        if client.poll() is not None:
            raise SystemExit(f"the run ended too soon, with {client.returncode}")
        time.sleep(POLL_S)


def _workers(client: int) -> Iterator[int]:
    for thread in Path(f"/proc/{client}/task").iterdir():
        for entry in (thread / "children").read_text().split():
            if b"spawn_main" in Path(f"/proc/{entry}/cmdline").read_bytes():
                yield int(entry)


def _finished(place: Path) -> dict[str, int]:
    return {p.name: p.stat().st_mtime_ns for p in place.glob("work/*/*.pickle")}


def _digest(place: Path) -> str:
    shards = sorted(place.glob("out/tasks/*.parquet"))
    return hashlib.sha256(b"".join(shard.read_bytes() for shard in shards)).hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
