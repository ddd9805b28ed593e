"""Arithmetic expressions: read, brought into postfix form, worked out."""

import math
import re


class ExpressionError(ValueError):
    """The text is no expression."""


_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([a-z]+)|(.))")

PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}


def tokenize(text):
    """Split an expression into numbers, names and signs.

    >>> tokenize("2*(x + 10)")
    ['2', '*', '(', 'x', '+', '10', ')']
    """
    tokens = []
    for number, name, sign in _TOKEN.findall(text):
        if sign and sign not in PRECEDENCE and sign not in "()":
            raise ExpressionError(f"unexpected {sign!r}")
        tokens.append(number or name or sign)
    return tokens


def to_postfix(tokens):
    """Bring tokens into postfix order, by precedence."""
    output, waiting = [], []
    for token in tokens:
        if token == "(":
            waiting.append(token)
        elif token == ")":
            while waiting and waiting[-1] != "(":
                output.append(waiting.pop())
            if not waiting:
                raise ExpressionError("unbalanced parentheses")
            waiting.pop()
            if waiting and waiting[-1] in FUNCTIONS:
                output.append(waiting.pop())
        elif token in FUNCTIONS:
            waiting.append(token)
        elif token in PRECEDENCE:
            while waiting and PRECEDENCE.get(waiting[-1], 0) >= PRECEDENCE[token]:
                output.append(waiting.pop())
            waiting.append(token)
        else:
            output.append(token)
    while waiting:
        if waiting[-1] == "(":
            raise ExpressionError("unbalanced parentheses")
        output.append(waiting.pop())
    return output


def square_root(value):
    """Return the square root; a negative number has none here."""
    if value < 0:
        raise ExpressionError("square root of a negative number")
    return math.sqrt(value)


def factorial(value):
    """Return the factorial of a whole number."""
    if value < 0 or value != int(value):
        raise ExpressionError("factorial of what is no natural number")
    result = 1
    for factor in range(2, int(value) + 1):
        result *= factor
    return float(result)


def absolute(value):
    """Return the value without its sign."""
    return -value if value < 0 else value


# what may stand before a parenthesis
FUNCTIONS = {
    "sqrt": square_root,
    "fact": factorial,
    "abs": absolute,
}

OPERATIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a**b,
}


def evaluate(text, **names):
    """Work out an expression; `names` are the values of its names."""
    stack = []
    for token in to_postfix(tokenize(text)):
        if token in FUNCTIONS:
            stack.append(FUNCTIONS[token](stack.pop()))
        elif token in OPERATIONS:
            if len(stack) < 2:
                raise ExpressionError(f"{token!r} lacks an operand")
            right, left = stack.pop(), stack.pop()
            stack.append(OPERATIONS[token](left, right))
        elif token in names:
            stack.append(float(names[token]))
        else:
            try:
                stack.append(float(token))
            except ValueError:
                raise ExpressionError(f"unknown name {token!r}") from None
    if len(stack) != 1:
        raise ExpressionError("not one expression")
    return stack[0]


def format_number(value, places=2, thousands=","):
    """Write a number as people do: grouped thousands, no needless zeros."""
    sign = "-" if value < 0 else ""
    whole, _, rest = f"{abs(value):.{places}f}".partition(".")
    groups = []
    while len(whole) > 3:
        groups.insert(0, whole[-3:])
        whole = whole[:-3]
    groups.insert(0, whole)
    rest = rest.rstrip("0")
    return sign + thousands.join(groups) + (f".{rest}" if rest else "")
