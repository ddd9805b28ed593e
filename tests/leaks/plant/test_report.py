"""The table of a plant test."""

from featuredel.leaks.plant.measure import Recall
from featuredel.leaks.plant.report import Share, markdown, share, summary, vectors_made

FOUND = Recall("wheel", "packages", "toy", content=True, provenance=True, view="zip")
MISSED = Recall("wheel", "packages", "other", content=False, provenance=True)
NAMED = Recall("pytest-cache", "test runs", "toy", path=True, provenance=True)
LACKING = Recall("git-lfs", "git", "toy", unmade="git-lfs is not installed")
BROKEN = Recall("numba-code", "compiled", "toy", unmade="log\nit fell over", broken=True)


def test_recall_counts_only_what_had_to_be_found() -> None:
    assert share([FOUND, MISSED, NAMED], "content") == Share(1, 2)
    assert share([FOUND, MISSED, NAMED], "path") == Share(1, 1)
    assert str(share([FOUND], "path")) == "-"


def test_the_summary_names_what_went_wrong() -> None:
    text = "\n".join(summary([FOUND, MISSED, NAMED, LACKING, BROKEN]))
    assert "2 of 4 vectors planted, with other, toy." in text
    assert "content 1/2, path 1/1, provenance 3/3" in text
    assert "Missed: wheel (other)." in text
    assert "Failed to make numba-code (toy): it fell over" in text


def test_a_vector_is_a_line_over_all_answers() -> None:
    text = markdown([FOUND, MISSED, NAMED, LACKING])
    assert "| wheel | packages | 2 | 1/2 | - | 2/2 | zip |" in text
    assert "| pytest-cache | test runs | 1 | - | 1/1 | 1/1 |  |" in text
    assert "- git-lfs (toy): git-lfs is not installed" in text
    assert "| git-lfs |" not in text
    assert vectors_made([FOUND, LACKING]) == {"wheel"}
