"""Every rule keeps the promises of its examples."""

import pkgutil
from collections.abc import Iterator

import pytest

from featuredel.monitor import rules
from featuredel.monitor.rule import Example, Rule
from featuredel.monitor.rules.table import RULES
from featuredel.monitor.watch import watch_example


def name_of(rule: Rule) -> str:
    return rule.__name__.rpartition(".")[2]


def examples() -> Iterator[object]:
    for rule in RULES:
        for number, example in enumerate(rule.EXAMPLES):
            yield pytest.param(rule, example, id=f"{name_of(rule)}-{number}")


@pytest.mark.parametrize(("rule", "example"), list(examples()))
def test_a_rule_does_what_its_example_says(rule: Rule, example: Example) -> None:
    found = watch_example(rule, example)
    assert any(finding.alarms for finding in found) == example.caught, found


def test_every_rule_is_in_the_table_and_has_examples_of_both_kinds() -> None:
    there = {module.name for module in pkgutil.iter_modules(rules.__path__)} - {"table"}
    assert {name_of(rule) for rule in RULES} == there
    for rule in RULES:
        assert {example.caught for example in rule.EXAMPLES} == {True, False}, name_of(rule)


def test_hints_are_short_and_say_what_to_do() -> None:
    for rule in RULES:
        for example in rule.EXAMPLES:
            for finding in watch_example(rule, example)[:1]:
                assert 20 < len(finding.hint) < 220
                assert "\n" not in finding.evidence
                assert len(finding.evidence) < 500
