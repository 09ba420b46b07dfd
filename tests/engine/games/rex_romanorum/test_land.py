"""Buying regions (A1 to A9) and the order of cards (K10); churches and castles (5.1, K14)."""

from __future__ import annotations

import pytest

from engine.chance import SeededChance
from engine.core import Reveal
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.board import REGIONS
from tests.engine.games.rex_romanorum.table import (
    army,
    chance_left,
    holder,
    lay,
    legal,
    order_of,
    owner,
    phase,
    play,
    scripted,
)

ALL = " ".join(REGIONS)


def without(*regions: str) -> str:
    return " ".join(region for region in REGIONS if region not in regions)


def test_k10_the_top_three_cards_are_drawn_in_order_and_shown() -> None:
    state = play(lay(pile="trier mainz aargau"), "ACT_ACQUIRE")
    assert state.to_json()["drawn"] == ["trier", "mainz", "aargau"]
    assert state.revealed() == [Reveal("card", tuple(REGIONS.index(name) for name in ("trier", "mainz", "aargau")))]


def test_k10_the_first_shuffle_is_of_the_regions_in_their_order() -> None:
    chance = scripted([order_of("verona trient")])
    state = GAME.new_state(2, chance=chance)
    assert state.to_json()["pile"][:3] == ["verona", "trient", "aargau"]
    assert chance.outcomes == [order_of("verona trient")]


def test_k10_bit_0_of_keep_is_the_first_card_drawn() -> None:
    state = play(lay(pile="trier mainz aargau"), "ACT_ACQUIRE KEEP:1")
    assert owner(state, "trier") == 0
    assert owner(state, "mainz") is None


def test_a1_a_pile_of_two_is_drawn_then_the_discards_are_shuffled_and_drawn_on() -> None:
    discards = ["altmark", "aquileia", "baden", "brabant"]
    land = without("trier", "mainz", *discards)
    state = lay(land={0: land}, pile="trier mainz", discards=discards, chance=[[2, 0, 3, 1]])
    play(state, "ACT_ACQUIRE")
    assert state.to_json()["drawn"] == ["trier", "mainz", "baden"]
    assert state.to_json()["pile"] == ["altmark", "brabant", "aquileia"]
    assert state.to_json()["discards"] == []


def test_a1_the_cards_just_drawn_stay_out_of_that_shuffle() -> None:
    state = lay(land={0: without("trier", "baden")}, pile="trier", discards=["baden"], chance=[[0]])
    play(state, "ACT_ACQUIRE")
    assert state.to_json()["drawn"] == ["trier", "baden"]
    assert chance_left(state) == 0


@pytest.mark.parametrize("left", [("trier",), ("trier", "mainz")])
def test_a1_fewer_than_three_cards_only_when_fewer_regions_are_unowned(left: tuple[str, ...]) -> None:
    state = play(lay(land={0: without(*left)}, pile=" ".join(left)), "ACT_ACQUIRE")
    assert state.to_json()["drawn"] == list(left)
    assert legal(state) == [f"KEEP:{subset}" for subset in range(2 ** len(left))]


def test_a2_an_empty_pile_is_renewed_only_when_the_next_card_is_needed() -> None:
    land = without("trier", "mainz", "aargau")
    state = play(lay(land={0: land}, pile="trier mainz aargau"), "ACT_ACQUIRE KEEP:0")
    assert state.to_json()["pile"] == []
    assert state.to_json()["discards"] == ["trier", "mainz", "aargau"]
    again = lay(land={0: land}, discards=["trier", "mainz", "aargau"], chance=[[2, 1, 0]])
    assert play(again, "ACT_ACQUIRE").to_json()["drawn"] == ["aargau", "mainz", "trier"]


def test_a3_without_an_unowned_region_nothing_can_be_acquired() -> None:
    state = lay(land={0: ALL})
    assert "ACT_ACQUIRE" not in legal(state)
    assert not state.is_legal(0)


@pytest.mark.parametrize(("gold", "kept"), [(4, 0), (5, 1), (14, 2), (15, 3), (99, 3)])
def test_a4_as_many_cards_may_be_kept_as_can_be_paid(gold: int, kept: int) -> None:
    state = play(lay(gold=[gold, 0], pile="trier mainz aargau"), "ACT_ACQUIRE")
    assert legal(state) == [f"KEEP:{subset}" for subset in range(8) if subset.bit_count() <= kept]


def test_a4_cards_may_be_burned_without_any_gold() -> None:
    assert "ACT_ACQUIRE" in legal(lay(gold=[0, 0]))


def test_a5_a_new_region_need_not_touch_ones_own_land() -> None:
    state = play(lay(land={0: "preussen"}, pile="provence toskana verona"), "ACT_ACQUIRE KEEP:7")
    assert state.to_json()["owners"] == {"preussen": 0, "provence": 0, "toskana": 0, "verona": 0}


