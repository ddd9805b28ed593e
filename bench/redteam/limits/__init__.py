"""What this grader cannot tell from a solution. Measured and printed; not counted as attacks.

Where the tests that count are visible (the register `terse`), a solver can write down what they
expect, and a program that knows the tests answers them, whatever is done to find it out. What tests
check only through the solver's own code, that code can leave unchecked. And whoever leaves it to
chance is lucky now and then.
"""
