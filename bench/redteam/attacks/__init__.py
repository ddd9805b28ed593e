"""Cheats, one a file: `attack(view)` changes a solver's tree so that a naive grader is fooled."""
