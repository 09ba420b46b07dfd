"""Rounds, turns, availability, building, discs, coins: R2 to R9, R11, R12 and their corner cases."""

from __future__ import annotations

import pytest

from engine.games.foreign_king import GAME
from tests.engine.games.foreign_king.table import discs_in, factories_in, lay, legal, phase, play


@pytest.mark.parametrize(("seats", "missing"), [(2, {"ACT_QUEEN", "ACT_CHANGE"}), (3, {"ACT_QUEEN"}), (4, set())])
def test_r4_which_spaces_exist(seats: int, missing: set[str]) -> None:
    spaces = {f"ACT_{name}" for name in ("BUILD", "PLACE", "CONGRESS", "COINS", "KING", "QUEEN", "CHANGE")}
    assert set(legal(GAME.new_state(seats))) == spaces - missing, "A29: no pawn is on the table; nobody can move a disc"


def test_r3_turns_follow_the_order_track() -> None:
    state = lay(3, order=[2, 0, 1], active=2)
    assert play(state, "ACT_COINS").seat() == 0
    assert play(state, "ACT_KING KING_TO:ANT").seat() == 1
    assert play(state, "ACT_CHANGE").seat() == 1, "the claim comes before the next round"
    assert play(state, "ORDER_POS:1 ACT_PLACE PLACE:ANT PLACE_N:1").seat() == 2


def test_r4_pawns_bar_their_spaces_also_to_their_owners() -> None:
    state = lay(3, pawns={0: "COINS", 1: "KING", 2: "CONGRESS"})
    assert legal(state) == ["ACT_BUILD", "ACT_PLACE", "ACT_CHANGE"]


def test_r4_a_space_is_free_again_when_its_pawn_leaves() -> None:
    state = play(lay(3, pawns={0: "COINS", 1: "KING", 2: "CONGRESS"}), "ACT_CHANGE")
    assert "ACT_COINS" in legal(state)
    assert "ACT_CHANGE" not in legal(state)


def test_r5_building_anywhere_gives_a_medal_for_the_first_factory_ever() -> None:
    state = lay(3, factories={"LIE": "t"})
    assert play(state.clone(), "ACT_BUILD BUILD:LIE:M").to_json()["medals"] == [1, 0, 0]
    play(state, "ACT_BUILD BUILD:BRA:T")
    assert state.to_json()["medals"] == [2, 0, 0]
    assert factories_in(state, "BRA") == "T"
    assert state.to_json()["supply"] == {"M": 5, "T": 3}


def test_c20_only_types_left_in_the_supply_are_built() -> None:
    one_left = play(lay(3, factories={"LIE": "MMMMM"}), "ACT_BUILD")
    assert len(legal(one_left)) == 9
    assert all(text.endswith(":T") for text in legal(one_left))
    assert "ACT_BUILD" not in legal(lay(3, factories={"LIE": "MMMMM", "BRA": "TTTTT"}))


def test_r5_a_factory_costs_three_francs() -> None:
    assert "ACT_BUILD" not in legal(lay(3, francs=[2, 6, 7]))


def test_a16_a_loan_may_pay_a_factory() -> None:
    state = lay(3, factories={"LIE": "M"}, francs=[1, 6, 7])
    assert "ACT_BUILD" not in legal(state)
    assert "ACT_BUILD" in legal(play(state, "LOAN"))


def test_a17_a_medal_face_down_gives_no_second_loan() -> None:
    state = play(lay(3, factories={"LIE": "M"}), "LOAN")
    assert "LOAN" not in legal(state)


def test_r6_placing_is_limited_by_hand_and_francs() -> None:
    rich = play(lay(3, discs={"LIE": [11]}, francs=[9, 6, 7]), "ACT_PLACE PLACE:BRA")
    assert legal(rich) == ["PLACE_N:1", "PLACE_N:2", "PLACE_N:3"]
    poor = play(lay(3, francs=[0, 6, 7]), "ACT_PLACE PLACE:BRA")
    assert legal(poor) == ["PLACE_N:1"]


def test_a35_nobody_places_from_an_empty_hand() -> None:
    assert "ACT_PLACE" not in legal(lay(3, discs={"LIE": [14]}))


def test_r6_all_fifteen_of_two_players_can_be_placed_at_once() -> None:
    state = play(lay(2, francs=[14, 6]), "ACT_PLACE PLACE:BRA PLACE_N:15")
    assert discs_in(state, "BRA") == [15, 0, 0]
    assert state.to_json()["francs"][0] == 0


