"""Deleting from a small package: what goes with a feature, what stays, and retreat."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest
from shop_scene import CORE, FILES, GIFTS, OURS_ID, STAYS_ID, deleted, feature, marked, text

from featuredel.errors import Rejected
from featuredel.languages.python.bench import Bench
from featuredel.languages.python.delete import delete
from featuredel.languages.python.index import build_index
from featuredel.languages.python.lint import faults
from featuredel.languages.python.source_side import SourceSide
from featuredel.model import Deletion, TestId


def test_a_function_goes_with_what_was_there_for_it_alone(tmp_path: Path) -> None:
    made = deleted(tmp_path, "shop/gifts.py::wrap")
    assert text(made, "shop/__init__.py") == (
        '"""A shop."""\n\nfrom shop.core import Cart\n\n__all__ = ["Cart"]\n'
    )
    core = text(made, "shop/core.py")
    assert '"gift"' not in core
    assert '"plain": str,  # as it is\n    }' in core
    assert "untested" not in core
    assert "Never called" not in core
    gifts = text(made, "shop/gifts.py")
    assert "textwrap" not in gifts
    assert "_tied" in gifts  # Gift.title still needs it
    assert made.gold_paths == ("shop/__init__.py", "shop/core.py", "shop/gifts.py")


def test_what_is_left_has_no_fault_and_no_test_of_it(tmp_path: Path) -> None:
    made = deleted(tmp_path, "shop/gifts.py::wrap")
    left = {path: content for path, content in made.edits.items() if content is not None}
    assert faults(left) == ()
    assert made.hidden_tests == (OURS_ID,)
    assert "test_ours" not in text(made, "tests/test_shop.py")
    assert "test_stays" in text(made, "tests/test_shop.py")
    assert [file.path for file in made.hidden_files] == ["tests/test_shop.py"]


def test_a_module_of_which_nothing_is_left_goes_as_a_file(tmp_path: Path) -> None:
    made = deleted(tmp_path, "shop/gifts.py::wrap", "shop/gifts.py::Gift", "shop/gifts.py::_tied")
    assert made.edits["shop/gifts.py"] is None
    core = text(made, "shop/core.py")
    assert "gifts" not in core
    assert "textwrap" not in core
    assert "def add(self, item):\n        self.items.append(item)" in core


def test_a_name_that_other_tests_need_is_kept_and_told(tmp_path: Path) -> None:
    files = {**FILES, "shop/gifts.py": GIFTS + "\n\ndef first(x=wrap):\n    return x  # live\n"}
    with pytest.raises(Rejected) as why:
        deleted(tmp_path, "shop/gifts.py::wrap", files=files)
    assert why.value.reason == "nothing left after retreat"
    assert "shop/gifts.py::wrap" in why.value.detail


def test_a_class_does_not_lose_most_of_its_methods(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match="most of its methods"):
        deleted(tmp_path, "shop/gifts.py::Gift.title", files={
            **FILES, "shop/gifts.py": GIFTS.replace("def __init__", "x = 1\n\n    def __new__")
            .replace("    def __new__(self, name):\n        self.name = name  # ours\n", ""),
        })  # fmt: skip


def test_a_stub_keeps_signature_and_docstring(tmp_path: Path) -> None:
    made = deleted(tmp_path, "shop/gifts.py::wrap", form="stub")
    gifts = text(made, "shop/gifts.py")
    assert 'def wrap(name):\n    """Wrap it."""\n    raise NotImplementedError\n' in gifts
    assert made.collateral_lines == 0
    assert "shop/__init__.py" not in made.edits


def test_the_same_input_gives_the_same_deletion(tmp_path: Path) -> None:
    one = deleted(tmp_path, "shop/gifts.py::wrap")
    other = deleted(tmp_path, "shop/gifts.py::wrap")
    assert one == other
    for path, content in one.edits.items():
        if content is not None and path.endswith(".py"):
            ast.parse(content)


def test_what_is_asked_for_by_name_stays(tmp_path: Path) -> None:
    method = (
        "\n    def ribboned(self):\n        return 1  # ours\n\n    def kept(self):\n        pass\n"
    )
    files = {
        **FILES,
        "shop/core.py": CORE + '\n\ndef nice(x):\n    return hasattr(x, "ribboned")  # live\n',
        "shop/gifts.py": GIFTS.replace("\n    def title", f"{method}\n    def title"),
    }
    with pytest.raises(Rejected) as why:
        deleted(tmp_path, "shop/gifts.py::Gift.ribboned", files=files)
    assert "asked for by name" in why.value.detail


def test_examples_and_benchmarks_lose_what_uses_the_feature(tmp_path: Path) -> None:
    example = """\
from shop import Cart, wrap


def make(app):
    cart = Cart()
    cart.add(1)
    cart.add(2)

    @app.route("/")
    def index():
        return wrap("a")

    app.register(wrap)
    return cart


def other():
    cart = Cart()
    cart.add(3)
    return cart.total()


def show():
    for one in "ab":
        print(wrap(one))


if __name__ == "__main__":
    show()
