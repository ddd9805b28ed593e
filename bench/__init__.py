"""Measured comparisons and figures, run by hand."""
