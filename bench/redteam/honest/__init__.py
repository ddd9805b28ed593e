"""Honest solutions, one form a file: `reshape(view)` changes a tree that holds the reference."""
