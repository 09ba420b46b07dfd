"""The examples of the rulebooks, V01 to V14 of the rules' section 6.1."""

from __future__ import annotations

import pytest

from engine.games.foreign_king import GAME
from tests.engine.games.foreign_king.table import discs_in, factories_in, finish, lay, legal, phase, play

PROVINCES = ("ANT", "BRA", "WFL", "EFL", "HAI", "LIE", "LIM", "LUX", "NAM")


@pytest.mark.parametrize(
    ("scope", "through_the_queen"),
    [
        ("any", {"BUILD", "PLACE", "MOVE", "CONGRESS", "COINS", "KING", "CHANGE"}),
        ("occupied_by_others", {"BUILD", "CONGRESS", "COINS"}),
    ],
)
def test_v01_four_pawns_on_the_action_table(scope: str, through_the_queen: set[str]) -> None:
    red, blue, green, purple = range(4)
    state = lay(
        4,
        pawns={blue: "BUILD", green: "CONGRESS", purple: "COINS", red: "PLACE"},
        discs={"HAI": [1]},
        options={"queen_scope": scope},
    )
    assert legal(state) == ["ACT_MOVE", "ACT_KING", "ACT_QUEEN", "ACT_CHANGE"]
    play(state, "ACT_QUEEN")
    assert set(legal(state)) == {f"ACT_{space}" for space in through_the_queen}


def test_v01_the_queen_builds_only_with_three_more_francs() -> None:
    state = lay(4, pawns={1: "BUILD", 2: "CONGRESS", 3: "COINS", 0: "PLACE"}, francs=[4, 6, 7, 8])
    assert "ACT_BUILD" not in legal(play(state, "ACT_QUEEN"))


def test_v02_setup() -> None:
    data = GAME.new_state(4).to_json()
    assert data["francs"] == [5, 6, 7, 8]
    assert data["hand"] == [14] * 4
    assert data["marker"] == 30
    assert data["king"] == "portrait"
    assert data["scores"] == [0, 0, 0, 0]


def test_v03_placing_three_costs_two_francs() -> None:
    state = play(lay(3, francs=[2, 6, 7]), "ACT_PLACE PLACE:BRA PLACE_N:3")
    assert state.to_json()["francs"][0] == 0
    assert state.to_json()["hand"][0] == 11
    assert discs_in(state, "BRA") == [3, 0, 0]


def test_v04_a_loan_and_its_repayment() -> None:
    state = play(lay(3, francs=[1, 6, 7], factories={"LIE": "M"}), "LOAN")
    assert state.to_json()["francs"][0] == 4
    assert (state.to_json()["medals"][0], state.to_json()["loans"][0]) == (1, 1)
    play(state, "ACT_PLACE PLACE:BRA PLACE_N:1 REPAY")
    assert state.to_json()["francs"][0] == 0
    assert (state.to_json()["medals"][0], state.to_json()["loans"][0]) == (1, 0)


def test_v05_the_congress_is_asked_by_size_then_by_order() -> None:
    green, red, purple = 0, 1, 2
    state = lay(3, active=red, order=[green, red, purple], congress=[3, 3, 2], discs={"LIE": [1]})
    play(state, "ACT_KING KING_TO:LIE")
    assert state.seat() == green
    assert legal(state) == ["CONGRESS_GO", "CONGRESS_STAY"]
    play(state, "CONGRESS_STAY")
    assert state.seat() == red
    play(state, "CONGRESS_GO")
    assert state.to_json()["congress"] == [3, 0, 2]
    assert discs_in(state, "LIE") == [1, 3, 0]
    assert phase(state) == "TURN", "purple is not asked"


def test_v06_the_second_in_the_congress_accepts_and_scores() -> None:
    green, red, blue = 0, 1, 2
    state = lay(3, active=green, congress=[0, 3, 2], discs={"LIE": [1]}, factories={"LIE": "T"})
    play(state, "ACT_KING KING_TO:LIE")
    assert state.seat() == red
    play(state, "CONGRESS_STAY")
    assert state.seat() == blue
    play(state, "CONGRESS_GO")
    assert state.to_json()["congress"] == [0, 3, 0]
    assert discs_in(state, "LIE") == [1, 0, 2]
    assert factories_in(state, "LIE") == "t"
    assert state.to_json()["scores"] == [0, 0, 3]


