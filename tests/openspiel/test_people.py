"""People at OpenSpiel's games: they look ahead no further than they see, and are told no hidden action."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from arena.v1 import match_pb2, play_pb2
from arena.web.people.human_seat import SeatBoard, look_ahead
from arena.web.people.table_view import ObservedPly, TableView, _ply_json
from engine import registry
from engine.chance import SeededChance
from engine.record import UNKNOWN_ACTION


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
