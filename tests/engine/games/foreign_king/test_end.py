"""The three ends and final scoring (R15 to R17, A41, A44 to A54, K12 to K14); the evaluation is exact there."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import Outcome
from engine.games.foreign_king import GAME, scoring
from engine.games.foreign_king.evaluation import PLAYABLE
from engine.games.foreign_king.state import ForeignKingState
from tests.engine.games.foreign_king.table import lay, phase, play


def ended(seats: int, **values: Any) -> Outcome:
    """The outcome of a table that is laid finished."""
    outcome = lay(seats, phase="END", seat=None, **({"marker": 0} | values)).outcome()
    assert outcome is not None
    return outcome


def test_r15_the_marker_ends_the_game_after_the_turn() -> None:
    state = play(lay(3, marker=2, king="LIM"), "ACT_KING KING_TO:ANT KING_LEN:1")
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.details["end"] == ["marker"]
    assert outcome.details["rounds"] == 1


def test_r15_the_factories_end_the_game_after_the_turn() -> None:
    state = lay(3, discs={"LIE": [1, 1]}, factories={"ANT": "mmmmm", "BRA": "tttt", "LIE": "T"}, medals=[0, 3, 0])
    play(state, "ACT_KING KING_TO:LIE INACT_TEXTILE")
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.details["end"] == ["factories"]


def test_k14_every_condition_that_holds_is_listed() -> None:
    assert ended(3, factories={"ANT": "mmmmm", "BRA": "ttttt"}).details["end"] == ["marker", "factories"]


def test_a55_the_cap_scores_the_game_as_it_stands() -> None:
    state: ForeignKingState = GAME.new_state(2, GAME.parse_options({"max_rounds": 3}))
    turns = 0
    for first, second in [("COINS", "KING KING_TO:ANT"), ("CONGRESS CONGRESS_FROM_HAND", "COINS")]:
        play(state, f"ACT_{first} ACT_{second}")
        turns += 1
    assert turns == 2
    assert state.to_json()["round"] == 3
    play(state, "ACT_PLACE PLACE:LUX PLACE_N:1 ACT_CONGRESS CONGRESS_FROM_HAND")
    assert phase(state) == "END"
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.details["end"] == ["max_rounds"]
    assert outcome.details["rounds"] == 3


def test_a55_the_cap_of_a_hundred_rounds() -> None:
    state = lay(3, active=2, round=100)
    assert play(state, "ACT_COINS").seat() is None


def test_a41_the_virtual_player_counts_for_the_second_highest_score() -> None:
    state = lay(2, marker=9, scores=[9, 0, 8], king="LIM")
    assert play(state.clone(), "ACT_COINS").seat() == 1
    assert play(state, "ACT_KING KING_TO:ANT KING_LEN:1").seat() is None


def test_r17_medals_break_a_tie_of_points() -> None:
    outcome = ended(
        3, scores=[0, 0, 9], francs=[0, 0, 0], factories={"ANT": "M", "BRA": "T", "LIE": "T"}, medals=[0, 3, 0]
    )
    assert outcome.details["scores"] == [0, 9, 9]
    assert outcome.ranks == (3, 1, 2)


def test_k12_equal_seats_share_a_rank() -> None:
    outcome = ended(4, scores=[5, 5, 1, 0], francs=[0, 0, 0, 0])
    assert outcome.ranks == (1, 1, 3, 4)
    assert ended(4, francs=[1, 1, 1, 1]).ranks == (1, 1, 1, 1)


def test_a53_totals_may_be_negative() -> None:
    outcome = ended(3, factories={"ANT": "M", "BRA": "T"}, medals=[1, 1, 0], loans=[1, 1, 0], francs=[0, 0, 0])
    assert outcome.details["scores"] == [4 - 6, 4 - 6, 0]
    assert outcome.ranks == (2, 2, 1)


@pytest.mark.parametrize(
    ("amounts", "shares"),
    [
        ([3, 1, 0], [9, 0, 0]),
        ([3, 3, 0], [4, 4, 0]),
        ([2, 2, 2], [3, 3, 3]),
        ([2, 2, 2, 2], [2, 2, 2, 2]),
        ([0, 0, 0], [0, 0, 0]),
    ],
)
def test_a50_a51_an_award_is_divided_and_rounded_down(amounts: list[int], shares: list[int]) -> None:
    assert scoring.award(amounts, 9) == shares


def test_a50_three_points_among_four_are_nothing() -> None:
    assert scoring.award([1, 1, 1, 1], 3) == [0, 0, 0, 0]


def test_a52_ties_in_the_congress_share() -> None:
    assert ended(3, congress=[2, 2, 1]).details["breakdown"]["congress"] == [1, 1, 0]


def test_a49_control_counts_a_province_and_its_factories_of_either_side() -> None:
    state = lay(3, discs={"ANT": [2, 1], "BRA": [0, 1], "LIE": [1, 1]}, factories={"ANT": "Mt", "LIE": "TT"})
    assert scoring.control(state).weight == (3, 1, 0)


def test_the_breakdown_adds_up_to_the_score() -> None:
    details = ended(3, discs={"ANT": [2, 1]}, congress=[1, 0, 0], scores=[4, 2, 0]).details
    assert [sum(points) for points in zip(*details["breakdown"].values(), strict=True)] == details["scores"]
    assert details["virtual"] is None
    assert (details["virtual_won"], details["virtual_shares"]) == (False, False)


def test_k13_nobody_has_a_medal_so_nobody_gets_the_award() -> None:
    assert ended(3).details["breakdown"]["medals"] == [0, 0, 0]


# Two seats: seat 0 and 1 have 1 VP each from Francs unless told otherwise.


def test_a46_the_virtual_player_wins_strictly_above_both_seats() -> None:
    details = ended(2, scores=[5, 4, 12], francs=[0, 0]).details
    assert details["virtual"] == {
        "score": 12,
        "breakdown": {"play": 12, "control": 0, "provinces": 0, "industrialized": 0},
    }
    assert details["virtual_won"]
    assert not details["virtual_shares"]


def test_a46_the_seats_keep_their_ranks_between_themselves() -> None:
    assert ended(2, scores=[5, 4, 12], francs=[0, 0]).ranks == (1, 2)


def test_a46_level_with_a_seat_without_medals_the_virtual_player_shares() -> None:
    details = ended(2, scores=[12, 4, 12], francs=[0, 0]).details
    assert (details["virtual_won"], details["virtual_shares"]) == (False, True)


def test_a46_medals_decide_a_tie_with_the_virtual_player() -> None:
    details = ended(2, scores=[3, 4, 12], francs=[0, 0], factories={"ANT": "M"}).details
    assert details["scores"] == [12, 4]
    assert (details["virtual_won"], details["virtual_shares"]) == (False, False)


def test_a46_the_option_takes_the_win_from_the_virtual_player() -> None:
    options = {"virtual_can_win": "no"}
    assert not ended(2, scores=[5, 4, 12], francs=[0, 0], options=options).details["virtual_won"]
    assert not ended(2, scores=[12, 4, 12], francs=[0, 0], options=options).details["virtual_shares"]


def test_a47_the_virtual_player_takes_no_part_in_medals_congress_and_francs() -> None:
    assert set(scoring.virtual_breakdown(lay(2))) == {"play", "control", "provinces", "industrialized"}


def test_the_virtual_share_of_control_counts_for_the_division() -> None:
    state = lay(2, discs={"ANT": [1], "BRA": [0, 1], "LIE": [0, 0, 1]})
    assert scoring.breakdown(state)["control"] == [3, 3]
    assert scoring.virtual_breakdown(state)["control"] == 6


@pytest.mark.parametrize(
    "better",
    [
        {"scores": [6, 0, 0]},
        {"francs": [9, 6, 7]},
        {"discs": {"LIE": [3]}},
        {"discs": {"LIE": [2, 1]}, "factories": {"LIE": "M"}},
        {"factories": {"LIE": "m"}},
        {"congress": [2, 0, 0]},
    ],
)
def test_having_more_is_better(better: dict[str, Any]) -> None:
    assert PLAYABLE.evaluate(lay(3, **better), 0) > PLAYABLE.evaluate(lay(3), 0)
    assert PLAYABLE.evaluate(lay(3, **better), 1) < PLAYABLE.evaluate(lay(3), 1)


def test_an_open_loan_is_worse_than_its_francs() -> None:
    owing = lay(3, factories={"LIE": "m"}, loans=[1, 0, 0], francs=[3, 6, 7])
    assert PLAYABLE.evaluate(owing, 0) < PLAYABLE.evaluate(lay(3, factories={"LIE": "m"}, francs=[3, 6, 7]), 0)


def test_a_scoring_under_way_is_seen_to_its_end() -> None:
    state = lay(
        3,
        phase="CONGRESS_ASK",
        seat=1,
        pawns={0: "KING"},
        king="LIE",
        discs={"LIE": [1]},
        congress=[0, 2, 0],
        factories={"LIE": "M"},
        pending={"asked": [1]},
    )
    before = state.to_json()
    assert PLAYABLE.evaluate(state, 1) > PLAYABLE.evaluate(state, 2)
    assert state.to_json() == before


def test_the_end_is_exact() -> None:
    state = lay(4, phase="END", seat=None, marker=0, scores=[9, 9, 1, 0], francs=[0, 0, 0, 0])
    assert list(PLAYABLE.evaluate_all(state)) == pytest.approx([5 / 6, 5 / 6, 1 / 3, 0])
