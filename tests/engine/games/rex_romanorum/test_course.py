"""Setup and frame (S1 to S11), harvest and order of turns (K1, K2), and the end: wealth, winners, ruin, ranks."""

from __future__ import annotations

from typing import Any

import pytest

from engine.chance import SeededChance
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.board import REGIONS
from engine.games.rex_romanorum.scoring import production, wealth
from engine.games.rex_romanorum.state import RexState
from engine.games.rex_romanorum.view import SHOWN
from tests.engine.games.rex_romanorum.table import army, lay, legal, phase, play

ALL = " ".join(REGIONS)


def test_s1_there_are_five_arms_with_a_name_and_a_letter() -> None:
    names = [SHOWN.labels("en")[f"arms_{seat}"] for seat in range(5)]
    assert names == ["Habsburg", "Wittelsbach", "Ascania", "Welf", "Wettin"]
    assert "A · Habsburg" in SHOWN.svg(GAME.new_state(2))


def test_s2_churches_are_drawn_with_a_letter() -> None:
    picture = SHOWN.svg(GAME.new_state(2))
    for letter in "MKT":
        assert f">{letter}</text>" in picture


def test_s3_castles_and_figures_never_run_out() -> None:
    state = lay(land={0: ALL}, castles=ALL, figures=dict.fromkeys(REGIONS, "99F99A99K"), gold=[500, 0])
    assert "COUNT:100" in legal(play(state, "ACT_MUSTER MOVE_DONE PLACE:K:trier"))


def test_s4_seat_0_begins() -> None:
    assert GAME.new_state(5).seat() == 0


def test_s5_no_decision_is_the_chancellors() -> None:
    state = GAME.new_state(2)
    assert {key for key in state.to_json() if "chancellor" in key or "kanzler" in key} == set()


def test_s6_everybody_starts_with_30_gold_and_nothing_else() -> None:
    data = GAME.new_state(4).to_json()
    assert data["gold"] == [30] * 4
    assert data["owners"] == data["figures"] == {}
    assert set(data["titles"].values()) == {None}
    assert data["churches"] == {"mainz": ["mainz"], "koeln": ["koeln"], "trier": ["trier"]}


def test_s7_production_is_counted_from_the_board_and_not_capped() -> None:
    state = lay(land={0: ALL}, titles={"mainz": 0}, gold=[0, 0])
    # 62 regions, 3 churches, Mainz, Pfalz, Sachsen, Brandenburg and Böhmen.
    assert production(state, 0) == 2 * 62 + 3 + 2 * 5
    assert play(state, "ACT_HARVEST").to_json()["gold"] == [100, 0]


def test_section_2_a_harvest_pays_regions_churches_and_titles_only() -> None:
    state = lay(land={0: "aargau koeln"}, figures={"aargau": "9K"}, castles="aargau", titles={"trier": 0}, gold=[1, 0])
    assert play(state, "ACT_HARVEST").to_json()["gold"] == [1 + 2 * 2 + 1 + 2, 0]


def test_s8_everything_is_open_but_the_order_of_the_pile() -> None:
    state = lay(pile="trier mainz aargau")
    seen, whole = state.observation_json(1), state.to_json()
    assert seen.pop("pile_set") == sorted(whole["pile"], key=REGIONS.index)
    assert seen.pop("pile_size") == 62
    del whole["pile"]
    assert seen == whole


def test_s9_exactly_one_action_a_turn_and_the_harmless_one_is_to_muster_nothing() -> None:
    state = lay(land={0: "aargau"}, gold=[0, 0])
    play(state, "ACT_MUSTER")
    assert (phase(state), state.seat()) == ("TURN", 1)


def test_s9_nobody_passes() -> None:
    assert legal(lay(gold=[0, 0])) == ["ACT_ACQUIRE", "ACT_HARVEST"]


def test_s10_nothing_is_given_away_but_gold_for_a_vote() -> None:
    verbs = {name.partition(":")[0] for name in GAME.actions.names}
    assert not any(word in verb for verb in verbs for word in ("GIVE", "LEND", "TRADE", "SELL"))
    assert "OFFER" in verbs


def test_s11_treaties_are_no_part_of_the_game() -> None:
    assert not any(word in name for name in GAME.actions.names for word in ("TREATY", "PROMISE", "ALLY"))


def test_b1_a_harvest_without_production_is_legal_and_pays_nothing() -> None:
    state = play(lay(gold=[7, 7]), "ACT_HARVEST")
    assert state.to_json()["gold"] == [7, 7]


def test_k1_turns_go_from_seat_to_seat() -> None:
    state = GAME.new_state(3, chance=SeededChance(1))
    order = []
    for _ in range(4):
        order.append(state.seat())
        play(state, "ACT_HARVEST")
    assert order == [0, 1, 2, 0]


def test_k2_rounds_count_from_1_and_rise_after_the_last_seat() -> None:
    state = GAME.new_state(2)
    assert state.to_json()["round"] == 1
    assert play(state, "ACT_HARVEST").to_json()["round"] == 1
    assert play(state, "ACT_HARVEST").to_json()["round"] == 2


