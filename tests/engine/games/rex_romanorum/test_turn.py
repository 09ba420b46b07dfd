"""Setup and frame (S1 to S11), the harvest (section 2), the order of turns (K1, K2)."""

from __future__ import annotations

import pytest

from engine.chance import SeededChance
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.board import REGIONS
from engine.games.rex_romanorum.scoring import production
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
