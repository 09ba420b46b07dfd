"""Bishops (6.1) and the king (6.2), with K1, K7, K8, K9 and K12."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import Reveal
from engine.games.rex_romanorum.state import RexState
from tests.engine.games.rex_romanorum.table import chance_left, dice, holder, lay, legal, phase, play

SEVEN_TITLES = ("mainz", "koeln", "trier", "pfalz", "sachsen", "brandenburg", "boehmen")


def chapter(*votes: int, active: int = 0, chance: list[list[int]] | None = None, **values: Any) -> RexState:
    """An election in Mainz with so many churches for each seat; Mainz itself is nobody's."""
    regions = ["aargau", "baden", "brabant", "bremen"]
    land: dict[int, str] = {}
    for seat, number in enumerate(votes):
        land[seat] = " ".join(regions[:number])
        regions = regions[number:]
    churches = {"mainz": " ".join(land.values())}
    seats = len(votes)
    return lay(seats, land=land, churches=churches, active=active, chance=chance or [], **values)


def test_6_1_1_the_caller_pays_5_and_needs_no_church() -> None:
    state = play(chapter(0, 1), "ACT_BISHOP:mainz")
    assert state.to_json()["gold"] == [25, 30]
    assert (phase(state), state.seat()) == ("STAND", 1)


def test_6_1_1_not_callable_without_gold_or_where_nobody_owns_a_church() -> None:
    assert "ACT_BISHOP:mainz" not in legal(chapter(0, 1, gold=[4, 0]))
    assert not any(name.startswith("ACT_BISHOP") for name in legal(lay()))
    assert "ACT_BISHOP:koeln" not in legal(chapter(0, 1))


def test_6_1_2_owners_are_asked_clockwise_from_the_caller_himself_included() -> None:
    state = play(chapter(1, 1, 0, 1, active=1), "ACT_BISHOP:mainz")
    asked = []
    for _ in range(3):
        asked.append(state.seat())
        assert legal(state) == ["STAND", "DECLINE"]
        play(state, "STAND" if state.seat() != 3 else "DECLINE")
    assert asked == [1, 3, 0]


def test_6_1_2_a_bishop_without_a_church_is_not_asked_but_stays_bishop() -> None:
    state = play(chapter(1, 0, titles={"mainz": 1}), "ACT_BISHOP:mainz DECLINE")
    assert (phase(state), holder(state, "mainz")) == ("TURN", 1)


def test_6_1_3_without_a_candidate_nothing_changes_and_the_fee_is_lost() -> None:
    state = play(chapter(1, 1, titles={"mainz": 1}), "ACT_BISHOP:mainz DECLINE DECLINE")
    assert (holder(state, "mainz"), state.to_json()["gold"], state.seat()) == (1, [25, 30], 1)


def test_6_1_3_a_sole_candidate_is_elected_at_once_also_the_sitting_bishop() -> None:
    state = play(chapter(1, 2, titles={"mainz": 0}), "ACT_BISHOP:mainz STAND DECLINE")
    assert (phase(state), holder(state, "mainz")) == ("TURN", 0)


def test_6_1_4_every_church_has_a_vote_and_an_owner_may_split_them() -> None:
    state = play(chapter(2, 1), "ACT_BISHOP:mainz STAND STAND")
    assert (phase(state), state.seat(), legal(state)) == ("BISHOP_VOTE", 0, ["VOTE:0", "VOTE:1"])
    play(state, "VOTE:0 VOTE:1 VOTE:1")
    assert (phase(state), holder(state, "mainz")) == ("TURN", 1)


def test_6_1_4_votes_of_one_owner_do_not_decrease() -> None:
    state = play(chapter(2, 1), "ACT_BISHOP:mainz STAND STAND VOTE:1")
    assert legal(state) == ["VOTE:1"]
    assert legal(play(state, "VOTE:1")) == ["VOTE:0", "VOTE:1"]


