"""The clarifications K1 to K18, which win over the rest of the rules."""

from __future__ import annotations

import pytest

from engine.games.foreign_king import GAME
from engine.games.foreign_king.state import ForeignKingState
from tests.engine.games.foreign_king.table import lay, legal, phase, play

ONE_MEDAL = {"LIE": "M"}


def test_k1_post_is_skipped_without_loan_or_repayment() -> None:
    assert phase(play(lay(3), "ACT_COINS")) == "TURN"
    broke = lay(3, factories=ONE_MEDAL, loans=[1, 0, 0], francs=[0, 6, 7])
    assert phase(play(broke, "ACT_PLACE PLACE:BRA PLACE_N:1")) == "TURN"


def test_k1_post_ends_only_with_end_turn() -> None:
    state = play(lay(3, factories=ONE_MEDAL), "ACT_COINS LOAN")
    assert legal(state) == ["END_TURN"]
    assert state.seat() == 0


def test_k1_borrowing_and_repaying_are_not_mixed_in_one_post() -> None:
    state = lay(3, factories={"LIE": "M", "BRA": "T", "HAI": "T"}, loans=[1, 0, 0], francs=[9, 6, 7])
    play(state, "ACT_COINS")
    assert legal(state) == ["LOAN", "REPAY", "END_TURN"]
    assert legal(play(state.clone(), "LOAN")) == ["LOAN", "END_TURN"]
    assert legal(play(state.clone(), "REPAY")) == ["END_TURN"]


def test_k1_both_kinds_are_open_in_the_last_turn_of_a_game() -> None:
    state = lay(3, factories={"LIE": "M", "BRA": "T"}, loans=[1, 0, 0], marker=1, discs={"HAI": [1]})
    play(state, "ACT_KING KING_TO:HAI")
    assert legal(state) == ["LOAN", "REPAY", "END_TURN"]
    assert play(state, "LOAN END_TURN").seat() is None


def test_k2_inactivate_needs_an_active_factory() -> None:
    state = lay(3, discs={"BRA": [1, 1]}, factories={"BRA": "mt"})
    assert phase(play(state, "ACT_KING KING_TO:BRA")) == "POST"


def stuck(**values: object) -> ForeignKingState:
    """A of two seats has all discs in the Congress, Coins and King are barred."""
    return lay(2, pawns={0: "KING", 1: "COINS"}, congress=[15, 0], **values)  # type: ignore[arg-type]


def test_k3_a_loan_must_be_taken_if_it_makes_an_action_available() -> None:
    state = stuck(factories={"LIE": "M"}, francs=[0, 6])
    assert legal(state) == ["LOAN"]
    assert legal(play(state, "LOAN")) == ["ACT_BUILD"]


def test_k3_pass_is_alone_even_with_medals_face_up() -> None:
    state = stuck(factories={"ANT": "MMMMM", "BRA": "TTTTT"}, francs=[0, 6])
    assert legal(state) == ["PASS"]
    assert legal(play(state, "PASS")) == ["LOAN", "END_TURN"], "POST follows as usual"


def test_k3_pass_when_even_all_loans_are_too_little() -> None:
    assert legal(stuck(factories={"LIE": "M"}, medals=[0, 1], francs=[2, 6])) == ["PASS"]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_k4_seats_are_in_the_initial_order(seats: int) -> None:
    data = GAME.new_state(seats).to_json()
    assert data["order"] == list(range(seats))
    assert data["francs"] == [5, 6, 7, 8][:seats]


def test_k5_destinations_of_a_move_ascend_with_the_hand_last() -> None:
    state = play(lay(3, discs={"BRA": [4]}), "ACT_MOVE MOVE_FROM:BRA MOVE_TO:HAI")
    assert legal(state) == [
        "MOVE_TO:HAI",
        "MOVE_TO:LIE",
        "MOVE_TO:LIM",
        "MOVE_TO:LUX",
        "MOVE_TO:NAM",
        "MOVE_OFF",
        "MOVE_STOP",
    ]
    assert legal(play(state, "MOVE_OFF")) == ["MOVE_OFF", "MOVE_STOP"]


def test_k5_a_move_ends_by_itself_when_the_source_is_empty() -> None:
    assert phase(play(lay(3, discs={"BRA": [1]}), "ACT_MOVE MOVE_FROM:BRA MOVE_TO:HAI")) == "TURN"


def test_k5_a_move_ends_by_itself_when_the_francs_are_used_up() -> None:
    state = play(lay(3, discs={"BRA": [4]}, francs=[1, 6, 7]), "ACT_MOVE MOVE_FROM:BRA MOVE_TO:LUX")
    assert phase(state) == "TURN"
    assert state.to_json()["francs"][0] == 0


