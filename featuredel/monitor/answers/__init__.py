"""Answers that code has written down: literals, tables and arms of comparisons.

literals <- tables <- lookups; literals <- arms; literals <- constants <- guarded. Whether they are
those of tests: of_tests of tables and arms, telling of what is guarded. Nothing is executed.
"""
