from featuredel.features.choose import Candidate, choose, size_class
from featuredel.model import DefinitionId, Feature


def candidate(name: str, rank: float, lines: dict[str, int]) -> Candidate:
    ids = {DefinitionId(f"m.py::{d}"): n for d, n in lines.items()}
    feature = Feature(
        id=name,
        name=name,
        seed=next(iter(ids)),
        seed_kind="definition",
        definitions=tuple(sorted(ids)),
        tests=(),
        code_lines=sum(lines.values()),
        density=1.0,
        component_share=1.0,
        rank=rank,
    )
    return Candidate(feature, ids)


def names(features: tuple[Feature, ...]) -> list[str]:
    return [f.name for f in features]


def test_size_class() -> None:
    assert [size_class(n) for n in (1, 29, 30, 99, 100, 250, 500)] == [0, 0, 1, 1, 2, 3, 4]


def test_sizes_take_turns_and_the_better_comes_first() -> None:
    found = choose(
        [
            candidate("small", 0.9, {"a": 10}),
            candidate("middle", 0.5, {"b": 50}),
            candidate("middle, better", 0.6, {"c": 60}),
            candidate("large", 0.4, {"d": 150}),
        ],
        most=3,
        max_overlap=0.5,
    )
    assert names(found) == ["middle, better", "large", "small"]


def test_two_that_share_most_of_their_lines_are_not_both_chosen() -> None:
    found = choose(
        [
            candidate("one", 0.9, {"a": 10, "b": 10}),
            candidate("other", 0.8, {"a": 10, "b": 10, "c": 5}),
        ],
        most=9,
        max_overlap=0.5,
    )
    assert names(found) == ["one"]


def test_a_parent_is_linked_to_its_child() -> None:
    found = choose(
        [candidate("child", 0.9, {"a": 10}), candidate("parent", 0.8, {"a": 10, "b": 200})],
        most=9,
        max_overlap=0.5,
    )
    assert {f.name: f.parents for f in found} == {"child": ("parent",), "parent": ()}


def test_no_chain_of_many_parents() -> None:
    lines = [10, 40, 160, 640, 2560]
    chain = [
        candidate(f"{n}", 1 - n / 10, {f"d{i}": size for i, size in enumerate(lines[: n + 1])})
        for n in range(5)
    ]
    found = choose(chain, most=9, max_overlap=0.5)
    assert max(len(f.parents) for f in found) <= 3


def test_the_order_of_candidates_does_not_matter() -> None:
    many = [candidate(f"n{i}", 0.5, {f"d{i}": 10 * i + 3}) for i in range(20)]
    assert choose(many, 8, 0.5) == choose(list(reversed(many)), 8, 0.5)
