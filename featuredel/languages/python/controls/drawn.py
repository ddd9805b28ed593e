"""Words, values and expressions as they stand in tests, drawn at random."""

import random

WORDS = (
    "amber", "anchor", "barrel", "basket", "beacon", "bridge", "candle", "canvas", "carbon",
    "castle", "cedar", "cinder", "copper", "cotton", "ember", "falcon", "garden", "harbor",
    "hazel", "island", "ivory", "jacket", "kettle", "ladder", "lantern", "marble", "meadow",
    "mirror", "orchid", "pebble", "pepper", "quarry", "ribbon", "saddle", "timber", "velvet",
    "violet", "walnut", "willow", "window",
)  # fmt: skip
DOINGS = (
    "accepts", "adds", "counts", "drops", "finds", "follows", "handles", "ignores", "joins",
    "keeps", "merges", "orders", "reads", "repeats", "skips", "sorts", "splits", "takes",
)  # fmt: skip
CONDITIONS = ("empty", "first", "last", "long", "mixed", "nested", "plain", "short", "single")


def name(chance: random.Random) -> str:
    """Return the name of a test function."""
    words = (chance.choice(DOINGS), chance.choice(CONDITIONS), chance.choice(WORDS))
    return "test_" + "_".join(words)


def literal(chance: random.Random) -> str:
    """Return a value that no test of a project expects."""
    return repr(f"{chance.choice(WORDS)} {chance.randint(100, 999)}")


def choice(chance: random.Random, old: str, new: str, *, broken: bool) -> str:
    """Return an expression that evaluates both of two, and gives the new one if `broken`."""
    parts, wanted = [old, new], new if broken else old
    chance.shuffle(parts)
    place = parts.index(wanted)
    if chance.random() < 0.5:
        return f"({parts[0]}, {parts[1]})[{place}]"
    keys = chance.sample(WORDS, 2)
    return f"{{'{keys[0]}': {parts[0]}, '{keys[1]}': {parts[1]}}}['{keys[place]}']"


def assertion(chance: random.Random, *, holds: bool) -> str:
    """Return an assertion about nothing but its own text."""
    one, two, off = chance.randint(2, 60), chance.randint(2, 60), chance.randint(1, 9)
    first, last = chance.sample(WORDS, 2)
    place = chance.randrange(2)
    kinds = (
        (f"{one} + {two}", one + two, one + two + off),
        (f"{one} * {two}", one * two, one * two - off),
        (f"{first!r} + {last!r}", first + last, last + first),
        (f"({first!r}, {last!r})[{place}]", (first, last)[place], (last, first)[place]),
        (f"len({first!r})", len(first), len(first) + off),
    )
    told, right, wrong = chance.choice(kinds)
    return f"assert {told} == {(right if holds else wrong)!r}"