def test_k5_far_provinces_need_francs() -> None:
    state = play(lay(3, discs={"WFL": [2]}, francs=[0, 6, 7]), "ACT_MOVE MOVE_FROM:WFL")
    assert legal(state) == ["MOVE_TO:EFL", "MOVE_TO:HAI", "MOVE_OFF"]


def test_k6_claims_lapse_when_the_game_ends_after_the_last_turn_of_a_round() -> None:
    state = lay(3, active=2, claims=[0], pawns={0: "CHANGE"}, marker=1, king="LIM")
    play(state, "ACT_KING KING_TO:ANT KING_LEN:1")
    assert state.seat() is None
    assert state.to_json()["claims"] == []


def test_k6_claims_lapse_at_max_rounds() -> None:
    state = lay(3, active=2, claims=[0], pawns={0: "CHANGE"}, options={"max_rounds": 1})
    assert play(state, "ACT_COINS").seat() is None


FIRST_AND_LAST = {
    "ACT_BUILD": 0,
    "ACT_CHANGE": 7,
    "LOAN": 8,
    "REPAY": 9,
    "END_TURN": 10,
    "PASS": 11,
    "BUILD:ANT:M": 12,
    "BUILD:ANT:T": 13,
    "BUILD:BRA:M": 14,
    "BUILD:NAM:T": 29,
    "PLACE:ANT": 30,
    "PLACE:NAM": 38,
    "PLACE_N:1": 39,
    "PLACE_N:15": 53,
    "MOVE_FROM:ANT": 54,
    "MOVE_FROM:NAM": 62,
    "MOVE_TO:ANT": 63,
    "MOVE_TO:NAM": 71,
    "MOVE_OFF": 72,
    "MOVE_STOP": 73,
    "CONGRESS_FROM:ANT": 74,
    "CONGRESS_FROM:NAM": 82,
    "CONGRESS_FROM_HAND": 83,
    "KING_TO:ANT": 84,
    "KING_TO:NAM": 92,
    "KING_LEN:1": 93,
    "KING_LEN:8": 100,
    "CONGRESS_GO": 101,
    "CONGRESS_STAY": 102,
    "INACT_NONE": 103,
    "INACT_METAL": 104,
    "INACT_TEXTILE": 105,
    "ORDER_POS:1": 106,
    "ORDER_POS:4": 109,
    "VIRT_PLACE:ANT": 110,
    "VIRT_PLACE:NAM": 118,
    "VIRT_FROM:ANT": 119,
    "VIRT_FROM:NAM": 127,
    "VIRT_TO:ANT": 128,
    "VIRT_TO:NAM": 136,
}


def test_k7_ids() -> None:
    assert {text: GAME.actions.parse(text) for text in FIRST_AND_LAST} == FIRST_AND_LAST
    assert len(GAME.actions) == 137


@pytest.mark.parametrize(
    ("place", "order"), [(1, [1, 0, 2, 3]), (2, [0, 1, 2, 3]), (3, [0, 2, 1, 3]), (4, [0, 2, 3, 1])]
)
def test_k8_the_place_is_the_final_one(place: int, order: list[int]) -> None:
    state = lay(4, active=3, claims=[1], pawns={1: "CHANGE"})
    play(state, f"ACT_COINS ORDER_POS:{place}")
    assert state.to_json()["order"] == order


def test_k9_two_players_one_of_them_without_congressmen() -> None:
    state = play(lay(2, congress=[0, 2], discs={"BRA": [1]}), "ACT_KING KING_TO:BRA")
    assert state.to_json()["pending"] == {"asked": [1]}


def test_k9_two_players_both_present_the_larger_first() -> None:
    state = play(lay(2, congress=[1, 2], discs={"BRA": [1]}), "ACT_KING KING_TO:BRA")
    assert state.to_json()["pending"] == {"asked": [1, 0]}


def test_k10_when_things_are_paid_and_moved() -> None:
    state = lay(4, king="WFL", francs=[9, 6, 7, 8], discs={"HAI": [2]})
    play(state, "ACT_QUEEN")
    assert state.to_json()["pawns"][0] == "ACT_QUEEN"
    assert state.to_json()["francs"][0] == 7
    building = play(state.clone(), "ACT_BUILD")
    assert building.to_json()["francs"][0] == 7
    assert play(building, "BUILD:ANT:M").to_json()["francs"][0] == 4
    placing = play(state.clone(), "ACT_PLACE PLACE:ANT")
    assert placing.to_json()["francs"][0] == 7
    assert play(placing, "PLACE_N:3").to_json()["francs"][0] == 5
    walking = play(state.clone(), "ACT_KING KING_TO:LUX")
    assert (walking.to_json()["king"], walking.to_json()["marker"]) == ("WFL", 30)
    play(walking, "KING_LEN:3")
    assert (walking.to_json()["king"], walking.to_json()["marker"]) == ("LUX", 26)
    assert walking.to_json()["francs"][0] == 5
    moving = play(state.clone(), "ACT_MOVE MOVE_FROM:HAI MOVE_TO:LUX")
    assert moving.to_json()["discs"]["LUX"][0] == 1
    assert moving.to_json()["francs"][0] == 7
    assert play(moving, "MOVE_STOP").to_json()["francs"][0] == 6


