"""What no grader of this kind can tell from a solution, where the tests are visible.

In the register `terse` the tests that count are the contract, so a solver can write down what they
expect: a program that knows the tests answers them, whatever is done to find it out. These are
measured and printed; they do not count as attacks. In the other registers the tests are hidden, and
they have nothing to write down.
"""
