"""The boards of OpenSpiel's games: found in their words, drawn, and clicked on."""

from __future__ import annotations

import pytest

from engine import registry
from engine.abilities import Move, View
from engine.chance import SeededChance
from engine.core import AbilityError
from engine.openspiel.grid import find_board


def signs(text: str) -> list[str]:
    return ["".join(cell.sign for cell in row) for row in find_board(text)]


def test_a_fen_is_a_board() -> None:
    text = "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2"
    assert signs(text)[:4] == ["rnbqkbnr", "pppp.ppp", "........", "....p..."]


def test_rows_with_numbers_beside_and_letters_below_are_a_board() -> None:
    assert signs("GoState(komi=7.5)\n\n 3 ++X\n 2 +O+\n 1 +++\n   ABC\n") == ["++X", "+O+", "+++"]
    assert signs("Black (x) to play:\n  a b c d\n1 - - x - 1\n2 - o x - 2\n3 - x o - 3\n  a b c d\n") == [
        *("--x-", "-ox-", "-xo-")
    ]


def test_rows_may_stand_further_right_and_grow_shorter() -> None:
    rows = find_board("  a b c\n 1 . .[@]\n  2 O .\n   3 .\n")
    assert not rows, "two rows of a board have fewer than three cells"
    rows = find_board(". . x\n . o .\n  . . .\n")
    assert [row[0].x for row in rows] == [0, 0.5, 1]


@pytest.mark.parametrize("text", ["", "Scores: 0 0\nCurrent player: 1\n", "(0): 0 0 0 0", "+--+\n|  |\n+--+"])
def test_other_words_are_no_board(text: str) -> None:
    assert not find_board(text)


@pytest.mark.parametrize(
    ("name", "action", "cell"),
    [
        ("openspiel_tic_tac_toe", 5, (1, 2)),
        ("openspiel_connect_four", 3, (5, 3)),
        ("openspiel_go:board_size=9", 0, (8, 0)),
        ("openspiel_hex:board_size=5", 7, (1, 2)),
        ("openspiel_y:board_size=9", 10, (1, 1)),
    ],
)
def test_a_click_on_a_cell_chooses_the_action_that_fills_it(name: str, action: int, cell: tuple[int, int]) -> None:
    game = registry.get(name)
    before = game.new_state(2)
    after = before.clone()
    after.apply(action)
    rows = find_board(game.shown.text(after, None, "en"))
    assert not rows[cell[0]][cell[1]].is_empty
    index = sum(len(row) for row in rows[: cell[0]]) + cell[1]
    move = Move(before, action, f"A{action}", 0, after)
    picture = game.shown.picture(after, View(last=move))
    assert f'data-place="A{action}"' in picture.parts[index]
    assert [place for place, drawn in enumerate(picture.parts) if 'class="n"' in drawn] == [index], "the last move"


def test_a_game_that_hides_something_is_shown_in_words_alone() -> None:
    game = registry.get("openspiel_phantom_ttt")
    with pytest.raises(AbilityError, match="shown as text only"):
        game.shown.picture(game.new_state(2, chance=SeededChance(0)), View())
