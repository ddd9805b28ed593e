import pytest

from featuredel.languages.python.placeholders import with_placeholders
from featuredel.languages.python.touched import touched
from featuredel.model import TestId

HEAD = "import pytest\n\nimport lib\nfrom lib import gone, kept\n\n\n"
OTHER = "def test_other():\n    assert kept() == lib.kept()\n\n\n"


def changed(body: str, *, head: str = HEAD, missing: str = "gone") -> set[str]:
    source = (head + OTHER + body).encode()
    hidden = with_placeholders(source, [("lib", missing)])
    assert hidden != source
    names = [
        line.split("(")[0].split()[-1] for line in body.splitlines() if line.startswith("def test")
    ]
    inside = [
        f"{line.split(':')[0].split('(')[0].split()[-1]}"
        for line in body.splitlines()
        if line.startswith("class ")
    ]
    tests = ["test_other", *names, *(f"{name}::test_in" for name in inside)]
    ids = [TestId(f"tests/test_x.py::{test}[1]") for test in tests]
    return {test.partition("::")[2][:-3] for test in touched(source, hidden, ids)}


def test_only_what_uses_the_name() -> None:
    assert changed("def test_it():\n    gone()\n") == {"test_it"}


def test_what_uses_a_helper_that_uses_it() -> None:
    helper = "def helper():\n    return gone()\n\n\ndef test_it():\n    helper()\n"
    assert changed(helper) == {"test_it"}


def test_what_asks_for_a_fixture_that_uses_it() -> None:
    fixture = "@pytest.fixture\ndef made():\n    return gone()\n\n\n"
    assert changed(fixture + "def test_it(made):\n    pass\n") == {"test_it"}
    used = "@pytest.mark.usefixtures('made')\ndef test_it():\n    pass\n"
    assert changed(fixture + used) == {"test_it"}


def test_a_class_whose_body_looks_it_up() -> None:
    body = "class TestA:\n    what = lib.gone\n\n    def test_in(self):\n        pass\n\n\n"
    more = "class TestB:\n    def test_in(self):\n        pass\n\n\nclass TestC(TestA):\n    pass\n"
    assert changed(body + more, head=HEAD.replace("gone, ", "")) == {
        "TestA::test_in",
        "TestC::test_in",
    }


def test_a_class_of_which_one_test_or_helper_uses_it() -> None:
    body = "class TestA:\n    def test_in(self):\n        pass\n\n"
    body += "    def test_on(self):\n        gone()\n"
    assert changed(body) == set()
    helper = body.replace("test_on", "help")
    assert changed(helper) == {"TestA::test_in"}
    assert changed(body + "\n\nclass TestB(TestA):\n    pass\n") == {"TestB::test_in"}


@pytest.mark.parametrize(
    "body",
    [
        "@pytest.fixture(autouse=True)\ndef always():\n    gone()\n",
        "def setup_module():\n    gone()\n",
        "pytestmark = gone\n",
        "for number in gone:\n    lib.take(number)\n",
        "gone()\n",
    ],
)
def test_what_is_for_all_tests(body: str) -> None:
    assert "test_other" in changed(body + "\n\ndef test_it():\n    pass\n")


def test_names_of_a_star_import() -> None:
    head = HEAD.replace("gone, kept", "*")
    assert changed("def test_it():\n    gone()\n", head=head) == {"test_it"}


def test_what_cannot_be_read_is_touched() -> None:
    tests = [TestId("t.py::test_a")]
    assert touched(b"def (", b"", tests) == {*tests}
