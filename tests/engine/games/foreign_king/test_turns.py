"""Rounds, turns, availability, building, discs, coins (R2 to R9, R11, R12), the King (R10) and their corner cases."""

from __future__ import annotations

import pytest

from engine.games.foreign_king import GAME
from engine.games.foreign_king.board import DISTANCE, NEIGHBOURS, PROVINCES, WALK_LENGTHS
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


def test_the_map_has_nine_provinces_and_sixteen_borders() -> None:
    assert len(PROVINCES) == 9
    assert sum(map(len, NEIGHBOURS)) == 2 * 16
    degrees = {name: len(NEIGHBOURS[index]) for index, name in enumerate(PROVINCES)}
    assert degrees == {"ANT": 3, "BRA": 6, "WFL": 2, "EFL": 4, "HAI": 4, "LIE": 4, "LIM": 3, "LUX": 2, "NAM": 4}
    assert max(max(row) for row in DISTANCE) == 3


def test_a2_every_length_from_the_distance_to_eight_exists_with_three_exceptions() -> None:
    shorter = {frozenset(("EFL", "HAI")), frozenset(("EFL", "LIE")), frozenset(("LIE", "NAM"))}
    for start, here in enumerate(PROVINCES):
        for end, there in enumerate(PROVINCES):
            last = 7 if frozenset((here, there)) in shorter else 8
            expected = set() if start == end else set(range(DISTANCE[start][end], last + 1))
            assert WALK_LENGTHS[start][end] == expected


def test_a1_one_step_costs_the_marker_two() -> None:
    assert play(lay(3, king="LIM"), "ACT_KING KING_TO:ANT KING_LEN:1").to_json()["marker"] == 28


def test_c5_the_king_never_comes_back_to_his_start() -> None:
    state = play(lay(3, king="BRA", francs=[20, 6, 7]), "ACT_KING")
    assert legal(state) == [f"KING_TO:{name}" for name in PROVINCES if name != "BRA"]


@pytest.mark.parametrize(("francs", "longest"), [(1, 2), (3, 4), (7, 8), (20, 8)])
def test_r10_a_walk_of_n_steps_costs_n_less_one(francs: int, longest: int) -> None:
    state = play(lay(3, king="BRA", francs=[francs, 6, 7]), "ACT_KING KING_TO:LUX")
    assert legal(state) == [f"KING_LEN:{n}" for n in range(2, longest + 1)]


def test_r10_without_francs_the_king_goes_over_one_border() -> None:
    state = play(lay(3, king="LUX", francs=[0, 6, 7]), "ACT_KING")
    assert legal(state) == ["KING_TO:LIE", "KING_TO:NAM"]


def test_a5_the_marker_bounds_the_king_actions_to_sixteen() -> None:
    state = play(lay(2), "ACT_KING KING_TO:ANT")
    kings = 1
    while state.seat() is not None:
        if "ACT_KING" in legal(state):
            play(state, f"ACT_KING KING_TO:{'ANT' if state.to_json()['king'] == 'BRA' else 'BRA'} KING_LEN:1")
            kings += 1
        else:
            play(state, "ACT_COINS" if "ACT_COINS" in legal(state) else "ACT_CONGRESS CONGRESS_FROM_HAND")
    assert kings == 16
    assert state.to_json()["marker"] == 0


def test_a10_the_majority_scores_whoever_moved_the_king() -> None:
    state = play(lay(3, discs={"LIE": [1, 3, 1]}, factories={"LIE": "M"}), "ACT_KING KING_TO:LIE")
    assert state.to_json()["scores"] == [0, 6, 0]


def test_a11_all_active_factories_score_and_close_beside_inactive_ones() -> None:
    state = play(lay(3, discs={"LIE": [2, 1]}, factories={"LIE": "MMTmt"}), "ACT_KING KING_TO:LIE")
    assert state.to_json()["scores"] == [15, 0, 0]
    assert factories_in(state, "LIE") == "mmmtt"


def test_a13_the_mover_is_ranked_like_everybody_else() -> None:
    state = play(lay(3, congress=[3, 1, 0], discs={"LIE": [1]}), "ACT_KING KING_TO:LIE")
    assert state.seat() == 0


def test_a14_a_change_claimed_this_round_does_not_count_yet() -> None:
    state = lay(3, active=2, claims=[1], pawns={1: "CHANGE"}, congress=[2, 2, 0], discs={"LIE": [1]})
    assert play(state, "ACT_KING KING_TO:LIE").seat() == 0


def test_r10_the_first_to_accept_brings_all_his_congressmen() -> None:
    state = play(lay(3, congress=[2, 3, 1], discs={"LIE": [1]}), "ACT_KING KING_TO:LIE CONGRESS_GO")
    assert state.to_json()["congress"] == [2, 0, 1]
    assert discs_in(state, "LIE") == [1, 3, 0]
    assert state.to_json()["scores"] == [0, 1, 0]


def test_c9_the_opponent_of_the_scorer_uses_all_units() -> None:
    state = play(lay(2, discs={"LIE": [2]}, factories={"LIE": "M"}), "ACT_KING KING_TO:LIE")
    assert state.to_json()["pending"] == {"units": 5}
    for _ in range(5):
        assert state.seat() == 1
        play(state, "VIRT_PLACE:LUX")
    assert phase(state) == "POST"
    assert state.seat() == 0
    assert discs_in(state, "LUX") == [0, 0, 5]


def test_a42_the_scorer_need_not_be_the_mover() -> None:
    state = play(lay(2, discs={"LIE": [0, 2]}, factories={"LIE": "T"}), "ACT_KING KING_TO:LIE")
    assert state.to_json()["scores"] == [0, 3, 0]
    assert state.seat() == 0, "the mover answers, being the scorer's opponent"


def test_a39_a40_the_virtual_player_scores_and_nobody_answers() -> None:
    state = play(lay(2, discs={"LIE": [0, 1, 2]}, factories={"LIE": "M"}, medals=[0, 1]), "ACT_KING KING_TO:LIE")
    assert state.to_json()["scores"] == [0, 0, 6]
    assert factories_in(state, "LIE") == "m"
    assert phase(state) == "TURN"


def test_a42_without_supply_only_discs_on_the_map_move() -> None:
    state = play(lay(2, discs={"LIE": [9], "ANT": [0, 0, 14], "WFL": [0, 0, 1]}), "ACT_KING KING_TO:LIE")
    assert legal(state) == ["VIRT_FROM:ANT", "VIRT_FROM:WFL"]
    assert legal(play(state, "VIRT_FROM:WFL")) == ["VIRT_TO:EFL", "VIRT_TO:HAI"]


def test_a43_the_answer_to_the_last_scoring_is_still_carried_out() -> None:
    state = play(lay(2, marker=1, discs={"LIE": [9]}), "ACT_KING KING_TO:LIE")
    assert phase(state) == "VIRT"
    assert play(state, "VIRT_PLACE:ANT VIRT_PLACE:ANT").seat() is None


def test_a42_the_largest_scoring_there_can_be() -> None:
    state = play(lay(2, discs={"LIE": [1]}, factories={"LIE": "MMMMMTTTTT"}), "ACT_KING KING_TO:LIE")
    assert state.to_json()["scores"][0] == 45
    assert state.to_json()["pending"] == {"units": 44}