def test_r7_a_move_needs_a_disc_in_a_province() -> None:
    assert "ACT_MOVE" not in legal(lay(3, congress=[3, 0, 0])), "C13: not from the Congress"


def test_r7_discs_of_one_source_go_several_ways_at_their_distance() -> None:
    state = lay(3, francs=[9, 6, 7], discs={"WFL": [3]})
    play(state, "ACT_MOVE MOVE_FROM:WFL MOVE_TO:EFL MOVE_TO:LUX MOVE_OFF")
    assert state.to_json()["francs"][0] == 9 - (1 + 3 + 1 - 1)


@pytest.mark.parametrize(("source", "left"), [("CONGRESS_FROM_HAND", 12), ("CONGRESS_FROM:LIE", 13)])
def test_r8_a_congressman_comes_from_hand_or_province(source: str, left: int) -> None:
    state = play(lay(3, discs={"LIE": [1]}), "ACT_CONGRESS")
    assert legal(state) == ["CONGRESS_FROM:LIE", "CONGRESS_FROM_HAND"]
    play(state, source)
    assert state.to_json()["congress"] == [1, 0, 0]
    assert state.to_json()["hand"][0] == left


def test_r9_coins_without_textiles() -> None:
    assert play(lay(3), "ACT_COINS").to_json()["francs"][0] == 8


def test_a9_a_tie_for_most_is_no_majority_for_coins() -> None:
    state = lay(3, discs={"LIE": [2, 2, 1]}, factories={"LIE": "T"}, medals=[0, 0, 1])
    assert play(state, "ACT_COINS").to_json()["francs"][0] == 8


def test_a9_the_virtual_colour_takes_a_majority_like_any_other() -> None:
    state = lay(2, discs={"LIE": [2, 0, 2]}, factories={"LIE": "T"}, medals=[0, 1])
    assert play(state, "ACT_COINS").to_json()["francs"][0] == 8


def test_a21_after_the_queen_the_pawn_stands_on_hers() -> None:
    state = play(lay(4), "ACT_QUEEN ACT_COINS")
    assert state.to_json()["pawns"][0] == "ACT_QUEEN"
    assert "ACT_COINS" in legal(state), "the next seat finds Coins free"


def test_a22_the_queen_repeats_his_own_previous_action_but_not_herself() -> None:
    state = play(lay(4, pawns={0: "COINS"}), "ACT_QUEEN")
    assert "ACT_COINS" in legal(state)
    assert "ACT_QUEEN" not in legal(state)


def test_a24_the_queen_needs_two_francs_in_hand() -> None:
    assert "ACT_QUEEN" not in legal(lay(4, francs=[1, 6, 7, 8]))
    assert "ACT_QUEEN" in legal(lay(4, francs=[2, 6, 7, 8]))


def test_a25_change_order_through_the_queen_is_a_claim() -> None:
    state = play(lay(4, pawns={1: "CHANGE"}), "ACT_QUEEN ACT_CHANGE")
    assert state.to_json()["claims"] == [0]
    assert state.to_json()["pawns"][:2] == ["ACT_QUEEN", "ACT_CHANGE"]
    assert state.to_json()["francs"][0] == 5 - 2 + 1


def test_a26_claims_are_taken_in_the_order_they_were_made() -> None:
    state = lay(4)
    play(state, "ACT_QUEEN ACT_CHANGE ACT_CHANGE ACT_COINS ACT_KING KING_TO:ANT")
    assert phase(state) == "ORDER"
    assert state.to_json()["claims"] == [0, 1]
    assert state.seat() == 0
    assert play(state, "ORDER_POS:4").seat() == 1
    play(state, "ORDER_POS:1")
    assert state.to_json()["order"] == [1, 2, 3, 0]


def test_a26_a_pawn_left_on_change_order_is_no_claim() -> None:
    state = play(lay(3, active=2, pawns={0: "CHANGE"}), "ACT_COINS")
    assert phase(state) == "TURN"
    assert state.to_json()["round"] == 2


def test_a28_a_claimant_may_stay() -> None:
    state = play(lay(3, active=2, claims=[1], pawns={1: "CHANGE"}), "ACT_COINS")
    assert legal(state) == ["ORDER_POS:1", "ORDER_POS:2", "ORDER_POS:3"]
    assert play(state, "ORDER_POS:2").to_json()["order"] == [0, 1, 2]


def test_a48_a_trigger_in_the_middle_of_a_round_stops_it() -> None:
    state = lay(3, marker=1, claims=[0], pawns={0: "CHANGE"}, active=1)
    assert play(state, "ACT_KING KING_TO:ANT").seat() is None
