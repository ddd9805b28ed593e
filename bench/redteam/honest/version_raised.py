"""The version of the package goes up."""

import re

from bench.redteam.view import Unfit, View

VERSION = re.compile(r"""^(__version__ *= *['"])([\d.]+)""", re.MULTILINE)


def reshape(view: View) -> None:
    changed = 0
    for path in sorted((view.root / view.package).glob("*.py")):
        text, count = VERSION.subn(r"\g<1>\g<2>.1", path.read_text(encoding="utf-8"))
        changed += count
        view.write(path.relative_to(view.root).as_posix(), text)
    if not changed:
        raise Unfit("no version stands in the package")