def test_v07_a_lone_colour_scores_a_textile_factory() -> None:
    state = lay(3, discs={"LIE": [0, 4]}, factories={"LIE": "T"})
    play(state, "ACT_KING KING_TO:LIE")
    assert state.to_json()["scores"] == [0, 3, 0]
    assert factories_in(state, "LIE") == "t"


def test_v08_the_majority_scores_both_factories() -> None:
    state = lay(3, discs={"NAM": [3, 2]}, factories={"NAM": "MT"})
    play(state, "ACT_KING KING_TO:NAM")
    assert state.to_json()["scores"] == [9, 0, 0]
    assert factories_in(state, "NAM") == "mt"


def test_v09_a_point_for_three_discs_without_industry() -> None:
    state = play(lay(3, discs={"LUX": [6]}), "ACT_KING KING_TO:LUX")
    assert state.to_json()["scores"] == [2, 0, 0]


@pytest.mark.parametrize("province", PROVINCES)
def test_v10_from_the_portrait_the_king_goes_anywhere_for_one_step_of_the_marker(province: str) -> None:
    state = play(lay(3, francs=[5, 6, 7]), f"ACT_KING KING_TO:{province}")
    assert state.to_json()["king"] == province
    assert state.to_json()["marker"] == 29
    assert state.to_json()["francs"][0] == 5


@pytest.mark.parametrize(
    ("units", "virtual_discs"),
    [
        ("VIRT_PLACE:LIE VIRT_PLACE:ANT", {"HAI": 1, "LIE": 1, "ANT": 1}),
        ("VIRT_FROM:HAI VIRT_TO:WFL VIRT_FROM:WFL VIRT_TO:HAI", {"HAI": 1}),
        ("VIRT_PLACE:LIE VIRT_FROM:HAI VIRT_TO:BRA", {"LIE": 1, "BRA": 1}),
        ("VIRT_FROM:HAI VIRT_TO:BRA VIRT_FROM:BRA VIRT_TO:LIE", {"LIE": 1}),
        ("VIRT_PLACE:LUX VIRT_FROM:LUX VIRT_TO:NAM", {"HAI": 1, "NAM": 1}),
    ],
)
def test_v11_three_points_give_the_opponent_two_units(units: str, virtual_discs: dict[str, int]) -> None:
    state = lay(2, discs={"LUX": [9], "HAI": [0, 0, 1]})
    play(state, "ACT_KING KING_TO:LUX")
    assert state.to_json()["scores"] == [3, 0, 0]
    assert state.seat() == 1
    play(state, units)
    assert phase(state) == "TURN"
    found = {name: discs_in(state, name)[2] for name in PROVINCES if discs_in(state, name)[2]}
    assert found == virtual_discs


def test_v12_one_point_gives_no_unit() -> None:
    state = play(lay(2, discs={"LUX": [5]}), "ACT_KING KING_TO:LUX")
    assert state.to_json()["scores"] == [1, 0, 0]
    assert phase(state) == "TURN"


def test_v13_two_claims_for_the_order() -> None:
    a, b, c, d = range(4)
    state = lay(4, francs=[5, 6, 7, 8])
    play(state, "ACT_COINS ACT_CHANGE ACT_PLACE PLACE:BRA PLACE_N:1 ACT_QUEEN ACT_CHANGE")
    assert phase(state) == "ORDER"
    assert state.seat() == b
    play(state, "ORDER_POS:1")
    assert state.seat() == d
    play(state, "ORDER_POS:1")
    assert state.to_json()["order"] == [d, b, a, c]
    assert state.to_json()["francs"] == [8, 6 + 1, 7, 8 - 2 + 1]
    assert state.to_json()["round"] == 2
    assert state.seat() == d


def test_v14_coins_count_textile_factories_of_either_side_under_a_majority() -> None:
    state = lay(3, francs=[0, 6, 7], discs={"LIE": [2, 1], "HAI": [1, 1]}, factories={"LIE": "TtM", "HAI": "t"})
    finish(play(state, "ACT_COINS"))
    assert state.to_json()["francs"][0] == 5
