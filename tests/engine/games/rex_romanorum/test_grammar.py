"""The decision grammar and its numbering (section 9), against the table of the rules and a slow second reading."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from engine.chance import SeededChance
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.position import PHASES
from tests.engine.games.rex_romanorum.naive import Naive
from tests.engine.games.rex_romanorum.table import lay, legal, phase, play

# Section 9.3: first and last id, first and last notation.
TABLE = [
    (0, 8, "ACT_ACQUIRE", "ACT_KING"),
    (9, 16, "KEEP:0", "KEEP:7"),
    (17, 202, "PLACE:F:aargau", "PLACE:K:wuerzburg"),
    (203, 203, "PLACE_DONE", "PLACE_DONE"),
    (204, 303, "COUNT:1", "COUNT:100"),
    (304, 489, "MOVE_FROM:F:aargau", "MOVE_FROM:K:wuerzburg"),
    (490, 551, "MOVE_TO:aargau", "MOVE_TO:wuerzburg"),
    (552, 552, "MOVE_DONE", "MOVE_DONE"),
    (553, 738, "CHURCH:mainz:aargau", "CHURCH:trier:wuerzburg"),
    (739, 800, "CASTLE:aargau", "CASTLE:wuerzburg"),
    (801, 801, "BUILD_DONE", "BUILD_DONE"),
    (802, 863, "FIGHT:aargau", "FIGHT:wuerzburg"),
    (864, 864, "FIGHT_ON", "FIGHT_ON"),
    (865, 926, "RETREAT:aargau", "RETREAT:wuerzburg"),
    (927, 928, "RAZE", "KEEP_CASTLE"),
    (929, 930, "STAND", "DECLINE"),
    (931, 935, "VOTE:0", "VOTE:4"),
    (936, 936, "ABSTAIN", "ABSTAIN"),
    (937, 1037, "OFFER:0", "OFFER:100"),
]


@pytest.mark.parametrize(("first", "last", "first_name", "last_name"), TABLE)
def test_9_3_the_numbering_is_that_of_the_table(first: int, last: int, first_name: str, last_name: str) -> None:
    assert GAME.actions.format(first) == first_name
    assert GAME.actions.format(last) == last_name


def test_9_3_the_table_has_1038_actions_without_a_gap() -> None:
    assert len(GAME.actions) == 1038 == sum(last - first + 1 for first, last, _, _ in TABLE)
    assert [first for first, _, _, _ in TABLE[1:]] == [last + 1 for _, last, _, _ in TABLE[:-1]]
    turn = "ACT_ACQUIRE ACT_HARVEST ACT_BUILD ACT_MUSTER ACT_ATTACK ACT_BISHOP:mainz ACT_BISHOP:koeln ACT_BISHOP:trier"
    assert [GAME.actions.format(action) for action in range(9)] == [*turn.split(), "ACT_KING"]


def test_9_1_kinds_come_before_regions_and_dioceses_are_mainz_koeln_trier() -> None:
    names = list(GAME.actions.names)
    kinds = [names.index(f"PLACE:{kind}:trier") for kind in "FAK"]
    assert [later - earlier for earlier, later in pairwise(kinds)] == [62, 62]
    dioceses = [names.index(f"CHURCH:{diocese}:trier") for diocese in ("mainz", "koeln", "trier")]
    assert [later - earlier for earlier, later in pairwise(dioceses)] == [62, 62]


def test_9_1_a_decision_with_a_single_entry_is_surfaced_too() -> None:
    state = lay(land={0: "aargau baden"}, figures={"aargau": "1F"}, gold=[0, 0])
    assert legal(play(state, "ACT_MUSTER MOVE_FROM:F:aargau")) == ["MOVE_TO:baden"]
    assert legal(play(state, "MOVE_TO:baden")) == ["COUNT:1"]
    # A phase without another entry than its _DONE is not entered.
    assert (phase(play(state, "COUNT:1")), state.seat()) == ("TURN", 1)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"variant": "short", "round_limit": 25},
    {"start_gold": 200, "harvest": {"cap": 300}, "king_election_price": 1, "round_limit": 20},
    {
        "build": {"max_total": 4, "max_churches": 3, "max_castles": 3},
        "churches_per_diocese": 9,
        "region_price": 2,
        "church_price": 1,
        "castle_price": 1,
        "bishop_election_price": 0,
        "figures": {"foot": {"move": 2}, "archer": {"cost": 1}},
        "round_limit": 20,
    },
]


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_9_2_the_legal_entries_are_those_of_the_table_in_its_order(options: dict[str, Any]) -> None:
    phases = {phase for seed in range(4) for phase in compare_a_playing(2 + seed % 4, options, seed)}
    assert len(phases) >= len(PHASES) - 3


def compare_a_playing(seats: int, options: dict[str, Any], seed: int) -> set[str]:
    """Play a game in which every position is compared; the phases it came through."""
    random = Random(seed)
    state = GAME.new_state(seats, GAME.parse_options(options), SeededChance(seed))
    phases = set()
    while state.seat() is not None:
        data = json.loads(json.dumps(state.to_json()))
        expected = [GAME.actions.parse(name) for name in Naive(data).legal()]
        assert list(state.legal_actions()) == expected, data
        phases.add(data["phase"])
        # Uniform play seldom attacks and keeps few regions: the last entry does.
        is_last = random.random() < {"TURN": 0.3, "KEEP": 0.6, "COUNT": 0.3}.get(data["phase"], 0.0)
        state.apply(expected[-1] if is_last else random.choice(expected))
    return phases
