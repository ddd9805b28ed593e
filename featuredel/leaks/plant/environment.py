"""An environment in which everything is explained, to plant in what is not."""

import base64
import hashlib
from pathlib import Path

from featuredel.leaks.provenance import compared, contents, record, write
from featuredel.model import Environment
from featuredel.sandbox import ENVIRONMENT

SITE = "lib/python3.13/site-packages"
PACKAGE = f"{SITE}/ordinary"
BUILT = "share/built"


def furnish(prefix: Path) -> Environment:
    """Lay a wheel and what a build left in `prefix`, with what says so, and return it all."""
    (prefix / PACKAGE).mkdir(parents=True)
    module = b"def ordinary():\n    return 1\n"
    (prefix / PACKAGE / "__init__.py").write_bytes(module)
    listing = prefix / SITE / "ordinary-1.0.dist-info/RECORD"
    listing.parent.mkdir()
    digest = base64.urlsafe_b64encode(hashlib.sha256(module).digest()).decode().rstrip("=")
    name = listing.relative_to(prefix / SITE).as_posix()
    listing.write_text(f"ordinary/__init__.py,sha256={digest},{len(module)}\n{name},,\n")
    before = contents(prefix)
    (prefix / BUILT).mkdir(parents=True)
    (prefix / BUILT / "made.txt").write_text("ordinary\n")
    made = record(prefix, ENVIRONMENT, before, "make", "tree 0")
    write(compared(made, made), prefix.parent)
    return Environment(
        id="", interpreter="", prefix=prefix, home=Path("/usr"), lock=("ordinary==1.0",),
        build=(), products=None, test_roots=(),
    )  # fmt: skip
