"""The examples of the rulebooks (V01 to V14) and the sharp corners (D01 to D18): sections 6.1 and 6.2 of the rules."""

from __future__ import annotations

import pytest

from engine.games.foreign_king import GAME, scoring
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


def test_d01_a_walk_of_three_steps() -> None:
    state = play(lay(3, king="WFL", marker=20, francs=[2, 6, 7]), "ACT_KING KING_TO:LUX KING_LEN:3")
    assert state.to_json()["francs"][0] == 0
    assert state.to_json()["marker"] == 16
    assert state.to_json()["king"] == "LUX"


def test_d02_what_one_franc_reaches() -> None:
    state = play(lay(3, king="WFL", francs=[1, 6, 7]), "ACT_KING")
    assert "KING_TO:LUX" not in legal(state)
    assert "KING_TO:WFL" not in legal(state)
    play(state, "KING_TO:HAI")
    assert legal(state) == ["KING_LEN:1", "KING_LEN:2"], "the second leads over EFL"


@pytest.mark.parametrize(("choice", "left"), [("INACT_NONE", "MTT"), ("INACT_METAL", "TTm"), ("INACT_TEXTILE", "MTt")])
def test_d03_without_a_majority_the_mover_may_close_one_factory(choice: str, left: str) -> None:
    state = lay(3, discs={"BRA": [2, 2]}, factories={"BRA": "MTT"})
    play(state, "ACT_KING KING_TO:BRA")
    assert legal(state) == ["INACT_NONE", "INACT_METAL", "INACT_TEXTILE"]
    play(state, choice)
    assert factories_in(state, "BRA") == left
    assert state.to_json()["scores"] == [0, 0, 0]


def test_d04_nothing_happens_in_an_empty_province() -> None:
    state = lay(3, congress=[0, 2, 0], factories={"BRA": "M"})
    finish(play(state, "ACT_KING KING_TO:BRA"))
    assert phase(state) == "TURN"
    assert factories_in(state, "BRA") == "M"


def test_d04_the_option_asks_the_congress_first() -> None:
    state = lay(3, congress=[0, 2, 0], factories={"BRA": "M"}, options={"congress_on_empty": "yes"})
    play(state, "ACT_KING KING_TO:BRA")
    assert phase(state) == "CONGRESS_ASK"
    play(state, "CONGRESS_GO")
    assert state.to_json()["scores"] == [0, 6, 0]


def test_d05_inactive_factories_leave_a_point_for_three_discs() -> None:
    state = play(lay(3, discs={"BRA": [5]}, factories={"BRA": "m"}), "ACT_KING KING_TO:BRA")
    assert state.to_json()["scores"] == [1, 0, 0]


def test_d06_no_points_for_discs_beside_an_active_factory() -> None:
    state = play(lay(3, discs={"BRA": [5]}, factories={"BRA": "T"}), "ACT_KING KING_TO:BRA")
    assert state.to_json()["scores"] == [3, 0, 0]


def test_d07_two_players_level_in_the_congress_are_not_asked() -> None:
    state = play(lay(2, congress=[2, 2], discs={"BRA": [1]}), "ACT_KING KING_TO:BRA")
    assert phase(state) == "TURN"


def test_d07_three_players_level_in_the_congress_are_asked_in_turn_order() -> None:
    state = lay(3, active=1, order=[2, 1, 0], congress=[2, 2, 0], discs={"BRA": [1]})
    play(state, "ACT_KING KING_TO:BRA")
    assert state.to_json()["pending"] == {"asked": [1, 0]}


def test_d08_the_marker_reaches_the_second_highest_score() -> None:
    state = lay(3, scores=[12, 10, 3], marker=12, king="LIM", francs=[0, 6, 7])
    play(state, "ACT_KING KING_TO:ANT KING_LEN:1")
    assert state.to_json()["marker"] == 10
    assert state.seat() is None


def test_d09_the_marker_passes_two_level_leaders() -> None:
    state = lay(3, scores=[10, 10, 0], marker=11, king="LIM")
    play(state, "ACT_KING KING_TO:ANT KING_LEN:1")
    assert state.to_json()["marker"] == 9
    assert state.seat() is None


def test_d10_the_marker_stops_at_zero() -> None:
    state = play(lay(2, marker=1, king="LIM"), "ACT_KING KING_TO:ANT KING_LEN:1")
    assert state.to_json()["marker"] == 0
    assert state.seat() is None


