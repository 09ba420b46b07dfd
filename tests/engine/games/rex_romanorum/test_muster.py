"""Raising and moving figures: B4 to B9, the order of decisions (K3, K4), the cap of 100 (K9), money (K12)."""

from __future__ import annotations

from tests.engine.games.rex_romanorum.table import army, lay, legal, phase, play


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
