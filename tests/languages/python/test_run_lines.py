from featuredel.languages.python.run_lines import LineRecords
from featuredel.model import Lines, TestId

RUN = [TestId(name) for name in ("t.py::b", "t.py::a", "u.py::c")]  # sorted: a, b, c
A, B, C = 1, 2, 4


def lines(*records: list[object]) -> Lines:
    found = LineRecords()
    for record in records:
        found.take(list(record))
    return found.lines(RUN)


def test_bits_stand_for_the_sorted_tests() -> None:
    found = lines(["sets", [["x.py", 3, "5"]]], ["lines", [0], [0]], ["lines", [2], [0]])
    assert found.tests == ("t.py::a", "t.py::b", "u.py::c")
    assert found.reached == {"x.py": {3: B | C, 5: B | C}}


def test_files_are_numbered_in_the_order_in_which_they_come() -> None:
    sets = [["x.py", 1, "1"], ["y.py", 1, "1"], [0, 2, "1"], [1, 3, "1"]]
    found = lines(["sets", sets], ["lines", [0], [2, 3]])
    assert found.reached == {"x.py": {2: B}, "y.py": {3: B}}


def test_a_fixture_counts_for_all_its_users_whenever_its_lines_come() -> None:
    found = lines(
        ["uses", 0, [7]],
        ["sets", [["x.py", 1, "3"]]],
        ["uses", 2, [7]],
        ["lines", ["f7"], [0]],
    )
    assert found.reached == {"x.py": {1: B | C, 2: B | C}}


def test_a_module_counts_for_all_its_tests() -> None:
    found = lines(["sets", [["x.py", 1, "1"]]], ["lines", ["mt.py"], [0]])
    assert found.reached == {"x.py": {1: A | B}}


def test_imported_lines_are_nobodys() -> None:
    found = lines(["sets", [["x.py", 1, "7"]]], ["lines", ["i"], [0]])
    assert found.imported == {"x.py": frozenset({1, 2, 3})}
    assert not found.reached.get("x.py")