@pytest.mark.parametrize(("gold", "open_"), [(4, False), (5, True)])
def test_the_seven_actions_are_offered_only_when_they_can_be_carried_out(gold: int, open_: bool) -> None:
    state = lay(land={0: "mainz"}, gold=[gold, 0])
    assert ("ACT_BUILD" in legal(state)) == open_
    assert ("ACT_BISHOP:mainz" in legal(state)) == open_
    assert "ACT_BISHOP:koeln" not in legal(state)
    assert "ACT_MUSTER" in legal(state)
    assert "ACT_ATTACK" not in legal(state)
    assert army(state, "mainz") == ""


LAST: dict[str, Any] = {"options": {"round_limit": 1}}


def finish(state: RexState) -> RexState:
    """Let the last seat harvest and everybody decline the crown."""
    return play(state, "ACT_HARVEST" + " DECLINE" * state.seats)


def test_5_2_everything_counts_at_its_purchase_price() -> None:
    state = lay(
        land={0: "mainz aargau kurpfalz"},
        figures={"mainz": "3F2A1K"},
        castles="aargau mainz",
        churches={"koeln": "aargau"},
        titles={"trier": 0},
        gold=[7, 0],
    )
    # Gold, regions, churches, castles, figures, the titles of Trier and Pfalz.
    assert wealth(state, 0) == 7 + 3 * 5 + 2 * 5 + 2 * 5 + (3 + 2 * 2 + 4) + 2 * 5


def test_5_2_churches_in_unowned_regions_count_for_nobody() -> None:
    assert wealth(lay(gold=[0, 0]), 0) == 0


def test_5_2_attackers_on_the_way_are_still_their_owners() -> None:
    state = lay(land={0: "aargau", 1: "baden"}, figures={"aargau": "3F", "baden": "1F"})
    before = wealth(state, 0)
    assert wealth(play(state, "ACT_ATTACK MOVE_FROM:F:aargau MOVE_TO:baden COUNT:2 MOVE_DONE"), 0) == before


def test_k14_wealth_counts_by_its_block_also_when_prices_change() -> None:
    options = {"region_price": 9, "church_price": 9, "wealth": {"castle": 8, "elector": 0}}
    state = lay(land={0: "mainz"}, castles="mainz", titles={"mainz": 0}, gold=[0, 0], options=options)
    assert wealth(state, 0) == 5 + 5 + 8


def crowned(gold: list[int], *, seats: int = 3) -> RexState:
    """Seat 0 is made king by its four titles, each worth 5 in wealth with 5 for Kurpfalz."""
    titles = {"mainz": 0, "koeln": 0, "trier": 0}
    state = lay(seats, land={0: "kurpfalz"}, titles=titles, gold=[gold[0] + 10, *gold[1:]])
    return play(state, "ACT_KING STAND" + " DECLINE" * (seats - 1) + " VOTE:0" * 4)


def test_5_3_king_and_richest_both_win() -> None:
    outcome = crowned([0, 90, 50]).outcome()
    assert outcome is not None
    assert outcome.ranks == (1, 1, 3)
    assert outcome.details == {"king": 0, "richest": [1], "wealth": [25, 90, 50], "rounds": 1}


def test_5_3_one_person_may_be_both() -> None:
    outcome = crowned([100, 90, 50]).outcome()
    assert outcome is not None
    assert outcome.ranks == (1, 2, 3)


def test_5_3_further_places_go_by_wealth_and_ties_share_them() -> None:
    outcome = crowned([0, 90, 50, 50, 60], seats=5).outcome()
    assert outcome is not None
    assert outcome.ranks == (1, 1, 4, 4, 3)


def test_k13_several_who_tie_for_richest_all_have_rank_1_with_the_king() -> None:
    outcome = crowned([0, 90, 90]).outcome()
    assert outcome is not None
    assert outcome.ranks == (1, 1, 1)


def test_k13_a_king_who_is_poorer_than_all_still_leaves_them_behind() -> None:
    outcome = crowned([0, 90, 80, 70], seats=4).outcome()
    assert outcome is not None
    assert outcome.ranks == (1, 1, 3, 4)


def test_d1_a_player_without_a_region_stays_in() -> None:
    state = lay(3, land={1: "aargau"}, titles={"mainz": 0}, gold=[5, 0, 0])
    assert legal(state) == ["ACT_ACQUIRE", "ACT_HARVEST"]
    assert play(state, "ACT_HARVEST").to_json()["gold"][0] == 7


def test_d2_a_ruined_player_can_always_harvest_nothing() -> None:
    state = lay(land={1: " ".join(REGIONS)}, gold=[0, 0])
    assert legal(state) == ["ACT_HARVEST"]


