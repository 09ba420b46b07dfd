"""The protobuf form: what a bot in another language reads."""

from __future__ import annotations

from arena.games.foreign_king.v1 import state_pb2
from engine.games.foreign_king import GAME
from engine.games.foreign_king import state as at
from tests.engine.games.foreign_king.table import lay, play


def message_of(state: object) -> state_pb2.ForeignKingState:
    name, data = GAME.encode_observation(state, 0)  # type: ignore[arg-type]
    assert name == "arena.games.foreign_king.v1.ForeignKingState"
    return state_pb2.ForeignKingState.FromString(data)


def test_the_fields_of_a_position() -> None:
    state = play(lay(2, discs={"LIE": [9, 1, 2]}, factories={"ANT": "MTTm"}, options={"bank": 41}), "ACT_KING")
    message = message_of(state)
    assert message.phase == state_pb2.PHASE_KING_TO
    assert (message.seats, message.seat, message.active, message.round) == (2, 0, 0, 1)
    assert (message.king, message.marker) == (9, 30)
    assert list(message.pawns) == [5, -1]
    assert message.discs[0 * 9 + 5] == 9
    assert message.discs[2 * 9 + 5] == 2
    assert message.factories[0] == 1 + 2 * 8 + 1 * 64
    assert list(message.supply) == [3, 3]
    assert (list(message.medals), list(message.loans)) == ([1, 0], [0, 0])
    assert (message.options.bank, message.options.virtual_discs, message.options.max_rounds) == (41, 15, 100)
    assert message.options.rulebook == state_pb2.RULEBOOK_CANONICAL


def test_phases_are_numbered_like_the_engine_plus_one() -> None:
    numbered = {name.removeprefix("PHASE_"): number for name, number in state_pb2.Phase.items()}
    assert numbered.pop("UNSPECIFIED") == 0
    assert numbered == {name: index + 1 for index, name in enumerate(at.PHASES)}


def test_what_earlier_phases_left_is_not_sent() -> None:
    state = play(lay(3), "ACT_PLACE PLACE:NAM PLACE_N:1")
    assert state.province == 8
    message = message_of(state)
    assert message.pending_province == 0
    assert message.phase == state_pb2.PHASE_TURN


def test_a_finished_game_has_no_seat() -> None:
    assert message_of(lay(3, phase="END", seat=None, marker=0)).seat == -1


def test_every_option_is_carried() -> None:
    options = {
        "rulebook": "de",
        "congress_on_empty": True,
        "virtual_discs": 16,
        "virtual_can_win": False,
        "bank": 37,
        "max_rounds": 7,
    }
    state = GAME.new_state(2, GAME.parse_options(options))
    decoded = GAME.observed(GAME.encode_observation(state, 1)[1]).to_json()
    assert decoded["options"] == {**options, "queen_scope": "occupied_by_others"}
