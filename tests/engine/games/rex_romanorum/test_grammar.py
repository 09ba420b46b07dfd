"""The decision grammar and its numbering (section 9), against the table of the rules and a slow second reading."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.chance import SeededChance
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.state import PHASES
from engine.record import Playing
from tests.engine.games.rex_romanorum.reference import Reference
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
def test_9_2_whole_games_go_as_in_a_second_writing_of_the_rules(options: dict[str, Any]) -> None:
    phases = {name for seed in range(4) for name in compare_a_playing(2 + seed % 4, options, seed)}
    assert len(phases) >= len(PHASES) - 3


def compare_a_playing(seats: int, values: dict[str, Any], seed: int) -> set[str]:
    """Play a game in both engines and compare every position; the phases it came through."""
    random, options = Random(seed), GAME.parse_options(values)
    playing = Playing(GAME, seats, options, SeededChance(seed))
    reference = Reference(seats, json.loads(json.dumps(GAME.options_json(options))))
    reference.chance.extend(list(outcome) for outcome in playing.chance_outcomes)
    story = reference.play()
    decision = next(story)
    phases = set()
    while True:
        compare(playing.state.to_json(), reference, decision)
        assert list(playing.state.legal_actions()) == [GAME.actions.parse(name) for name in decision[2]]
        phases.add(decision[0])
        # Uniform play seldom attacks and keeps few regions: the last entry does.
        is_last = random.random() < {"TURN": 0.3, "KEEP": 0.6, "COUNT": 0.3}.get(decision[0], 0.0)
        action = decision[2][-1] if is_last else random.choice(decision[2])
        known = len(playing.chance_outcomes)
        playing.apply(GAME.actions.parse(action))
        reference.chance.extend(list(outcome) for outcome in playing.chance_outcomes[known:])
        try:
            decision = story.send(action)
        except StopIteration:
            break
    outcome = playing.state.outcome()
    assert outcome is not None
    assert list(outcome.ranks) == reference.ranks()
    assert outcome.details["wealth"] == [reference.wealth(seat) for seat in range(seats)]
    assert (outcome.details["king"], outcome.details["rounds"]) == (reference.king, reference.round)
    return phases


def compare(data: dict[str, Any], reference: Reference, decision: tuple[str, int, list[str]]) -> None:
    """Everything on the table, who decides what, and that both drew as many outcomes of chance."""
    assert (data["phase"], data["seat"]) == decision[:2]
    assert (data["active"], data["round"]) == (reference.me, reference.round)
    assert data["gold"] == reference.gold
    assert data["owners"] == reference.owners
    assert data["titles"] == reference.titles
    assert {diocese: set(regions) for diocese, regions in data["churches"].items()} == reference.churches
    assert set(data["castles"]) == reference.castles
    standing = {f"{k}:{region}": n for region, army in reference.figures.items() for k, n in army.items() if n}
    assert data["figures"] == standing
    if data["phase"] in ("RAZE", "FIGHT", "FIGHT_ON"):
        attackers = {f"{k}:{region}": n for region, army in reference.attackers.items() for k, n in army.items() if n}
        assert data["pending"]["arrived"] == attackers
    cards = (reference.pile, reference.discards, reference.drawn)
    assert (data["pile"], data["discards"], data["drawn"]) == cards
    assert not reference.chance


NUMBERED = {"a": 9, "b": 9, "c": 17, "s": 11, "d": 7, "k": 16}
RULES = [f"{letter}{number}" for letter, last in NUMBERED.items() for number in range(1, last + 1)]
RULES += ["4_1", "4_2", "5_1", "5_2", "5_3", *(f"6_1_{number}" for number in range(1, 8))]
RULES += [*(f"6_2_{number}" for number in range(1, 6)), "8", "9_1", "9_2", "9_3", "9_4"]
NAMES = [
    name
    for path in sorted(Path(__file__).parent.glob("test_*.py"))
    for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("rule", RULES)
def test_a_test_names_the_rule(rule: str) -> None:
    assert any(name.startswith(f"test_{rule}_") for name in NAMES)
