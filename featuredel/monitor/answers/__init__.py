"""Answers that code has written down: literals, tables and arms of comparisons.

literals <- tables <- lookups; literals <- arms. Nothing is executed.
"""
