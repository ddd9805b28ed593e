"""Whether forks of a warm process do what processes of their own did: python -m bench.forks WORK.

For every repository that a run with `--work WORK` has mined, the tests of the baseline are run in
the third fork of a session, when it has learnt what it can. All of them must pass. Exits with 1
where one does not.
"""

import pickle
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from featuredel import trees
from featuredel.forks import run_forked
from featuredel.grading import layers_of
from featuredel.languages import front_end
from featuredel.model import Mined, TestRequest
from featuredel.sandbox.table import open_sandbox


def main(work: str) -> int:
    bad = 0
    for checkpoint in sorted(Path(work, "mined").glob("*.pickle")):
        mined = pickle.loads(checkpoint.read_bytes()).mined
        if mined is not None:
            bad += _differs(mined)
    return int(bad > 0)


def _differs(mined: Mined) -> bool:
    tests = mined.baseline.tests
    language = front_end(mined.snapshot.language)
    with (
        closing(open_sandbox("auto")) as sandbox,
        tempfile.TemporaryDirectory(prefix="bench-forks-") as folder,
    ):
        trees.build_tree(mined.snapshot.root, {}, Path(folder, "tree"))
        layers = layers_of(mined.environment, Path(folder, "tree"))
        for ids in (tests[:5], tests[::7], tests):
            run = run_forked(
                language, sandbox, mined.environment, layers, TestRequest(ids=ids), Path(folder)
            )
    lost = [test for test in tests if run.results[test].outcome != "passed"]
    print(f"{mined.snapshot.repository}: {len(tests)} tests, {len(lost)} do not pass", lost[:3])
    return bool(lost)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