def test_d3_the_caretaker_follows_its_rule() -> None:
    state = lay(land={0: "aargau baden"}, figures={"aargau": "2F"}, pile="trier mainz koeln")
    assert caretaker(state) == "ACT_HARVEST"
    assert caretaker(play(state.clone(), "ACT_ACQUIRE")) == "KEEP:0"
    assert caretaker(play(state.clone(), "ACT_ACQUIRE KEEP:1")) == "PLACE_DONE"
    assert caretaker(play(state.clone(), "ACT_BUILD")) == "CHURCH:mainz:aargau"
    assert caretaker(play(state.clone(), "ACT_BUILD CASTLE:aargau")) == "BUILD_DONE"
    assert caretaker(play(state.clone(), "ACT_MUSTER")) == "MOVE_DONE"
    assert caretaker(play(state.clone(), "ACT_MUSTER MOVE_FROM:F:aargau MOVE_TO:baden")) == "COUNT:1"
    assert caretaker(play(state.clone(), "ACT_MUSTER MOVE_DONE")) == "PLACE_DONE"


def test_d3_the_caretaker_keeps_castles_and_takes_no_part_in_elections() -> None:
    titles = {"mainz": 0, "koeln": 0, "trier": 1}
    state = lay(land={0: "kurpfalz", 1: "baden"}, titles=titles, figures={"kurpfalz": "1F"}, castles="baden")
    attack = "ACT_ATTACK MOVE_FROM:F:kurpfalz MOVE_TO:baden COUNT:1 MOVE_DONE"
    assert caretaker(play(state.clone(), attack)) == "KEEP_CASTLE"
    assert caretaker(play(state, "ACT_KING")) == "DECLINE"
    assert caretaker(play(state, "STAND STAND")) == "OFFER:0"
    assert caretaker(play(state, "OFFER:3")) == "ABSTAIN"


def test_9_4_the_caretaker_casts_its_first_legal_vote_for_a_bishop() -> None:
    state = lay(land={0: "aargau", 1: "baden"}, churches={"mainz": "aargau baden"})
    assert caretaker(play(state, "ACT_BISHOP:mainz STAND STAND")) == "VOTE:0"


def caretaker(state: RexState) -> str:
    return GAME.actions.format(state.caretaker_action())


def test_d4_play_goes_on_when_only_one_player_has_regions() -> None:
    state = lay(land={0: "aargau", 1: "baden"}, figures={"aargau": "1F"})
    play(state, "ACT_ATTACK MOVE_FROM:F:aargau MOVE_TO:baden COUNT:1 MOVE_DONE")
    assert (phase(state), state.seat()) == ("TURN", 1)


def test_d5_after_the_last_round_a_royal_election_is_held_free_of_charge() -> None:
    state = play(lay(active=1, gold=[3, 3], **LAST), "ACT_HARVEST")
    data = state.to_json()
    assert (data["phase"], data["final"], data["gold"]) == ("STAND", True, [3, 3])


def test_k2_in_the_last_election_the_counter_stays_and_seat_0_is_active() -> None:
    state = play(lay(3, active=2, **LAST), "ACT_HARVEST")
    data = state.to_json()
    assert (data["round"], data["active"], data["seat"]) == (1, 0, 0)


def test_k2_the_last_election_is_held_also_with_fewer_than_four_titles() -> None:
    state = play(lay(active=1, titles={"mainz": 0}, **LAST), "ACT_HARVEST STAND DECLINE VOTE:0")
    assert (phase(state), state.to_json()["king"]) == ("END", None)


def test_d5_a_king_of_the_last_election_ends_the_game_as_any_other() -> None:
    titles = {"mainz": 0, "koeln": 0, "trier": 0}
    state = lay(land={0: "kurpfalz"}, titles=titles, active=1, gold=[0, 90], **LAST)
    outcome = play(state, "ACT_HARVEST STAND DECLINE VOTE:0 VOTE:0 VOTE:0 VOTE:0").outcome()
    assert outcome is not None
    assert outcome.ranks == (1, 1)


def test_d5_without_a_king_the_richest_alone_wins() -> None:
    outcome = finish(lay(3, active=2, gold=[20, 30, 10], **LAST)).outcome()
    assert outcome is not None
    assert outcome.ranks == (2, 1, 3)
    assert outcome.details["king"] is None


def test_9_4_without_a_king_ties_share_the_first_rank() -> None:
    outcome = finish(lay(3, active=2, gold=[30, 30, 10], **LAST)).outcome()
    assert outcome is not None
    assert outcome.ranks == (1, 1, 3)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_d6_two_to_five_players_play_by_the_same_rules(seats: int) -> None:
    state = GAME.new_state(seats, GAME.parse_options({"round_limit": 2}), SeededChance(1))
    play(state, " ".join(["ACT_HARVEST"] * 2 * seats))
    assert (phase(state), state.to_json()["final"]) == ("STAND", True)


def test_d7_the_result_gives_every_seat_a_rank() -> None:
    outcome = crowned([0, 90, 50]).outcome()
    assert outcome is not None
    assert all(rank == 1 + sum(other < rank for other in outcome.ranks) for rank in outcome.ranks)


def test_k15_ranks_are_by_the_rules_alone_whoever_played_the_seat() -> None:
    state = lay(active=1, gold=[9, 1], **LAST)
    while state.seat() is not None:
        state.apply(state.caretaker_action())
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.ranks == (1, 2)
