"""Raising and moving figures: B4 to B9, K3, K4, K9, K12; attack, conquest and retreat: C1 to C17, K5, K6."""

from __future__ import annotations

from engine.core import Reveal
from tests.engine.games.rex_romanorum.table import army, dice, holder, lay, legal, owner, phase, play


def test_b4_old_figures_move_first_then_new_ones_are_placed_and_stay() -> None:
    state = lay(land={0: "aargau baden"}, figures={"aargau": "2F"})
    play(state, "ACT_MUSTER MOVE_FROM:F:aargau MOVE_TO:baden COUNT:1 PLACE:F:aargau COUNT:3 PLACE_DONE")
    assert (army(state, "aargau"), army(state, "baden")) == ("4F", "1F")
    assert state.to_json()["gold"][0] == 27


def test_b4_figures_that_arrived_do_not_move_again() -> None:
    state = lay(land={0: "aargau baden"}, figures={"aargau": "2F"})
    play(state, "ACT_MUSTER MOVE_FROM:F:aargau MOVE_TO:baden COUNT:2")
    assert phase(state) == "PLACE"


def test_b5_every_step_of_a_muster_leads_into_an_own_region() -> None:
    land = {0: "aargau baden kurpfalz trier", 1: "elsass"}
    state = lay(land=land, figures={"aargau": "1F1K"})
    assert legal(play(state.clone(), "ACT_MUSTER MOVE_FROM:F:aargau")) == ["MOVE_TO:baden"]
    assert legal(play(state.clone(), "ACT_MUSTER MOVE_FROM:K:aargau")) == ["MOVE_TO:baden", "MOVE_TO:kurpfalz"]


def test_b5_a_knight_without_an_own_neighbour_stays() -> None:
    state = play(lay(land={0: "aargau kurpfalz", 1: "baden elsass"}, figures={"aargau": "1K"}), "ACT_MUSTER")
    assert phase(state) == "PLACE"


def test_b6_knights_are_for_sale_only_with_a_castle_and_placed_in_castles() -> None:
    state = lay(land={0: "aargau baden", 1: "trier"}, castles="baden trier")
    assert [name for name in legal(play(state, "ACT_MUSTER")) if ":K:" in name] == ["PLACE:K:baden"]
    assert legal(play(state, "PLACE:K:baden")) == [f"COUNT:{number}" for number in range(1, 8)]
    without = lay(land={0: "aargau baden", 1: "trier"}, castles="trier")
    assert not any(":K:" in name for name in legal(play(without, "ACT_MUSTER")))


def test_b7_without_a_region_there_is_no_muster() -> None:
    assert "ACT_MUSTER" not in legal(lay(gold=[99, 0]))


def test_b8_knights_stay_where_their_castle_was_razed() -> None:
    land = {0: "aargau", 1: "baden"}
    state = lay(land=land, figures={"aargau": "1K"}, castles="baden")
    play(state, "ACT_ATTACK MOVE_FROM:K:aargau MOVE_TO:baden COUNT:1 MOVE_DONE RAZE")
    assert army(state, "baden") == "1K"
    assert state.to_json()["castles"] == []


def test_b9_a_region_holds_any_number() -> None:
    state = lay(land={0: "aargau"}, figures={"aargau": "500F"}, gold=[300, 0])
    assert army(play(state, "ACT_MUSTER PLACE:F:aargau COUNT:100"), "aargau") == "600F"


def test_k3_moving_and_placing_are_skipped_when_only_done_would_be_legal() -> None:
    assert play(lay(land={0: "aargau"}, gold=[0, 0]), "ACT_MUSTER").seat() == 1
    state = play(lay(land={0: "aargau"}, gold=[2, 0]), "ACT_MUSTER")
    assert legal(state) == ["PLACE:F:aargau", "PLACE:A:aargau", "PLACE_DONE"]
    assert play(state, "PLACE:F:aargau COUNT:2").seat() == 1


def test_k3_moves_may_be_ended_at_any_time() -> None:
    state = play(lay(land={0: "aargau baden"}, figures={"aargau": "1F"}), "ACT_MUSTER")
    assert legal(state) == ["MOVE_FROM:F:aargau", "MOVE_DONE"]