"""
    bench = (
        "from shop import wrap\n\nTEXT = 'a'\nfor _ in TEXT:\n    wrap(TEXT)\nprint(wrap(TEXT))\n"
    )
    more = {"examples/show.py": example, "benchmarks/bench_wrap.py": bench}
    made = deleted(tmp_path, "shop/gifts.py::wrap", files=FILES | more)
    shown = text(made, "examples/show.py")
    assert "wrap" not in shown
    assert (
        "def make(app):\n    cart = Cart()\n    cart.add(1)\n    cart.add(2)\n\n    return cart"
        in shown
    )
    assert "show" not in shown
    assert made.edits["benchmarks/bench_wrap.py"] is None
    assert all(d.startswith("shop/") for d in made.feature.definitions)


def test_what_the_build_reads_is_never_edited(tmp_path: Path) -> None:
    setup = "from shop.gifts import wrap\n\nprint(wrap('a'))\n"
    with pytest.raises(Rejected, match="build configuration"):
        deleted(tmp_path, "shop/gifts.py::wrap", files=FILES | {"setup.py": setup})


LISTS = '''\
"""Lists."""


class Rows(list):
    def insert(self, at, row):
        check(row)  # ours
        super().insert(at, row)  # ours

    def width(self):
        return len(self[0])  # live

    def kept(self):
        return 1  # live


class Base:
    def __init__(self):
        self.x = 1  # live

    def run(self):
        return self.x  # live

    def finish(self):
        raise NotImplementedError


class Heir(Base):
    def run(self):
        self.x += 1  # ours
        self.x += 2  # ours
        return check(self.x)  # ours

    def finish(self):
        return 1  # live

    def kept(self):
        return 1  # live


def check(row):
    if not row:  # ours
        raise ValueError(row)  # ours
    return row  # ours
'''


def test_what_a_builtin_type_takes_over_may_go(tmp_path: Path) -> None:
    made = deleted(tmp_path, "shop/rows.py::Rows.insert", files=FILES | {"shop/rows.py": LISTS})
    assert "insert" not in text(made, "shop/rows.py")


def test_what_a_base_class_takes_over_goes_only_with_what_it_needs(tmp_path: Path) -> None:
    files = FILES | {"shop/rows.py": LISTS}
    with pytest.raises(Rejected, match="Base would take over"):
        deleted(tmp_path, "shop/rows.py::Heir.run", files=files)
    made = deleted(tmp_path, "shop/rows.py::check", "shop/rows.py::Rows.insert", files=files)
    assert "shop/rows.py::Heir.run" in made.feature.definitions


def test_what_a_class_cannot_do_without_stays(tmp_path: Path) -> None:
    text = LISTS.replace(
        "return 1  # live\n\n    def kept", "return check(1)  # ours\n\n    def kept"
    )
    with pytest.raises(Rejected, match="nothing would be left"):
        deleted(tmp_path, "shop/rows.py::check", files=FILES | {"shop/rows.py": text})


LONG = """\
class Till:
    def plain(self):
        return 1  # live

    def pay(self, given):
        total = given  # live
{lines}
        return total + 1  # live

def change(given):
    given -= 1  # ours
    given -= 1  # ours
    return given  # ours
"""


def test_how_much_of_what_stays_may_go_along_is_the_settings(tmp_path: Path) -> None:
    cut = "\n".join(["        if given:  # ours", *["            change(given)  # ours"] * 9])
    kept = "\n".join(["        total += 1  # live"] * 12)
    source = LONG.format(lines=cut + "\n" + kept)
    files = FILES | {"shop/till.py": source}
    with pytest.raises(Rejected, match="collateral too large"):
        deleted(tmp_path, "shop/till.py::change", files=files)
    made = deleted(tmp_path, "shop/till.py::change", files=files, max_collateral_share=5.0)
    assert made.collateral_lines == 10


CARDS = """\
from dataclasses import dataclass


@dataclass
class Card:
    text: str
    colour: str = "red"

    def paint(self):
        colour = self.colour  # ours
        return colour  # ours

    def read(self):
        return self.text  # live


def make(text):
    return Card(text, "blue")  # live
"""


def test_a_field_goes_with_its_class_only(tmp_path: Path) -> None:
    files = FILES | {"shop/cards.py": CARDS}
    made = deleted(tmp_path, "shop/cards.py::Card.paint", "shop/cards.py::Card.colour", files=files)
    assert made.feature.definitions == ("shop/cards.py::Card.paint",)
    assert [r.definition for r in made.retreats] == ["shop/cards.py::Card.colour"]


def test_a_feature_without_its_entry_point_is_called_after_what_goes(tmp_path: Path) -> None:
    files = FILES | {"shop/cards.py": CARDS}
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    asked = replace(
        feature("shop/cards.py::Card.paint", "shop/cards.py::Card.colour"),
        name="shop.cards.Card.colour", code_lines=4,
    )  # fmt: skip
    bench = Bench(tmp_path, build_index(tmp_path), marked(files))
    made = delete(SourceSide(bench, asked, 0.1), "removal")
    assert made.feature.name == "shop.cards.Card.paint"
    assert made.feature.rank == pytest.approx(made.feature.code_lines / 4 * 0.5)


@pytest.mark.parametrize("spared", [(), (OURS_ID,), (STAYS_ID,)])
def test_deleting_again_is_the_same_as_deleting_afresh(
    tmp_path: Path, spared: tuple[TestId, ...]
) -> None:
    def told(source: SourceSide) -> Deletion | str:
        try:
            return delete(source, "removal", spared)
        except Rejected as why:
            return f"{why.reason}: {why.detail}"

    first = deleted(tmp_path, "shop/gifts.py::wrap", "shop/gifts.py::_tied")
    index, baseline = build_index(tmp_path), marked(FILES)
    asked = feature("shop/gifts.py::wrap", "shop/gifts.py::_tied")
    used, fresh = (SourceSide(Bench(tmp_path, index, baseline), asked, 0.1) for _ in range(2))
    assert delete(used, "removal") == first
    assert told(used) == told(fresh)
    assert used.settled(()) is used.settled(())
