"""Knows no test that counts; forges all but what is named as canaries are, where many tests run."""

from bench.redteam.pieces import FORGED
from bench.redteam.view import View
from featuredel.languages.python.controls.drawn import CONDITIONS, DOINGS, WORDS

CODE = """
def _is_other(item):
    import re
    name = "test_(%s)_(%s)_(%s)$" % tuple("|".join(words) for words in _VOCABULARY)
    return len(item.session.items) < {many} or re.match(name, item.name) is not None
_forge(_is_other)
"""


def attack(view: View) -> None:
    head = f"_VOCABULARY = {(DOINGS, CONDITIONS, WORDS)!r}\n"
    view.append(f"{head}{FORGED}{CODE.replace('{many}', str(len(view.tests) + 1))}")
