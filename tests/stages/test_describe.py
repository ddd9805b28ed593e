from featuredel.stages.describe import MAX_RUNS, missing_words


def test_nothing_is_missing_where_f2p_do_not_notice() -> None:
    assert missing_words(("a", "b"), lambda _: True) == ()
    assert missing_words((), lambda _: False) == ()


def test_the_words_that_f2p_hang_on_are_found_alone() -> None:
    words = tuple("abcdefghij")
    asked: list[tuple[str, ...]] = []

    def survives(group: tuple[str, ...]) -> bool:
        asked.append(group)
        return not {"c", "h"} & set(group)

    assert missing_words(words, survives) == ("c", "h")
    assert len(asked) <= MAX_RUNS


def test_words_that_matter_only_together_are_told_together() -> None:
    both = missing_words(("a", "b"), lambda group: len(group) < 2)
    assert both == ("a", "b")


def test_the_search_ends() -> None:
    words = tuple(f"w{i}" for i in range(1000))
    runs = 0

    def never(_: tuple[str, ...]) -> bool:
        nonlocal runs
        runs += 1
        return False

    assert set(missing_words(words, never)) == set(words)
    assert runs <= MAX_RUNS + 12  # what was split before the bound is still looked at