def test_6_1_4_nobody_abstains_and_owners_who_declined_vote_too() -> None:
    state = play(chapter(1, 1, 1), "ACT_BISHOP:mainz DECLINE STAND STAND")
    assert (state.seat(), legal(state)) == (0, ["VOTE:1", "VOTE:2"])


def test_6_1_5_more_than_half_elects() -> None:
    state = play(chapter(1, 1, 1), "ACT_BISHOP:mainz STAND STAND STAND VOTE:2 VOTE:1 VOTE:2")
    assert holder(state, "mainz") == 2


def test_6_1_5_the_best_two_enter_the_run_off() -> None:
    state = play(chapter(2, 1, 1), "ACT_BISHOP:mainz STAND STAND STAND VOTE:0 VOTE:0 VOTE:1 VOTE:1")
    # Two for each: no majority; exactly these two enter, seat 2 does not.
    assert state.to_json()["election"]["ballot"] == [0, 1]
    assert state.to_json()["election"]["runoff"]
    assert legal(state) == ["VOTE:0", "VOTE:1"]


def test_6_1_5_all_tied_for_the_second_place_enter() -> None:
    state = play(chapter(2, 1, 1), "ACT_BISHOP:mainz STAND STAND STAND VOTE:0 VOTE:0 VOTE:1 VOTE:2")
    assert state.to_json()["election"]["ballot"] == [0, 1, 2]


def test_6_1_5_if_more_than_two_tie_for_the_first_place_exactly_those_enter() -> None:
    state = play(chapter(1, 1, 1, 0), "ACT_BISHOP:mainz STAND STAND STAND VOTE:0 VOTE:1 VOTE:2")
    assert state.to_json()["election"]["ballot"] == [0, 1, 2]


def test_6_1_5_in_the_run_off_all_churches_vote_again_in_the_same_order() -> None:
    state = play(chapter(2, 1, 1, active=1), "ACT_BISHOP:mainz STAND STAND STAND VOTE:1 VOTE:1 VOTE:0 VOTE:0")
    assert state.seat() == 1
    play(state, "VOTE:0 VOTE:0 VOTE:0 VOTE:1")
    assert holder(state, "mainz") == 0


def test_6_1_5_a_church_in_a_region_nobody_owns_has_no_vote() -> None:
    # Three churches stand, one of them in Mainz, which is nobody's: two votes are cast, one each is no majority.
    state = play(chapter(1, 1, chance=dice("21")), "ACT_BISHOP:mainz STAND STAND VOTE:0 VOTE:1")
    assert holder(state, "mainz") == 0


def test_6_1_6_a_tie_of_two_candidates_is_diced_without_a_run_off() -> None:
    state = play(chapter(1, 1, chance=dice("36")), "ACT_BISHOP:mainz STAND STAND VOTE:0 VOTE:1")
    assert holder(state, "mainz") == 1
    assert state.revealed() == [Reveal("d6", (3, 6))]


def test_6_1_6_only_those_tied_for_the_highest_roll_again() -> None:
    state = chapter(1, 1, 1, chance=dice("525", "13"))
    play(state, "ACT_BISHOP:mainz STAND STAND STAND VOTE:0 VOTE:1 VOTE:2 VOTE:0 VOTE:1 VOTE:2")
    assert holder(state, "mainz") == 2
    assert state.revealed() == [Reveal("d6", (5, 2, 5)), Reveal("d6", (1, 3))]


def test_k7_tie_dice_are_rolled_in_the_order_of_candidacy() -> None:
    state = chapter(1, 1, active=1, chance=dice("61"))
    play(state, "ACT_BISHOP:mainz STAND STAND VOTE:0 VOTE:1")
    # Seat 1 called, so it was asked first, and rolls first.
    assert holder(state, "mainz") == 1
    assert chance_left(state) == 0


