"""Answers that code has written down: literals, tables and arms of comparisons.

literals <- tables <- lookups; literals <- arms; literals <- constants <- guarded. Whether they are
those of tests: of_tests of tables and arms, telling of what is guarded. With a task's row, foreign
weighs the values that only its tests hold, as spelled finds them, and uses tells what code does
with them. comparisons and bent_classes: what equals whatever it is compared with.

Nothing is executed.
"""
