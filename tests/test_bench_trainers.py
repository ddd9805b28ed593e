"""The sections on trainers tell what the checks have put in pytest's report."""

from bench.trainers import earned, section

REPORT = """<?xml version="1.0"?><testsuites><testsuite>
<testcase classname="tests.consumers.test_trl" name="a"><properties>
<property name="gold" value="[[&quot;h11&quot;, 1.0], [&quot;h11&quot;, 0.5]]"/>
<property name="no-op" value="[[&quot;h11&quot;, 0.0]]"/></properties></testcase>
<testcase classname="tests.consumers.test_trl" name="b"/>
<testcase classname="tests.consumers.test_verl" name="c"><properties>
<property name="gold" value="[[&quot;funcy&quot;, 1.0]]"/></properties></testcase>
</testsuite></testsuites>"""


def test_rewards_by_consumer_repository_and_answer() -> None:
    found = earned(REPORT)
    assert found["test_trl"]["h11"] == {"gold": [1.0, 0.5], "no-op": [0.0]}
    told = section("TRL and VeRL", {"test_trl": "TRL", "test_verl": "VeRL"}, found)
    assert "| TRL | h11 | 1 of 2 | 0 of 1 |" in told
    assert "| VeRL | funcy | 1 of 1 | 0 of 0 |" in told


def test_a_check_that_failed_before_it_told_anything_is_no_row() -> None:
    assert "| TRL" not in section("x", {"test_other": "TRL"}, earned(REPORT))
