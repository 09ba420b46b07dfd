"""Churches and castles: section 5.1, B2, B3, K14."""

from __future__ import annotations

from tests.engine.games.rex_romanorum.table import lay, legal, phase, play


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
