import pytest
from helpers import close

from calculator import ExpressionError, evaluate, format_number, to_postfix, tokenize
from calculator.expressions import FUNCTIONS, absolute, factorial, square_root


def test_tokenize():
    assert tokenize("2*(x + 10)") == ["2", "*", "(", "x", "+", "10", ")"]


def test_tokenize_refuses_strange_signs():
    with pytest.raises(ExpressionError, match="unexpected '\\?'"):
        tokenize("2 ? 3")


def test_to_postfix_knows_precedence():
    assert to_postfix(["1", "+", "2", "*", "3"]) == ["1", "2", "3", "*", "+"]


@pytest.mark.parametrize("tokens", [["(", "1"], ["1", ")"]], ids=["open", "close ]"])
def test_to_postfix_wants_balance(tokens):
    with pytest.raises(ExpressionError, match="unbalanced parentheses"):
        to_postfix(tokens)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1 + 2", 3), ("2 * (3 + 4)", 14), ("2 ^ 3", 8), ("7 / 2", 3.5), ("5 - 3 - 1", 1)],
)
def test_evaluate(text, value):
    assert close(evaluate(text), value)


def test_evaluate_with_names():
    assert evaluate("x * y", x=3, y=4) == 12


def test_evaluate_refuses_unknown_names():
    with pytest.raises(ExpressionError, match="unknown name 'z'"):
        evaluate("z + 1")


def test_factorial():
    assert factorial(5) == 120
    assert factorial(0) == 1


def test_factorial_in_an_expression():
    assert evaluate("fact(4) + 1") == 25


def test_factorial_of_a_fraction():
    with pytest.raises(ExpressionError, match="no natural number"):
        factorial(1.5)


def test_square_root():
    assert square_root(16) == 4


def test_square_root_in_an_expression():
    assert evaluate("sqrt(9)") == 3


def test_square_root_of_a_negative_number():
    with pytest.raises(ExpressionError, match="negative"):
        square_root(-1)


def test_absolute():
    assert absolute(-3) == 3
    assert evaluate("abs(2 - 5)") == 3


def test_functions_are_registered():
    assert "abs" in FUNCTIONS


@pytest.mark.parametrize(
    ("value", "text"),
    [(1234567.5, "1,234,567.5"), (-1000, "-1,000"), (0.126, "0.13"), (12, "12")],
)
def test_format_number(value, text):
    assert format_number(value) == text


def test_format_number_with_another_sign():
    assert format_number(12345, thousands=" ") == "12 345"
