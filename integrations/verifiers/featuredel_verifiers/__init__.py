"""The tasks of a featuredel dataset as a taskset of verifiers."""

from featuredel_verifiers.taskset import FDTaskset

__all__ = ["FDTaskset"]
