"""How people see games of OpenSpiel: boards found in their text, pictures, looking ahead, and no hidden action."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.v1 import match_pb2, play_pb2
from arena.web.people.human_seat import SeatBoard, look_ahead
from arena.web.people.table_view import ObservedPly, TableView, _ply_json
from engine import registry
from engine.abilities import Move, View
from engine.chance import SeededChance
from engine.core import AbilityError
from engine.openspiel.board_detection import find_board
from engine.record import UNKNOWN_ACTION


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


def test_what_one_seat_sees_of_a_hidden_position_is_not_looked_ahead_from() -> None:
    game = registry.get("openspiel_leduc_poker")
    state = game.new_state(2, chance=SeededChance(1))
    seen = game.observed(game.encode_observation(state, 0)[1]).state
    outlook = look_ahead(game, seen, 0, [seen.legal_actions()[0]])
    assert (outlook.legal, outlook.last, outlook.state) == ((), None, seen)


def test_chess_is_looked_ahead_to_the_move_and_no_further() -> None:
    game = registry.get("openspiel_chess")
    outlook = look_ahead(game, game.new_state(2), 0, [game.new_state(2).legal_actions()[0]])
    assert outlook.last is not None
    assert outlook.legal == ()


def test_an_action_that_a_seat_may_not_know_has_no_words() -> None:
    game = registry.get("openspiel_phantom_ttt")
    board = SeatBoard(play_pb2.MatchStarted(game=game.name, seat=1, seats=2))
    sight = cast(TableView, SimpleNamespace(board=board))

    def words(action: int) -> Any:
        return _ply_json(sight, ObservedPly(match_pb2.Event(ply=0, seat=0, action=action), None), 0, "en")["words"]

    assert words(UNKNOWN_ACTION) == []
    assert words(4) == ["A4"]