def test_k7_after_a_run_off_all_its_candidates_roll() -> None:
    state = chapter(2, 1, 1, chance=dice("126"))
    play(state, "ACT_BISHOP:mainz STAND STAND STAND VOTE:0 VOTE:0 VOTE:1 VOTE:2 VOTE:0 VOTE:0 VOTE:1 VOTE:2")
    assert holder(state, "mainz") == 2


def test_6_1_7_the_card_moves_and_with_it_two_of_production() -> None:
    state = chapter(1, 1, titles={"mainz": 1}, gold=[5, 0])
    play(state, "ACT_BISHOP:mainz STAND DECLINE ACT_HARVEST ACT_HARVEST")
    assert state.to_json()["gold"] == [2 + 1 + 2, 2 + 1]


def royal(titles: dict[str, int], *, seats: int = 3, **values: Any) -> RexState:
    """A position of `seats` in which the four titles of land lie with whoever owns the land for them."""
    regions = {"pfalz": "kurpfalz", "sachsen": "sachsen lausitz", "brandenburg": "brandenburg altmark"}
    regions["boehmen"] = "nordboehmen suedboehmen"
    land = dict.fromkeys(range(seats), "")
    for title, seat in titles.items():
        land[seat] += " " + regions.get(title, "")
    return lay(seats, land=land, titles=titles, **values)


FOUR = {"mainz": 0, "koeln": 0, "trier": 1, "pfalz": 1}


def test_6_2_1_the_caller_pays_10_and_four_titles_must_be_held() -> None:
    assert play(royal(FOUR), "ACT_KING").to_json()["gold"] == [20, 30, 30]
    assert "ACT_KING" not in legal(royal(FOUR, gold=[9, 0, 0]))
    assert "ACT_KING" not in legal(royal({"mainz": 0, "koeln": 0, "trier": 1}))


def test_6_2_2_every_player_is_asked_clockwise_from_the_caller_without_a_title_too() -> None:
    state = play(royal(FOUR, active=1), "ACT_KING")
    asked = []
    while phase(state) == "STAND":
        asked.append(state.seat())
        play(state, "DECLINE")
    assert asked == [1, 2, 0]


def test_6_2_2_without_a_candidate_nothing_happens_and_the_fee_is_lost() -> None:
    state = play(royal(FOUR), "ACT_KING DECLINE DECLINE DECLINE")
    assert (phase(state), state.seat(), state.to_json()["gold"]) == ("TURN", 1, [20, 30, 30])


def test_6_2_3_the_electors_vote_in_the_fixed_order_and_unheld_titles_do_not() -> None:
    state = royal({"boehmen": 2, "mainz": 1, "pfalz": 0, "trier": 1})
    play(state, "ACT_KING STAND DECLINE DECLINE")
    voters = []
    while phase(state) != "TURN":
        if phase(state) == "OFFER":
            play(state, "OFFER:0")
        else:
            voters.append(state.seat())
            assert legal(state) == ["VOTE:0", "ABSTAIN"]
            play(state, "ABSTAIN")
    assert voters == [1, 1, 0, 2]


def test_6_2_3_a_sole_candidate_needs_four_votes_too() -> None:
    state = royal(FOUR)
    play(state, "ACT_KING STAND DECLINE DECLINE VOTE:0 VOTE:0 OFFER:0 VOTE:0 OFFER:0 ABSTAIN")
    assert (phase(state), state.to_json()["king"]) == ("TURN", None)


def test_6_2_3_a_holder_of_several_titles_votes_with_each_and_may_split() -> None:
    state = royal({"mainz": 0, "koeln": 0, "trier": 0, "pfalz": 0})
    play(state, "ACT_KING STAND STAND DECLINE OFFER:0 VOTE:0 OFFER:0 VOTE:1")
    assert state.to_json()["election"]["votes"] == [1, 1, 0]


