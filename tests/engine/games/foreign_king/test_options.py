"""The options of section 8 and the presets, and what holds over every playing (section 6) under any of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core import InvariantError, OptionsError
from engine.games.foreign_king import GAME
from engine.games.foreign_king.checks import CHECKS
from engine.games.foreign_king.options import Options


def test_the_defaults_are_the_canonical_rules() -> None:
    assert GAME.options_json(GAME.parse_options({})) == {
        "rulebook": "canonical",
        "queen_scope": "any",
        "congress_on_empty": False,
        "virtual_discs": 15,
        "virtual_can_win": True,
        "bank": "unlimited",
        "max_rounds": 100,
    }


@pytest.mark.parametrize("edition", ["en", "it", "fr"])
def test_editions_that_play_like_the_canonical_rules(edition: str) -> None:
    assert replace(GAME.parse_options({"rulebook": edition}), rulebook="canonical") == Options()


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("congress_on_empty", "yes", True),
        ("congress_on_empty", "No", False),
        ("congress_on_empty", True, True),
        ("virtual_can_win", "no", False),
        ("virtual_can_win", "false", False),
        ("virtual_discs", "16", 16),
        ("virtual_discs", 16, 16),
        ("bank", "37", 37),
        ("bank", 41, 41),
        ("bank", "unlimited", None),
        ("max_rounds", "12", 12),
        ("max_rounds", 1, 1),
        ("queen_scope", "occupied_by_others", "occupied_by_others"),
        ("rulebook", "DE", "de"),
    ],
)
def test_values_and_their_texts(name: str, value: Any, expected: Any) -> None:
    assert getattr(GAME.parse_options({name: value}), name) == expected


@pytest.mark.parametrize(
    ("name", "value", "takes"),
    [
        ("rulebook", "es", "canonical or en or de or it or fr"),
        ("queen_scope", "all", "any or occupied_by_others"),
        ("congress_on_empty", "maybe", "no or yes"),
        ("congress_on_empty", 1, "no or yes"),
        ("virtual_discs", 14, "15 or 16"),
        ("virtual_discs", 15.0, "15 or 16"),
        ("bank", 40, "unlimited or 37 or 41"),
        ("bank", None, "unlimited or 37 or 41"),
        ("max_rounds", 0, "1 to 1000"),
        ("max_rounds", "1001", "1 to 1000"),
        ("max_rounds", -1, "1 to 1000"),
        ("max_rounds", True, "1 to 1000"),
        ("max_rounds", "٣", "1 to 1000"),
        ("max_rounds", 2.0, "1 to 1000"),
    ],
)
def test_other_values_are_refused_with_those_there_are(name: str, value: Any, takes: str) -> None:
    with pytest.raises(OptionsError, match=f"option {name} takes {takes}"):
        GAME.parse_options({name: value})


def test_an_unknown_option_is_refused_with_those_there_are() -> None:
    with pytest.raises(OptionsError, match="no option 'queen'; it has: rulebook, queen_scope"):
        GAME.parse_options({"queen": "any"})


@pytest.mark.parametrize("discs", [15, 16])
def test_the_virtual_player_has_its_discs(discs: int) -> None:
    state = GAME.new_state(2, GAME.parse_options({"virtual_discs": discs}))
    assert state.to_json()["hand"] == [15, 15, discs]


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "rulebook": st.sampled_from(["canonical", "en", "de", "it", "fr"]),
        "congress_on_empty": st.booleans(),
        "virtual_discs": st.sampled_from([15, 16]),
        "virtual_can_win": st.booleans(),
        "bank": st.sampled_from(["unlimited", 37, 41]),
        "max_rounds": st.integers(1, 40),
    },
)
# A choice is a fraction of the legal list, so that a shrunk playing stays legal.
CHOICES = st.lists(st.integers(0, 255), min_size=20, max_size=400)


def test_the_check_of_the_invariants_would_see_a_breach() -> None:
    state = GAME.new_state(3)
    CHECKS.check_invariants(state)
    state.hand[1] -= 1
    with pytest.raises(InvariantError, match="colour 1 has 13 discs in hand, Congress and provinces, not 14"):
        CHECKS.check_invariants(state)


def test_the_check_of_the_invariants_counts_what_follows_from_the_table_once_more() -> None:
    state = GAME.new_state(3)
    state.occupied[1] |= 4
    with pytest.raises(InvariantError, match=r"occupied is \[0, 4, 0\], but \[0, 0, 0\] follows"):
        CHECKS.check_invariants(state)


def inactive(data: dict[str, Any]) -> list[int]:
    return [there[kind] for there in data["factories"].values() for kind in "mt"]


@settings(max_examples=20, deadline=None)
@given(seats=st.integers(2, 4), options=OPTIONS, choices=CHOICES)
def test_every_playing_keeps_the_invariants(seats: int, options: dict[str, Any], choices: list[int]) -> None:
    state = GAME.new_state(seats, GAME.parse_options(options))
    kings, before = 0, state.to_json()
    for choice in choices:
        if state.seat() is None:
            break
        legal = state.legal_actions()
        action = legal[choice * len(legal) // 256]
        state.apply(action)
        after = state.to_json()
        CHECKS.check_invariants(state)
        assert all(new >= old for new, old in zip(after["scores"], before["scores"], strict=True))
        assert after["marker"] <= before["marker"]
        assert all(new >= old for new, old in zip(inactive(after), inactive(before), strict=True))
        kings += after["king"] != before["king"]
        before = after
    assert kings <= 16


@settings(max_examples=20, deadline=None)
@given(seats=st.integers(2, 4), options=OPTIONS, choices=CHOICES)
def test_json_and_wire_carry_every_position(seats: int, options: dict[str, Any], choices: list[int]) -> None:
    state = GAME.new_state(seats, GAME.parse_options(options))
    for choice in choices:
        if state.seat() is None:
            break
        legal = state.legal_actions()
        state.apply(legal[choice * len(legal) // 256])
        assert GAME.state_from_json(state.to_json()) == state
        assert GAME.observed(GAME.encode_observation(state, 0)[1]).to_json() == state.to_json()


def points_of_active_factories(data: dict[str, Any]) -> int:
    return sum(6 * there["M"] + 3 * there["T"] for there in data["factories"].values())


@settings(max_examples=20, deadline=None)
@given(seats=st.integers(2, 4), choices=CHOICES)
def test_factories_give_at_most_forty_five_points_in_all(seats: int, choices: list[int]) -> None:
    state = GAME.new_state(seats)
    from_factories = 0
    for choice in choices:
        if state.seat() is None:
            break
        before = state.to_json()
        legal = state.legal_actions()
        state.apply(legal[choice * len(legal) // 256])
        after = state.to_json()
        gained = sum(after["scores"]) - sum(before["scores"])
        closed = points_of_active_factories(before) - points_of_active_factories(after)
        if gained and closed > 0:
            assert gained == closed
            from_factories += gained
    assert from_factories <= 45
