"""Positions as JSON and as messages: they come back as they were, and what is wrong in them is named."""

from __future__ import annotations

from typing import Any

import pytest

from arena.games.foreign_king.v1 import state_pb2
from engine.core import PositionError
from engine.games.foreign_king import GAME
from engine.games.foreign_king import state as at
from engine.games.foreign_king.state import ForeignKingState
from tests.engine.games.foreign_king.table import lay, play

KING_PAWN = {0: "KING"}


def test_an_example_of_every_pending_key() -> None:
    table = {"discs": {"LUX": [6, 0, 1], "HAI": [2]}, "francs": [9, 9], "congress": [1, 2], "factories": {"ANT": "M"}}

    def after(notation: str) -> Any:
        return play(lay(2, **table), notation).to_json()["pending"]  # type: ignore[arg-type]

    assert after("ACT_BUILD") == {}
    assert after("ACT_PLACE PLACE:LIE") == {"province": "LIE"}
    assert after("ACT_MOVE MOVE_FROM:LUX") == {"province": "LUX", "steps": 0, "last": None}
    assert after("ACT_MOVE MOVE_FROM:LUX MOVE_TO:NAM") == {"province": "LUX", "steps": 1, "last": "NAM"}
    assert after("ACT_MOVE MOVE_FROM:LUX MOVE_OFF") == {"province": "LUX", "steps": 1, "last": "hand"}
    assert after("ACT_KING KING_TO:LUX") == {"asked": [1, 0]}
    assert after("ACT_KING KING_TO:LUX CONGRESS_STAY CONGRESS_STAY") == {"units": 1}
    assert after("ACT_KING KING_TO:LUX CONGRESS_STAY CONGRESS_STAY VIRT_FROM:LUX") == {"units": 1, "province": "LUX"}
    assert after("ACT_COINS") == {"used": None}
    assert after("ACT_COINS LOAN") == {"used": "LOAN"}


def test_partial_options_are_filled_in() -> None:
    data = GAME.new_state(2).to_json() | {"options": {"bank": 37}}
    assert GAME.state_from_json(data).to_json()["options"]["max_rounds"] == 100


@pytest.mark.parametrize(
    ("seats", "values", "complaint"),
    [
        (3, {"seats": 5}, "seats: expected an integer from 2 to 4"),
        (3, {"round": 0}, "round: expected an integer from 1 to 100"),
        (3, {"order": [0, 0, 1]}, "order: something is named twice"),
        (3, {"king": "PAR"}, "king: expected ANT"),
        (3, {"marker": 31}, "marker: expected an integer from 0 to 30"),
        (3, {"scores": [0, 0]}, "scores: expected a list of 3"),
        (3, {"scores": [0, 0, True]}, r"scores\[2\]: expected an integer"),
        (3, {"hand": [13, 14, 14]}, "colour 0 has 13 discs .* not 14"),
        (3, {"supply": {"M": 4, "T": 5}}, "4 factories of type M, not 5"),
        (3, {"medals": [1, 0, 0]}, "hold 1 medals, but 0 provinces"),
        (3, {"medals": [0, 0, 0], "loans": [1, 0, 0]}, "more open loans than medals"),
        (3, {"francs": [40, 0, 0], "options": {"bank": 37}}, "the bank option says 37"),
        (3, {"options": {"bank": 38}}, "options: option bank takes"),
        (3, {"pawns": ["ACT_QUEEN", None, None]}, "ACT_QUEEN is taken twice or does not exist"),
        (3, {"pawns": ["ACT_KING", "ACT_KING", None]}, "ACT_KING is taken twice"),
        (3, {"pawns": ["LOAN", None, None]}, r"pawns\[0\]: expected ACT_BUILD"),
        (2, {"claims": [0]}, "claims: expected a list of at most 0"),
        (4, {"claims": [0, 0]}, "claims: something is named twice"),
        (3, {"phase": "LUNCH"}, "phase: expected TURN"),
        (3, {"seat": 1}, "seat: in TURN 0 decides, not 1"),
        (3, {"seat": None}, "seat: in TURN 0 decides"),
        (3, {"pending": {"units": 1}}, "pending: there is no key 'units'"),
        (3, {"phase": "BUILD"}, "in BUILD the active pawn stands on ACT_BUILD"),
        (3, {"phase": "END", "seat": None}, "phase END: no end condition holds"),
        (3, {"phase": "ORDER"}, "seat: in ORDER"),
        (3, {"version": 2}, "version 1"),
        (3, {"game": "chess"}, "positions of foreign_king"),
    ],
)
def test_what_does_not_add_up_is_refused(seats: int, values: dict[str, Any], complaint: str) -> None:
    with pytest.raises(PositionError, match=complaint):
        GAME.state_from_json(GAME.new_state(seats).to_json() | values)