def test_k10_a_claim_is_made_when_the_action_is_chosen() -> None:
    assert play(lay(3), "ACT_CHANGE").to_json()["claims"] == [0]


def test_k11_phases_and_rounds() -> None:
    state = play(lay(2, discs={"LUX": [6], "HAI": [0, 0, 1]}), "ACT_KING KING_TO:LUX VIRT_FROM:HAI")
    assert phase(state) == "VIRT_TO"
    assert state.to_json()["discs"]["HAI"][2] == 1, "a virtual disc moves at VIRT_TO"
    assert GAME.new_state(3).to_json()["round"] == 1
    ordering = play(lay(3, active=2, claims=[0], pawns={0: "CHANGE"}), "ACT_COINS")
    assert ordering.to_json()["round"] == 1
    assert play(ordering, "ORDER_POS:3").to_json()["round"] == 2


def test_k11_the_end_check_comes_after_post() -> None:
    state = lay(3, factories=ONE_MEDAL, marker=1, discs={"HAI": [1]})
    play(state, "ACT_KING KING_TO:HAI")
    assert phase(state) == "POST"
    assert phase(play(state, "END_TURN")) == "END"


def test_k15_a_loan_is_legal_with_an_empty_bank() -> None:
    state = lay(3, factories=ONE_MEDAL, francs=[30, 4, 2], options={"bank": 37})
    play(state, "LOAN")
    assert state.to_json()["francs"][0] == 31
    assert state.to_json()["loans"][0] == 1


def test_k15_coins_and_change_order_are_performable_for_nothing() -> None:
    state = lay(3, francs=[31, 4, 2], options={"bank": 37})
    assert {"ACT_COINS", "ACT_CHANGE"} <= set(legal(state))
    assert play(state.clone(), "ACT_COINS").to_json()["francs"][0] == 31
    play(state, "ACT_CHANGE")
    assert (state.to_json()["francs"][0], state.to_json()["claims"]) == (31, [0])


def test_k15_all_loans_are_capped_by_the_bank() -> None:
    poor = {"factories": {"LIE": "M"}, "options": {"bank": 37}}
    assert legal(stuck(francs=[1, 35], **poor)) == ["PASS"]
    assert legal(stuck(francs=[1, 34], **poor)) == ["LOAN"]
    assert legal(stuck(francs=[0, 35], **poor)) == ["PASS"], "two Francs do not pay a factory"


def test_k16_the_queen_reaches_occupied_spaces_only() -> None:
    scope = {"queen_scope": "occupied_by_others"}
    state = lay(4, pawns={1: "BUILD", 2: "KING", 0: "COINS"}, options=scope)
    assert legal(play(state.clone(), "ACT_QUEEN")) == ["ACT_BUILD", "ACT_KING"]
    poor = lay(4, pawns={1: "BUILD", 2: "KING", 0: "COINS"}, options=scope, francs=[4, 6, 7, 8])
    assert legal(play(poor, "ACT_QUEEN")) == ["ACT_KING"]


def test_k16_the_queen_is_not_available_without_a_space_she_reaches() -> None:
    scope = {"queen_scope": "occupied_by_others"}
    assert "ACT_QUEEN" not in legal(lay(4, options=scope)), "no pawn is on the table yet"
    assert "ACT_QUEEN" not in legal(lay(4, pawns={1: "BUILD"}, francs=[4, 6, 7, 8], options=scope))
    assert "ACT_QUEEN" not in legal(lay(4, pawns={0: "KING"}, options=scope)), "his own pawn does not count"
    assert "ACT_QUEEN" in legal(lay(4, pawns={1: "KING"}, options=scope))


def test_k17_an_empty_province_and_a_congress_that_stays() -> None:
    state = lay(3, congress=[0, 2, 1], factories={"BRA": "M"}, options={"congress_on_empty": True})
    play(state, "ACT_KING KING_TO:BRA CONGRESS_STAY CONGRESS_STAY")
    assert phase(state) == "POST"
    assert state.to_json()["scores"] == [0, 0, 0]
    assert state.to_json()["factories"]["BRA"]["M"] == 1


def test_k18_a_single_option_overrides_the_preset() -> None:
    assert GAME.parse_options({"rulebook": "de"}).queen_scope == "occupied_by_others"
    assert GAME.parse_options({"rulebook": "de", "queen_scope": "any"}).queen_scope == "any"
    assert GAME.parse_options({"queen_scope": "any", "rulebook": "de"}).queen_scope == "any"
