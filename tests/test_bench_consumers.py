from pathlib import Path

from bench.consumers import asked_for, outcomes

REPORT = """<?xml version="1.0"?><testsuites><testsuite>
<testcase classname="tests.consumers.test_a" name="one"/>
<testcase classname="tests.consumers.test_a" name="two"><failure>why</failure></testcase>
<testcase classname="tests.consumers.test_a" name="three"><skipped message="no index"/></testcase>
<testcase classname="tests.consumers.test_b" name="one"><system-out>said</system-out></testcase>
<testcase classname="tests.consumers.test_b" name="two"><error>why</error></testcase>
</testsuite></testsuites>
"""


def test_checks_are_counted_by_file_and_outcome() -> None:
    assert outcomes(REPORT) == {
        "test_a": {"passed": 1, "failed": 1, "skipped": 1},
        "test_b": {"passed": 1, "error": 1},
    }


def test_versions_are_those_of_the_lock(tmp_path: Path) -> None:
    (tmp_path / "reader.in").write_text("# why\nreader==2.*\nextra[all]\n")
    (tmp_path / "reader.txt").write_text(
        "# made by uv\nextra[all]==1.0 \\\n    --hash=sha256:ab\nother==3 \\\n    # via reader\n"
        "reader==2.1 \\\n    --hash=sha256:cd\n"
    )
    assert asked_for(tmp_path) == [("reader", "extra[all] 1.0, reader 2.1")]
