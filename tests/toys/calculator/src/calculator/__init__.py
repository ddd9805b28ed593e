"""Evaluates expressions, converts units, sums up numbers."""

from .expressions import ExpressionError, evaluate, format_number, to_postfix, tokenize
from .history import History
from .statistics import Summary, mean, median, quantile, spread
from .units import UnitError, convert, parse_quantity, units

__all__ = [
    "ExpressionError",
    "History",
    "Summary",
    "UnitError",
    "convert",
    "evaluate",
    "format_number",
    "mean",
    "median",
    "parse_quantity",
    "quantile",
    "spread",
    "to_postfix",
    "tokenize",
    "units",
]