def test_a6_drawn_seen_chosen_paid_then_titles_then_figures() -> None:
    state = play(lay(gold=[16, 0], pile="nordboehmen suedboehmen mainz"), "ACT_ACQUIRE KEEP:3")
    assert holder(state, "boehmen") == 0
    assert state.to_json()["gold"] == [6, 0]
    assert state.to_json()["discards"] == ["mainz"]
    assert legal(state)[0] == "PLACE:F:nordboehmen"
    assert legal(state)[-1] == "PLACE_DONE"


def test_a6_rejected_cards_are_discarded_in_the_order_drawn() -> None:
    state = play(lay(pile="trier mainz aargau"), "ACT_ACQUIRE KEEP:2")
    assert state.to_json()["discards"] == ["trier", "aargau"]


def test_a7_a_new_region_takes_three_figures_at_most_and_no_knights() -> None:
    state = play(lay(pile="trier mainz aargau"), "ACT_ACQUIRE KEEP:1")
    assert legal(state) == ["PLACE:F:trier", "PLACE:A:trier", "PLACE_DONE"]
    assert legal(play(state, "PLACE:F:trier")) == ["COUNT:1", "COUNT:2", "COUNT:3"]
    assert legal(play(state, "COUNT:2")) == ["PLACE:A:trier", "PLACE_DONE"]
    assert legal(play(state, "PLACE:A:trier")) == ["COUNT:1"]
    assert army(play(state, "COUNT:1"), "trier") == "2F1A"
    assert state.to_json()["gold"][0] == 30 - 5 - 2 - 2


def test_a7_the_limit_holds_only_here() -> None:
    state = lay(land={0: "trier"}, figures={"trier": "9F"})
    assert "COUNT:30" in legal(play(state, "ACT_MUSTER PLACE:F:trier"))


def test_a7_only_the_regions_just_bought_are_garrisoned() -> None:
    state = play(lay(land={0: "aargau"}, pile="trier mainz baden"), "ACT_ACQUIRE KEEP:4")
    assert legal(state) == ["PLACE:F:baden", "PLACE:A:baden", "PLACE_DONE"]


def test_k3_garrisoning_is_skipped_when_nothing_can_be_placed() -> None:
    state = play(lay(gold=[5, 0], pile="trier mainz aargau"), "ACT_ACQUIRE KEEP:1")
    assert (phase(state), state.seat()) == ("TURN", 1)


def test_k3_garrisoning_ends_by_itself_when_nothing_more_can_be_placed() -> None:
    state = play(lay(gold=[7, 0], pile="trier mainz aargau"), "ACT_ACQUIRE KEEP:1 PLACE:F:trier COUNT:2")
    assert (phase(state), state.seat()) == ("TURN", 1)


def test_placing_follows_kinds_then_regions() -> None:
    state = play(lay(pile="trier mainz aargau"), "ACT_ACQUIRE KEEP:7 PLACE:F:mainz COUNT:1")
    places = ["PLACE:F:trier", "PLACE:A:aargau", "PLACE:A:mainz", "PLACE:A:trier", "PLACE_DONE"]
    assert legal(state) == places


@pytest.mark.parametrize("region", ["mainz", "koeln", "trier"])
def test_a8_a_bought_see_brings_its_church(region: str) -> None:
    state = play(lay(pile=f"{region} aargau altmark"), "ACT_ACQUIRE KEEP:1 PLACE_DONE ACT_HARVEST ACT_HARVEST")
    assert state.to_json()["gold"][0] == 30 - 5 + 2 + 1


def test_a9_the_short_variant_has_47_cards_and_the_15_regions_stay_unowned() -> None:
    state = GAME.new_state(3, GAME.parse_options({"variant": "short"}), SeededChance(4))
    pile = set(state.to_json()["pile"])
    assert len(pile) == 47
    out = "dauphine savoien provence piemont lombardei trient aquileia krain verona romagna toskana patrimonium_petri"
    assert set(REGIONS) - pile == {*out.split(), "hennegau", "preussen", "pommern"}


def test_a9_knights_ride_through_the_15_regions_but_nobody_stops_there() -> None:
    land = {0: "mecklenburg", 1: "brandenburg neumark"}
    figures = {"mecklenburg": "1F1K", "brandenburg": "1F"}
    state = lay(land=land, figures=figures, options={"variant": "short"})
    # A foreign figure bars Brandenburg, so Neumark is reached through Pommern.
    assert legal(play(state.clone(), "ACT_ATTACK MOVE_FROM:K:mecklenburg")) == [
        "MOVE_TO:brandenburg",
        "MOVE_TO:neumark",
    ]
    assert legal(play(state.clone(), "ACT_ATTACK MOVE_FROM:F:mecklenburg")) == ["MOVE_TO:brandenburg"]


def test_a9_the_last_card_of_the_47_ends_the_buying() -> None:
    deck = GAME.new_state(2, GAME.parse_options({"variant": "short"})).to_json()["pile"]
    state = lay(land={0: " ".join(deck)}, options={"variant": "short"})
    assert "ACT_ACQUIRE" not in legal(state)


def test_a7_a_region_that_somehow_holds_more_takes_none() -> None:
    data = play(lay(pile="trier mainz aargau"), "ACT_ACQUIRE KEEP:3").to_json()
    state = GAME.state_from_json(data | {"figures": {"F:trier": 4}})
    assert legal(state) == ["PLACE:F:mainz", "PLACE:A:mainz", "PLACE_DONE"]
    assert not state.is_legal(GAME.actions.parse("PLACE:A:trier"))


