"""The King: walks, marker, Congress, scoring (R10) and the virtual player's answer (R14)."""

from __future__ import annotations

import pytest

from engine.games.foreign_king.board import DISTANCE, NEIGHBOURS, PROVINCES, WALK_LENGTHS
from tests.engine.games.foreign_king.table import discs_in, factories_in, lay, legal, phase, play


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