def test_k4_sources_come_in_order_of_kinds_and_regions() -> None:
    state = lay(land={0: "aargau baden elsass"}, figures={"aargau": "2F2A", "baden": "2F"})
    play(state, "ACT_MUSTER MOVE_FROM:F:baden MOVE_TO:aargau COUNT:1")
    assert legal(state) == ["MOVE_FROM:F:baden", "MOVE_FROM:A:aargau", "MOVE_DONE"]


def test_k4_the_same_source_goes_only_to_later_regions() -> None:
    state = lay(land={0: "aargau baden elsass"}, figures={"aargau": "5F"})
    play(state, "ACT_MUSTER MOVE_FROM:F:aargau MOVE_TO:baden COUNT:1 MOVE_FROM:F:aargau")
    assert legal(state) == ["MOVE_TO:elsass"]
    play(state, "MOVE_TO:elsass COUNT:1")
    assert phase(state) == "PLACE"


def test_k4_the_source_is_no_destination() -> None:
    state = lay(land={0: "aargau baden"}, figures={"aargau": "1K"})
    assert legal(play(state, "ACT_MUSTER MOVE_FROM:K:aargau")) == ["MOVE_TO:baden"]


def test_k9_at_most_100_figures_of_a_kind_and_way_move_in_one_action() -> None:
    state = lay(land={0: "aargau baden"}, figures={"aargau": "250F"})
    play(state, "ACT_MUSTER MOVE_FROM:F:aargau MOVE_TO:baden")
    assert legal(state)[-1] == "COUNT:100"
    play(state, "COUNT:100")
    assert phase(state) == "PLACE"


def test_k12_figures_are_paid_at_their_count() -> None:
    state = play(lay(land={0: "aargau"}, castles="aargau"), "ACT_MUSTER PLACE:A:aargau COUNT:4")
    assert state.to_json()["gold"][0] == 22
    assert play(state, "PLACE:K:aargau COUNT:5").to_json()["gold"][0] == 2


MARCH = "ACT_ATTACK MOVE_FROM:F:aargau MOVE_TO:baden COUNT:1"


def test_c1_figures_end_in_own_or_enemy_regions_never_in_unowned_ones() -> None:
    state = lay(land={0: "aargau schwaben", 1: "baden"}, figures={"aargau": "1F"})
    assert legal(play(state, "ACT_ATTACK MOVE_FROM:F:aargau")) == ["MOVE_TO:baden", "MOVE_TO:schwaben"]


def test_c1_without_a_destination_there_is_no_attack() -> None:
    assert "ACT_ATTACK" not in legal(lay(land={0: "aargau", 1: "verona"}, figures={"aargau": "9F"}))
    assert "ACT_ATTACK" in legal(lay(land={0: "aargau", 1: "kurpfalz"}, figures={"aargau": "1K"}))
    assert "ACT_ATTACK" not in legal(lay(land={0: "aargau", 1: "kurpfalz"}, figures={"aargau": "1A"}))


def test_c2_foot_and_archers_go_one_step() -> None:
    state = lay(land={0: "aargau", 1: "baden kurpfalz"}, figures={"aargau": "1F1A"})
    assert legal(play(state.clone(), "ACT_ATTACK MOVE_FROM:F:aargau")) == ["MOVE_TO:baden"]
    assert legal(play(state.clone(), "ACT_ATTACK MOVE_FROM:A:aargau")) == ["MOVE_TO:baden"]


def test_c3_a_knight_rides_on_where_no_foreign_figure_stands() -> None:
    land = {0: "mecklenburg", 1: "pommern preussen"}
    empty = lay(land=land, figures={"mecklenburg": "1K"})
    assert legal(play(empty, "ACT_ATTACK MOVE_FROM:K:mecklenburg")) == ["MOVE_TO:pommern", "MOVE_TO:preussen"]
    manned = lay(land=land, figures={"mecklenburg": "1K", "pommern": "1F"})
    assert legal(play(manned, "ACT_ATTACK MOVE_FROM:K:mecklenburg")) == ["MOVE_TO:pommern"]


def test_c3_a_knight_rides_through_unowned_land() -> None:
    state = lay(land={0: "mecklenburg", 1: "preussen"}, figures={"mecklenburg": "1K"})
    assert legal(play(state, "ACT_ATTACK MOVE_FROM:K:mecklenburg")) == ["MOVE_TO:preussen"]


