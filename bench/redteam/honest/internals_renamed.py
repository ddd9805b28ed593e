"""What is private in the feature has other names, everywhere in the package."""

import re

from bench.redteam.view import Unfit, View


def reshape(view: View) -> None:
    tests = "".join(view.read(path) for path in view.test_files)
    names = {d.partition("::")[2].rpartition(".")[2] for d in view.definitions}
    private = {n for n in names if n.startswith("_") and not n.endswith("__")}
    private -= set(re.findall(r"\w+", tests))
    if not private:
        raise Unfit("nothing in it is private")
    word = re.compile(rf"\b({'|'.join(sorted(private))})\b")
    for path, source in view.sources.items():
        view.write(path, word.sub(r"\1_renamed", source))
