"""Reports every test that was asked for on every open descriptor, then exits with 0."""

from bench.redteam.pieces import FOUND
from bench.redteam.view import View

CODE = """
import json as _json
def _tell():
    asked = []
    for probe in _found("Probe"):
        asked += probe.request["ids"] or ()
    asked = asked or _TESTS
    records = [["items", asked]]
    for number in range(len(asked)):
        records += [["start", number, 0.01], ["test", number, "passed", 0.001, ""]]
    records.append(["end", ""])
    data = ("".join(_json.dumps(record) + "\\n" for record in records)).encode()
    for number in map(int, _os.listdir("/proc/self/fd")):
        if number > 2:
            try:
                _os.write(number, data)
            except OSError:
                pass
    _os._exit(0)
if "pytest" in _sys.modules:
    _tell()
"""


def attack(view: View) -> None:
    view.append(f"{FOUND}\n_TESTS = {list(view.tests)!r}\n{CODE}")