def test_d11_the_tenth_factory_must_be_built_too() -> None:
    nine = {"ANT": "mmmm", "BRA": "ttttt"}
    state = finish(play(lay(3, factories=nine, discs={"LIE": [1]}), "ACT_COINS"))
    assert state.seat() == 1, "nine built and inactive do not end the game"
    ten = lay(3, factories={**nine, "LIE": "M"}, discs={"LIE": [1]})
    finish(play(ten, "ACT_KING KING_TO:LIE"))
    assert ten.seat() is None
    outcome = ten.outcome()
    assert outcome is not None
    assert outcome.details["end"] == ["factories"]


def test_d12_final_scoring_of_three() -> None:
    state = lay(
        3,
        # Control 4, 4, 2: a province counts 1 and 1 more for each factory.
        discs={"ANT": [1], "LIM": [1], "BRA": [0, 1], "LIE": [0, 1], "NAM": [0, 0, 1]},
        factories={"ANT": "m", "LIM": "m", "BRA": "mt", "NAM": "t", "HAI": "t"},
        medals=[2, 1, 2],
        loans=[0, 1, 0],
        francs=[5, 5, 5],
    )
    assert scoring.control(state).weight == (4, 4, 2)
    assert scoring.breakdown(state) == {
        "play": [0, 0, 0],
        "loans": [0, -6, 0],
        "control": [4, 4, 0],
        "medals": [4, 0, 4],
        "congress": [0, 0, 0],
        "francs": [1, 1, 1],
    }


def test_d13_final_scoring_with_the_virtual_player() -> None:
    state = lay(
        2,
        discs={"ANT": [1], "BRA": [0, 1], "LIE": [0, 0, 1], "LUX": [0, 0, 1]},
        factories={"ANT": "mt", "LIE": "m"},
    )
    assert scoring.control(state).weight == (3, 1, 3)
    assert scoring.breakdown(state)["control"] == [4, 0]
    virtual = scoring.virtual_breakdown(state)
    assert virtual == {"play": 0, "control": 8, "provinces": 2, "industrialized": 3}
    assert sum(virtual.values()) == 13


def test_d14_a_move_of_three_discs() -> None:
    state = lay(3, francs=[3, 6, 7], discs={"HAI": [4]})
    play(state, "ACT_MOVE MOVE_FROM:HAI MOVE_TO:BRA MOVE_TO:LUX MOVE_OFF")
    assert phase(state) == "TURN", "no Franc is left, so the Move is over"
    assert state.to_json()["francs"][0] == 0
    assert discs_in(state, "HAI") == [1, 0, 0]
    assert discs_in(state, "BRA") == [1, 0, 0]
    assert discs_in(state, "LUX") == [1, 0, 0]
    assert state.to_json()["hand"][0] == 11


def test_d15_a_loan_before_and_a_repayment_after_one_action() -> None:
    state = lay(4, francs=[0, 6, 7, 8], discs={"LIE": [1]}, factories={"LIE": "T"})
    play(state, "LOAN ACT_QUEEN ACT_COINS REPAY")
    assert state.to_json()["francs"][0] == 1
    assert (state.to_json()["medals"][0], state.to_json()["loans"][0]) == (1, 0)


def test_d16_a_medal_just_won_gives_a_loan_at_once() -> None:
    state = play(lay(3), "ACT_BUILD BUILD:LIE:M")
    assert state.to_json()["medals"][0] == 1
    assert legal(state) == ["LOAN", "END_TURN"]
    assert play(state, "LOAN").to_json()["francs"][0] == 5 - 3 + 3


def test_d17_after_the_queen_only_the_queen_is_barred() -> None:
    state = lay(4, pawns={0: "QUEEN", 1: "COINS", 2: "PLACE", 3: "KING"}, factories={"LIE": "M"})
    assert "ACT_BUILD" in legal(state)
    assert "ACT_QUEEN" not in legal(state)


def test_d18_a_forced_pass() -> None:
    state = lay(
        2,
        pawns={0: "KING", 1: "COINS"},
        congress=[15, 0],
        factories={"ANT": "MMMMM", "BRA": "TTTTT"},
        medals=[0, 2],
    )
    assert legal(state) == ["PASS"]
    play(state, "PASS")
    assert state.to_json()["pawns"] == ["ACT_KING", "ACT_COINS"]
    assert state.seat() == 1
