import io

from rich.console import Console

from featuredel.model import Rejection
from featuredel.progress import Board, Plain, funnel


def test_the_board_follows_a_run() -> None:
    board = Board.of({"a": 5, "b": 5})
    assert board.began("a", "a", "baseline").stage == "baseline"
    board.mined("a", None, 3)
    board.forged("a", None)
    board.forged("a", Rejection("a", "f", "validate", "P2P fail", ""))
    board.forged("a", Rejection("a", "g", "delete", "nothing left after retreat", ""))
    assert board.lines["a"].kept_in == 1
    assert (board.lines["a"].accepted, board.lines["a"].rejected) == (1, 1)
    assert board.seconds_left() is not None
    board.mined("b", Rejection("b", "b", "baseline", "no tests found", ""), 0)
    assert board.ended("b", (0, 0, 0)).state == "rejected"
    assert board.ended("a", (1, 1, 1)).state == "done"


def test_plain_lines_say_a_thing_once() -> None:
    out = io.StringIO()
    display = Plain(Console(file=out, width=200))
    board = Board.of({"a": 5})
    for stage in ("acquire", "acquire", "baseline"):
        display.show(board, board.began("a", "a", stage))
    display.show(board, board.mined("a", None, 2))
    display.show(board, board.began("a", "x (removal)", "validate"))
    lines = out.getvalue().splitlines()
    assert lines[:2] == ["a: mining (acquire)", "a: mining (baseline)"]
    assert len(lines) == 3
    assert lines[2].startswith("a: forging, 0 accepted, 0 rejected of 2 candidates")


def test_the_funnel_has_a_line_for_each_repository() -> None:
    board = Board.of({"a": 5, "b": 5})
    board.mined("b", Rejection("b", "b", "acquire", "unsafe archive", ""), 0)
    out = io.StringIO()
    Console(file=out, width=120).print(funnel(board))
    assert "acquire: unsafe archive" in out.getvalue()


def test_the_rest_is_what_the_tasks_still_wanted_take() -> None:
    board = Board.of({"a": 2, "b": 2})
    assert board.seconds_left() is None
    board.started -= 100
    board.mined("a", None, 8)
    board.forged("a", None)  # 11 pieces of work done; b takes 12 more, a one
    assert round(board.seconds_left() or 0) == round(100 * 13 / 11)
    board.forged("a", None)
    board.ended("a", (2, 0, 0))
    board.ended("b", (0, 0, 0), "no network")
    assert board.seconds_left() == 0
