"""The rules of the monitor, one a file."""