def test_c3_ones_own_figures_do_not_block() -> None:
    land = {0: "mecklenburg brandenburg", 1: "pommern preussen"}
    state = lay(land=land, figures={"mecklenburg": "1K", "brandenburg": "1F"})
    play(state, "ACT_ATTACK MOVE_FROM:F:brandenburg MOVE_TO:pommern COUNT:1 MOVE_FROM:K:mecklenburg")
    assert "MOVE_TO:preussen" in legal(state)


def test_c4_an_empty_castle_on_the_way_does_not_block() -> None:
    land = {0: "mecklenburg", 1: "pommern preussen"}
    state = lay(land=land, figures={"mecklenburg": "1K"}, castles="pommern")
    assert "MOVE_TO:preussen" in legal(play(state, "ACT_ATTACK MOVE_FROM:K:mecklenburg"))


def test_c5_a_region_ridden_through_is_not_conquered() -> None:
    land = {0: "mecklenburg", 1: "pommern preussen"}
    state = lay(land=land, figures={"mecklenburg": "1K"})
    play(state, "ACT_ATTACK MOVE_FROM:K:mecklenburg MOVE_TO:preussen COUNT:1 MOVE_DONE")
    assert (owner(state, "pommern"), owner(state, "preussen")) == (1, 0)


def test_c6_an_attack_may_be_moves_only() -> None:
    state = lay(land={0: "mecklenburg preussen", 1: "pommern"}, figures={"mecklenburg": "1K"})
    play(state, "ACT_ATTACK MOVE_FROM:K:mecklenburg MOVE_TO:preussen COUNT:1 MOVE_DONE")
    assert (phase(state), state.seat(), army(state, "preussen")) == ("TURN", 1, "1K")


def test_k3_an_attack_ends_its_moves_only_after_one_and_asks_then_also_without_another() -> None:
    state = lay(land={0: "aargau", 1: "baden"}, figures={"aargau": "1F"})
    assert legal(play(state, "ACT_ATTACK")) == ["MOVE_FROM:F:aargau"]
    assert legal(play(state, "MOVE_FROM:F:aargau MOVE_TO:baden COUNT:1")) == ["MOVE_DONE"]


def test_c7_own_regions_may_be_left_empty() -> None:
    state = play(lay(land={0: "aargau", 1: "baden"}, figures={"aargau": "1F"}), f"{MARCH} MOVE_DONE")
    assert army(state, "aargau") == ""
    assert owner(state, "aargau") == 0


def test_c8_undefended_targets_fall_right_after_the_moves_before_any_fight() -> None:
    land = {0: "aargau", 1: "baden schwaben"}
    state = lay(land=land, figures={"aargau": "9F", "baden": "1F"})
    play(state, "ACT_ATTACK MOVE_FROM:F:aargau MOVE_TO:baden COUNT:1 MOVE_FROM:F:aargau MOVE_TO:schwaben COUNT:1")
    assert owner(state, "schwaben") == 1
    play(state, "MOVE_DONE")
    assert owner(state, "schwaben") == 0
    assert legal(state) == ["FIGHT:baden"]


def test_k5_undefended_targets_are_conquered_one_at_a_time_in_region_order() -> None:
    land = {0: "aargau", 1: "baden elsass schwaben"}
    state = lay(land=land, figures={"aargau": "9F"}, castles="elsass schwaben")
    moves = " ".join(f"MOVE_FROM:F:aargau MOVE_TO:{region} COUNT:1" for region in ("baden", "elsass", "schwaben"))
    play(state, f"ACT_ATTACK {moves} MOVE_DONE")
    assert legal(state) == ["RAZE", "KEEP_CASTLE"]
    assert [owner(state, region) for region in ("baden", "elsass", "schwaben")] == [0, 0, 1]
    play(state, "RAZE")
    assert owner(state, "schwaben") == 0
    assert state.to_json()["castles"] == ["schwaben"]
    play(state, "KEEP_CASTLE")
    assert state.to_json()["castles"] == ["schwaben"]
    assert state.seat() == 1


