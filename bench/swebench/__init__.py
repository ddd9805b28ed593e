"""Rows for SWE-bench, judged by its own package with logs of real runs."""