def in_phase(seats: int, phase: str, **values: Any) -> ForeignKingState:
    return lay(seats, phase=phase, **values)


@pytest.mark.parametrize(
    ("seats", "phase", "values", "complaint"),
    [
        (3, "BUILD", {"pawns": {0: "BUILD"}, "francs": [2, 6, 7]}, "a factory costs 3"),
        (3, "KING_LEN", {"pawns": KING_PAWN, "pending": {"province": "LIE"}}, "on his portrait"),
        (3, "KING_LEN", {"pawns": KING_PAWN, "king": "LIE", "pending": {"province": "LIE"}}, "no legal action"),
        (3, "CONGRESS_ASK", {"pawns": KING_PAWN, "pending": {"asked": [0]}}, "on his portrait"),
        (
            3,
            "CONGRESS_ASK",
            {"pawns": KING_PAWN, "king": "LIE", "congress": [1, 0, 0], "pending": {"asked": [0]}},
            "province is empty",
        ),
        (
            3,
            "CONGRESS_ASK",
            {"pawns": KING_PAWN, "king": "LIE", "congress": [1, 2, 0], "pending": {"asked": [0, 1]}},
            r"asked in the order \[1, 0\]",
        ),
        (3, "INACTIVATE", {"pawns": KING_PAWN, "king": "LIE", "discs": {"LIE": [1, 1]}}, "only in a province"),
        (3, "VIRT", {"pawns": KING_PAWN, "pending": {"units": 2}}, "only with 2 seats"),
        (2, "VIRT", {"pawns": KING_PAWN, "pending": {"units": 45}}, "from 1 to 44"),
        (2, "VIRT_TO", {"pawns": KING_PAWN, "pending": {"units": 2, "province": "LIE"}}, "no virtual disc"),
        (
            3,
            "MOVE_TO",
            {"pawns": {0: "MOVE"}, "pending": {"province": "LIE", "steps": 0, "last": None}},
            "the source has no own disc",
        ),
        (
            3,
            "MOVE_TO",
            {
                "pawns": {0: "MOVE"},
                "discs": {"LIE": [1]},
                "pending": {"province": "LIE", "steps": 6, "last": "LUX"},
            },
            "no Francs for one more step",
        ),
        (
            3,
            "MOVE_TO",
            {
                "pawns": {0: "MOVE"},
                "discs": {"LIE": [1]},
                "pending": {"province": "LIE", "steps": 1, "last": "LIE"},
            },
            "cannot go back",
        ),
        (
            3,
            "MOVE_TO",
            {
                "pawns": {0: "MOVE"},
                "discs": {"LIE": [1]},
                "pending": {"province": "LIE", "steps": 0, "last": "BRA"},
            },
            "expected null",
        ),
        (3, "PLACE_N", {"pawns": {0: "PLACE"}, "discs": {"LIE": [14]}, "pending": {"province": "LIE"}}, "no legal"),
        (3, "POST", {"pending": {"used": "PASS"}}, "pending.used"),
        (4, "ORDER", {"claims": [1], "active": 0, "seat": 1}, "not the claimant"),
    ],
)
def test_phases_that_do_not_fit_their_table_are_refused(
    seats: int, phase: str, values: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(PositionError, match=complaint):
        in_phase(seats, phase, **values)


def test_positions_with_different_pending_parts_differ() -> None:
    one, other = (play(GAME.new_state(3), f"ACT_PLACE PLACE:{name}") for name in ("LIE", "LUX"))
    assert one != other
    assert one != "a position"
    assert one == play(GAME.new_state(3), "ACT_PLACE PLACE:LIE")


def test_what_earlier_phases_left_does_not_count() -> None:
    slow = play(lay(3, discs={"LIE": [2]}, francs=[1, 6, 7]), "ACT_MOVE MOVE_FROM:LIE MOVE_TO:LUX MOVE_STOP")
    again = GAME.state_from_json(slow.to_json())
    assert again == slow
    assert "LUX" in repr(slow)


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