def test_6_2_4_the_other_candidates_offer_in_the_order_of_candidacy() -> None:
    state = royal(FOUR, active=1, gold=[3, 200, 0])
    play(state, "ACT_KING STAND STAND STAND")
    # Mainz is held by seat 0: the candidates were asked 1, 2, 0.
    assert (state.seat(), legal(state)[-1], len(legal(state))) == (1, "OFFER:100", 101)
    play(state, "OFFER:7")
    assert (state.seat(), legal(state)) == (2, ["OFFER:0"])
    play(state, "OFFER:0")
    assert (phase(state), state.seat(), legal(state)) == ("KING_VOTE", 0, ["VOTE:0", "VOTE:1", "VOTE:2", "ABSTAIN"])


def test_6_2_4_the_offer_of_the_chosen_candidate_is_paid_at_once_and_stays_paid() -> None:
    state = royal(FOUR, active=1)
    play(state, "ACT_KING STAND DECLINE DECLINE OFFER:7 VOTE:1")
    assert state.to_json()["gold"] == [37, 13, 30]
    play(state, "OFFER:5 ABSTAIN")
    assert state.to_json()["gold"] == [37, 13, 30]
    play(state, "ABSTAIN ABSTAIN")
    assert (phase(state), state.to_json()["gold"]) == ("TURN", [37, 13, 30])


def test_6_2_4_offers_that_are_not_taken_lapse() -> None:
    state = royal(FOUR, active=1)
    play(state, "ACT_KING STAND DECLINE DECLINE OFFER:20 ABSTAIN")
    assert legal(state)[-1] == "OFFER:20"


def test_6_2_4_nobody_offers_for_his_own_elector() -> None:
    state = play(royal(FOUR), "ACT_KING STAND DECLINE DECLINE")
    assert (phase(state), state.seat()) == ("KING_VOTE", 0)


def test_6_2_5_four_votes_make_a_king_and_end_the_game() -> None:
    state = royal(dict.fromkeys(SEVEN_TITLES, 0))
    play(state, "ACT_KING STAND DECLINE DECLINE VOTE:0 VOTE:0 VOTE:0 VOTE:0")
    assert (phase(state), state.seat(), state.to_json()["king"]) == ("END", None, 0)


def test_6_2_5_otherwise_play_goes_on_and_titles_stay() -> None:
    state = royal(dict.fromkeys(SEVEN_TITLES, 0))
    play(state, "ACT_KING STAND DECLINE DECLINE" + " ABSTAIN" * 7)
    assert (phase(state), state.seat()) == ("TURN", 1)
    assert {holder(state, title) for title in SEVEN_TITLES} == {0}


def test_k8_the_fourth_vote_ends_it_before_later_electors_and_their_offers() -> None:
    state = royal({**dict.fromkeys(SEVEN_TITLES[:4], 0), "boehmen": 1})
    play(state, "ACT_KING STAND STAND DECLINE")
    for _ in range(4):
        assert state.seat() == 1
        play(state, "OFFER:9 VOTE:0")
    assert state.seat() is None
    assert state.to_json()["gold"] == [20, 30, 30]


def test_k8_all_are_asked_also_when_nobody_can_reach_four_any_more() -> None:
    state = royal(FOUR)
    play(state, "ACT_KING STAND DECLINE DECLINE ABSTAIN ABSTAIN")
    assert (phase(state), state.seat()) == ("OFFER", 0)


@pytest.mark.parametrize(("gold", "most"), [(0, 0), (99, 99), (100, 100), (250, 100)])
def test_k9_offers_end_at_100(gold: int, most: int) -> None:
    state = play(royal(FOUR, active=1, gold=[0, 10 + gold, 0]), "ACT_KING STAND DECLINE DECLINE")
    assert legal(state) == [f"OFFER:{number}" for number in range(most + 1)]


def test_k12_elections_are_paid_at_the_call() -> None:
    assert play(royal(FOUR), "ACT_KING").to_json()["gold"][0] == 20
    assert play(chapter(1, 1), "ACT_BISHOP:mainz").to_json()["gold"][0] == 25
