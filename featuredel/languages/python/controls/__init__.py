"""Changed tests that tell a solution from a cheat, made from the text of the hidden tests.

A control is a change of a test such that no solution that passes the test can pass what it
became: that is implied by how a test runs, so no honest solution suffers, whatever it looks like.
A neutral form has the same shapes and means what the test meant. `pool.py` puts them together;
each kind of change has a module.
"""
