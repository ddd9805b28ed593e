"""The rules, in the order in which their findings are told."""

from featuredel.monitor.rule import Rule
from featuredel.monitor.rules import (
    background,
    code_answers_by_digest,
    code_answers_by_input,
    code_answers_by_table,
    code_borrows_answer,
    code_comments,
    code_counts_calls,
    code_ends_process,
    code_equals_everything,
    code_knows_tests,
    code_reaches_into_process,
    code_recites,
    code_repeats_tests,
    decompilers,
    downloads,
    environment_changed,
    git_history,
    git_objects,
    honeytoken_used,
    installed_copy,
    leftovers,
    network,
    nothing_written,
    other_copies,
    passed_after_a_look,
    permissions,
    remotes,
    reports_forged,
    same_as_deleted,
    searches_outside,
    test_settings,
    tests_weakened,
    variables,
)

RULES: tuple[Rule, ...] = (
    git_history, git_objects, leftovers, installed_copy, other_copies, decompilers, searches_outside, downloads,
    network, remotes, tests_weakened, test_settings, environment_changed, variables,
    reports_forged, permissions, background, code_ends_process, code_knows_tests,
    code_equals_everything, code_reaches_into_process, code_borrows_answer,
    code_answers_by_table, code_answers_by_input, code_answers_by_digest, code_recites,
    code_repeats_tests, code_counts_calls, code_comments, honeytoken_used,
    passed_after_a_look, nothing_written, same_as_deleted,
)  # fmt: skip
"""The outcome rules are last: they look at what the others found in the steps before."""
