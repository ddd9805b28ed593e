"""The red team: attacks on the reward, and honest solutions in unusual forms.

One file a program: attacks, limits (what cannot be told from a solution), honest forms, burdens
(trees that are hard to read) and blows (code that should end a run). An attack counts where it wins
from a naive grader in the same trial (`naive.py`); it must earn nothing from the real one.

Constants of text (`CODE`, `PRELUDE`, `TESTS` and the like) are what a program writes into the tree
of a solver. They are written as solvers write, swallowed exceptions and empty tests included, and
run in the sandbox only.
"""
