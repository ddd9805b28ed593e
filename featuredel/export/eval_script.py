"""The script that SWE-bench runs in a task's container when a patch has been applied.

It lays the hidden tests over the tree, and runs the suite between two marks that a trace of the
shell prints (`echo` would print each of them twice).
"""

import shlex
from collections.abc import Sequence
from pathlib import PurePosixPath

from featuredel.model import PrintedRun
from featuredel.sandbox import WORKSPACE
from featuredel.sandbox.root import UID, VARIABLES

START, END = ">>>>> Start Test Output", ">>>>> End Test Output"
_NOT_RESET = ">>>>> Reset Failed"
_DELIMITER = "EOF_TEST_PATCH"


def eval_script(
    commit: str, hidden: Sequence[str], standing: Sequence[str], test_patch: str,
    run: PrintedRun,
) -> str:  # fmt: skip
    """Return the script that tests what lies in /workspace.

    `hidden` are the paths that belong to the grader, `standing` those of them that `commit` has,
    and `test_patch` turns these into the hidden tests. The tests run with the variables of `run`
    alone, and as the user that they were validated as.
    """
    words = ["env", "-i", *(f"{k}={v}" for k, v in sorted({**VARIABLES, **run.variables}.items()))]
    lines = [
        "#!/bin/bash",
        "set -uxo pipefail",
        "exec 2>&1",  # what the shell traces stays in its place among what is printed
        f"cd {WORKSPACE}",
        f"rm -rf -- {shlex.join(hidden)}",
    ]
    failed = f"|| {{ : '{_NOT_RESET}'; exit 1; }}"
    if standing:
        restored = shlex.join(standing)
        lines.append(f"git --literal-pathspecs checkout {commit} -- {restored} {failed}")
    if test_patch:
        lines += [
            f"git apply --whitespace=nowarn - <<'{_DELIMITER}' {failed}",
            test_patch.removesuffix("\n"),
        ]
        lines.append(_DELIMITER)
    for path, text in run.files.items():
        folder, name = shlex.quote(str(PurePosixPath(path).parent)), shlex.quote(path)
        lines += [f"mkdir -p {folder} && cat > {name} <<'{_DELIMITER}'", text.removesuffix("\n")]
        lines.append(_DELIMITER)
    user = f"setpriv --reuid={UID} --regid={UID} --clear-groups"
    lines += [
        f'AS=(); [ "$(id -u)" != 0 ] || AS=({user})',
        f": '{START}'",
        f'"${{AS[@]}}" {shlex.join([*words, *run.argv])}',
        f": '{END}'",
    ]
    return "\n".join(lines) + "\n"