def test_5_1_a_church_and_a_castle_cost_5_each_and_may_stand_together() -> None:
    state = play(lay(land={0: "aargau"}), "ACT_BUILD CHURCH:koeln:aargau CASTLE:aargau")
    assert state.to_json()["gold"][0] == 20
    assert state.to_json()["churches"]["koeln"] == ["aargau", "koeln"]
    assert state.to_json()["castles"] == ["aargau"]


def test_5_1_building_ends_by_itself_after_two() -> None:
    state = play(lay(land={0: "aargau baden"}), "ACT_BUILD CASTLE:aargau")
    assert legal(state) == ["CASTLE:baden", "BUILD_DONE"]
    assert play(state, "CASTLE:baden").seat() == 1


def test_5_1_building_ends_by_itself_when_nothing_more_is_legal() -> None:
    state = play(lay(land={0: "aargau baden"}, gold=[9, 0]), "ACT_BUILD CHURCH:mainz:baden")
    assert (phase(state), state.seat()) == ("TURN", 1)


def test_5_1_only_in_own_regions_without_such_a_building() -> None:
    state = lay(land={0: "aargau baden mainz", 1: "elsass"}, castles="baden", churches={"trier": "baden"})
    play(state, "ACT_BUILD")
    sites = [f"CHURCH:{diocese}:aargau" for diocese in ("mainz", "koeln", "trier")]
    assert legal(state) == [*sites, "CASTLE:aargau", "CASTLE:mainz"]


def test_5_1_each_building_comes_later_in_the_table_than_the_one_before() -> None:
    state = play(lay(land={0: "aargau baden"}), "ACT_BUILD CHURCH:koeln:aargau")
    sites = ["CHURCH:koeln:baden", "CHURCH:trier:baden", "CASTLE:aargau", "CASTLE:baden", "BUILD_DONE"]
    assert legal(state) == sites


def test_5_1_a_diocese_has_five_churches_the_first_one_included() -> None:
    built = {"mainz": "altmark bremen brabant hessen"}
    state = lay(land={0: "aargau", 1: "altmark bremen brabant hessen"}, churches=built)
    play(state, "ACT_BUILD")
    assert legal(state) == ["CHURCH:koeln:aargau", "CHURCH:trier:aargau", "CASTLE:aargau"]


def test_5_1_two_of_a_diocese_at_once_only_if_he_owned_none_of_it() -> None:
    without = play(lay(land={0: "aargau baden"}), "ACT_BUILD CHURCH:mainz:aargau")
    assert "CHURCH:mainz:baden" in legal(without)
    with_one = play(lay(land={0: "aargau baden mainz"}), "ACT_BUILD CHURCH:mainz:aargau")
    assert "CHURCH:mainz:baden" not in legal(with_one)
    assert "CHURCH:koeln:baden" in legal(with_one)


def test_5_1_the_start_church_of_an_unowned_see_is_not_his() -> None:
    state = play(lay(land={0: "aargau baden"}), "ACT_BUILD CHURCH:mainz:aargau CHURCH:mainz:baden")
    assert state.to_json()["churches"]["mainz"] == ["aargau", "baden", "mainz"]


def test_k14_never_three_churches_of_a_diocese_in_one_action() -> None:
    options = {"build": {"max_total": 5, "max_churches": 5}}
    state = lay(land={0: "aargau baden brabant"}, options=options)
    play(state, "ACT_BUILD CHURCH:mainz:aargau CHURCH:mainz:baden")
    assert "CHURCH:mainz:brabant" not in legal(state)
    assert "CHURCH:koeln:brabant" in legal(state)


def test_k14_the_limits_of_a_build_action_are_options() -> None:
    state = lay(land={0: "aargau baden"}, options={"build": {"max_castles": 1}})
    assert legal(play(state, "ACT_BUILD CASTLE:aargau")) == ["ACT_ACQUIRE", "ACT_HARVEST"]
    none = lay(land={0: "aargau baden"}, options={"build": {"max_total": 0}})
    assert "ACT_BUILD" not in legal(none)


def test_b2_building_nothing_is_no_build_action() -> None:
    assert "BUILD_DONE" not in legal(play(lay(land={0: "aargau"}), "ACT_BUILD"))
    assert "ACT_BUILD" not in legal(lay(land={0: "aargau"}, gold=[4, 0]))


def test_b3_nothing_of_ones_own_is_torn_down() -> None:
    state = play(lay(land={0: "aargau"}, castles="aargau", churches={"mainz": "aargau"}), "ACT_MUSTER")
    assert all("RAZE" not in name for name in legal(state))


def test_k12_a_building_is_paid_at_its_action() -> None:
    state = lay(land={0: "aargau baden"}, options={"church_price": 7, "castle_price": 11})
    assert play(state, "ACT_BUILD CHURCH:mainz:baden").to_json()["gold"][0] == 23
    assert play(state, "CASTLE:baden").to_json()["gold"][0] == 12
