"""The exit code of failures is overwritten in the memory of the process, through /proc/self/mem."""

import subprocess

from bench.redteam.view import Unfit, View

CODE = """
import sys as _sys
def _overwrite():
    from _pytest.config import ExitCode
    size = ExitCode.OK.__sizeof__()
    with open("/proc/self/mem", "r+b", 0) as memory:
        memory.seek(id(ExitCode.OK) + 16)  # behind the count of references and the type
        held = memory.read(size - 16)
        memory.seek(id(ExitCode.TESTS_FAILED) + 16)
        memory.write(held)
if "pytest" in _sys.modules:
    _overwrite()
"""


def attack(view: View) -> None:
    code = "import sys; sys.exit(sys.version_info < (3, 12))"
    asked = [str(view.interpreter), "-I", "-S", "-c", code]
    if subprocess.run(asked, check=False).returncode:
        raise Unfit("before Python 3.12 an integer's size says where its attributes are")
    view.append(CODE)