def test_c9_the_attacker_picks_the_next_fight_after_the_last_result() -> None:
    land = {0: "aargau", 1: "baden elsass"}
    state = lay(land=land, figures={"aargau": "9F", "baden": "1F", "elsass": "1F"}, chance=dice("1"))
    play(state, "ACT_ATTACK MOVE_FROM:F:aargau MOVE_TO:baden COUNT:1 MOVE_FROM:F:aargau MOVE_TO:elsass COUNT:1")
    assert legal(play(state, "MOVE_DONE")) == ["FIGHT:baden", "FIGHT:elsass"]
    assert legal(play(state, "FIGHT:elsass")) == ["FIGHT:baden"]
    assert owner(state, "elsass") == 0


def test_c10_the_defender_decides_nothing() -> None:
    state = lay(land={0: "aargau", 1: "baden"}, figures={"aargau": "1F", "baden": "1F"}, chance=dice("6", "6"))
    play(state, f"{MARCH} MOVE_DONE FIGHT:baden")
    assert state.seat() == 0


def test_c11_a_retreat_is_offered_only_after_a_full_round() -> None:
    state = lay(land={0: "aargau", 1: "baden"}, figures={"aargau": "1F", "baden": "1F"}, chance=dice("6", "6"))
    assert legal(play(state, f"{MARCH} MOVE_DONE")) == ["FIGHT:baden"]
    assert legal(play(state, "FIGHT:baden")) == ["FIGHT_ON", "RETREAT:aargau"]


def test_c12_all_attackers_retreat_together_into_one_adjacent_own_region() -> None:
    land = {0: "aargau wuerttemberg verona", 1: "baden"}
    figures = {"aargau": "2F1A", "baden": "1F"}
    state = lay(land=land, figures=figures, chance=dice("6", "66", "6"))
    moves = "MOVE_FROM:F:aargau MOVE_TO:baden COUNT:2 MOVE_FROM:A:aargau MOVE_TO:baden COUNT:1"
    play(state, f"ACT_ATTACK {moves} MOVE_DONE FIGHT:baden")
    assert legal(state) == ["FIGHT_ON", "RETREAT:aargau", "RETREAT:wuerttemberg"]
    play(state, "RETREAT:wuerttemberg")
    assert (army(state, "wuerttemberg"), army(state, "aargau"), owner(state, "baden")) == ("2F1A", "", 1)


def test_c12_a_region_conquered_this_turn_takes_a_retreat() -> None:
    land = {0: "aargau", 1: "baden elsass"}
    figures = {"aargau": "2F", "baden": "1F"}
    state = lay(land=land, figures=figures, chance=dice("6", "6"))
    play(state, "ACT_ATTACK MOVE_FROM:F:aargau MOVE_TO:baden COUNT:1 MOVE_FROM:F:aargau MOVE_TO:elsass COUNT:1")
    assert "RETREAT:elsass" in legal(play(state, "MOVE_DONE FIGHT:baden"))


def test_c12_without_an_adjacent_own_region_there_is_no_retreat() -> None:
    land = {0: "mecklenburg", 1: "preussen"}
    state = lay(land=land, figures={"mecklenburg": "1K", "preussen": "1F"}, chance=dice("6", "6"))
    play(state, "ACT_ATTACK MOVE_FROM:K:mecklenburg MOVE_TO:preussen COUNT:1 MOVE_DONE FIGHT:preussen")
    assert legal(state) == ["FIGHT_ON"]


def test_k6_after_a_retreat_the_region_is_left_alone_this_turn() -> None:
    state = lay(land={0: "aargau", 1: "baden"}, figures={"aargau": "1F", "baden": "1F"}, chance=dice("6", "6"))
    play(state, f"{MARCH} MOVE_DONE FIGHT:baden RETREAT:aargau")
    assert (phase(state), state.seat(), army(state, "baden")) == ("TURN", 1, "1F")


def test_c13_a_conquest_brings_region_church_and_titles_at_once() -> None:
    land = {0: "baden", 1: "kurpfalz trier"}
    state = lay(land=land, figures={"baden": "1F"}, churches={"koeln": "kurpfalz"}, gold=[0, 0])
    assert holder(state, "pfalz") == 1
    play(state, "ACT_ATTACK MOVE_FROM:F:baden MOVE_TO:kurpfalz COUNT:1 MOVE_DONE")
    assert (owner(state, "kurpfalz"), holder(state, "pfalz")) == (0, 0)
    assert play(state, "ACT_HARVEST ACT_HARVEST").to_json()["gold"] == [2 * 2 + 1 + 2, 2 + 1]


def test_c13_the_conqueror_decides_on_the_castle_before_the_next_fight() -> None:
    land = {0: "aargau", 1: "baden elsass"}
    figures = {"aargau": "2F", "baden": "1F", "elsass": "1F"}
    state = lay(land=land, figures=figures, castles="baden", chance=dice("6", "1"))
    play(state, "ACT_ATTACK MOVE_FROM:F:aargau MOVE_TO:baden COUNT:1 MOVE_FROM:F:aargau MOVE_TO:elsass COUNT:1")
    assert legal(play(state, "MOVE_DONE FIGHT:baden")) == ["RAZE", "KEEP_CASTLE"]
    assert legal(play(state, "KEEP_CASTLE")) == ["FIGHT:elsass"]


def test_c14_an_undefended_castle_is_razed_by_the_same_choice() -> None:
    state = lay(land={0: "aargau", 1: "baden"}, figures={"aargau": "1F"}, castles="baden")
    assert legal(play(state, f"{MARCH} MOVE_DONE")) == ["RAZE", "KEEP_CASTLE"]


def test_c15_no_defender_is_left_in_a_conquered_region() -> None:
    state = lay(land={0: "aargau", 1: "baden"}, figures={"aargau": "1F", "baden": "1F"}, chance=dice("1"))
    play(state, f"{MARCH} MOVE_DONE FIGHT:baden")
    assert army(state, "baden") == "1F"
    assert owner(state, "baden") == 0


def test_c16_saxony_brandenburg_and_bohemia_stay_until_another_meets_the_condition() -> None:
    land = {0: "nordgau", 1: "suedboehmen nordboehmen"}
    state = lay(land=land, figures={"nordgau": "2F"})
    play(state, "ACT_ATTACK MOVE_FROM:F:nordgau MOVE_TO:nordboehmen COUNT:1 MOVE_DONE")
    assert holder(state, "boehmen") == 1
    play(state, "ACT_HARVEST ACT_ATTACK MOVE_FROM:F:nordgau MOVE_TO:suedboehmen COUNT:1 MOVE_DONE")
    assert holder(state, "boehmen") == 0


def test_c16_one_of_the_partners_is_enough() -> None:
    for partner in ("thueringen", "vogtland", "lausitz"):
        state = lay(land={0: "sachsen"}, pile=f"{partner} verona trient")
        assert holder(play(state, "ACT_ACQUIRE KEEP:1"), "sachsen") == 0
    for partner in ("altmark", "neumark"):
        state = lay(land={0: partner}, pile="brandenburg verona trient")
        assert holder(play(state, "ACT_ACQUIRE KEEP:1"), "brandenburg") == 0


def test_c16_the_partners_alone_are_not() -> None:
    state = lay(land={0: "thueringen vogtland"}, pile="lausitz verona trient")
    assert holder(play(state, "ACT_ACQUIRE KEEP:1"), "sachsen") is None


def test_c16_bishoprics_do_not_go_with_the_land() -> None:
    state = lay(land={0: "hessen", 1: "mainz"}, figures={"hessen": "1F"}, titles={"mainz": 1})
    play(state, "ACT_ATTACK MOVE_FROM:F:hessen MOVE_TO:mainz COUNT:1 MOVE_DONE")
    assert (owner(state, "mainz"), holder(state, "mainz")) == (0, 1)


def test_c17_every_figure_hits_with_a_sixth_at_least() -> None:
    state = lay(land={0: "aargau", 1: "baden"}, figures={"aargau": "1F", "baden": "1F"}, chance=dice("6", "6", "1"))
    play(state, f"{MARCH} MOVE_DONE FIGHT:baden FIGHT_ON")
    assert owner(state, "baden") == 0
    assert state.revealed() == [Reveal("d6", (1,))]


def test_lost_attackers_are_gone_and_the_fight_is_over() -> None:
    state = lay(land={0: "aargau", 1: "baden"}, figures={"aargau": "1F", "baden": "1F"}, chance=dice("6", "1"))
    play(state, f"{MARCH} MOVE_DONE FIGHT:baden")
    assert (phase(state), state.seat(), army(state, "baden"), army(state, "aargau")) == ("TURN", 1, "1F", "")
