"""Positions as JSON, on the wire, as text and picture; and the invariants of 9.4 on random games."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import pytest

from engine.abilities import Move, View
from engine.chance import SeededChance
from engine.core import InvariantError, PositionError
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.board import REGIONS
from engine.games.rex_romanorum.checks import CHECKS
from engine.games.rex_romanorum.evaluation.playable import PLAYABLE
from engine.games.rex_romanorum.state import RexState
from engine.games.rex_romanorum.view import SHOWN
from engine.games.rex_romanorum.view.text import labels
from tests.engine.games.rex_romanorum.table import dice, lay
from tests.engine.games.rex_romanorum.table import play as play_on


# Random games are looked at by tests/engine/test_invariants.py.
def test_9_4_the_check_of_the_invariants_would_see_a_breach() -> None:
    state = lay(land={0: "aargau"})
    CHECKS.check_invariants(state)
    state.gold[0] = -1
    with pytest.raises(InvariantError, match="gold"):
        CHECKS.check_invariants(state)


@pytest.mark.parametrize(
    "options", [{"harvest": {"region": 7, "church": 3, "elector": 5}}, {"wealth": {"gold": 3, "knight": 9}}]
)
def test_9_4_the_invariants_hold_whatever_things_yield_and_count(options: dict[str, Any]) -> None:
    land, figures = {0: "mainz aargau", 1: "baden"}, {"mainz": "2F1K"}
    CHECKS.check_invariants(lay(land=land, figures=figures, castles="aargau", titles={"koeln": 0}, options=options))


def middle_positions(seats: int, seed: int) -> list[RexState]:
    """Every seventh position of a random game."""
    random, state, found = Random(seed), GAME.new_state(seats, chance=SeededChance(seed)), []
    ply = 0
    while state.seat() is not None:
        if ply % 7 == 0:
            found.append(state.clone())
        state.apply(random.choice(state.legal_actions()))
        ply += 1
    return [*found, state]


@pytest.mark.parametrize("seats", [2, 5])
def test_a_position_survives_json_and_its_observation_the_wire(seats: int) -> None:
    for state in middle_positions(seats, 3):
        assert GAME.state_from_json(json.loads(json.dumps(state.to_json()))) == state
        _, message = GAME.encode_observation(state, 0)
        assert GAME.observed(message).to_json() == state.observation_json(0)


def full_board() -> RexState:
    """Every region owned, with a castle and more figures than any game has seen, every church and title given."""
    churches = {"mainz": "altmark baden bremen hessen", "koeln": "tirol trient verona krain"}
    churches["trier"] = "elsass salzburg sachsen toskana"
    return lay(
        5,
        land={seat: " ".join(REGIONS[seat::5]) for seat in range(5)},
        figures=dict.fromkeys(REGIONS, "9000F9000A9000K"),
        castles=" ".join(REGIONS),
        churches=churches,
        titles={"mainz": 0, "koeln": 1, "trier": 2},
        gold=[10_000] * 5,
    )


def wire_size(state: RexState) -> int:
    return len(GAME.encode_observation(state, 0)[1])


def test_positions_of_random_games_have_less_than_600_bytes_on_the_wire() -> None:
    assert max(wire_size(state) for state in middle_positions(5, 1)) < 600


def test_a_full_position_in_mid_game_has_less_than_1500_bytes() -> None:
    state = full_board()
    assert wire_size(state) < 1500
    # The greatest attack there can be: every figure goes everywhere.
    play_on(state, "ACT_ATTACK")
    while (legal := state.legal_actions())[0] != GAME.actions.parse("MOVE_DONE"):
        state.apply(legal[-1] if GAME.actions.format(legal[0]) == "COUNT:1" else legal[0])
    assert len(state.to_json()["pending"]["arrived"]) > 100
    assert wire_size(state) < 1500


def altered(data: Any, random: Random) -> Any:
    """The data with one value somewhere in it replaced."""
    junk: list[Any] = [None, -1, 0, 1, 2, 61, 999, True, "", "mainz", "F:mainz", "RAZE", [], {}, [0], ["mainz"], 1.5]
    changed = copy.deepcopy(data)
    place: Any = changed
    while True:
        key = random.choice(list(place) if isinstance(place, dict) else list(range(len(place))))
        inside = place[key]
        if not isinstance(inside, (dict, list)) or not inside or random.random() < 0.2:
            place[key] = random.choice(junk)
            return changed
        place = inside


@pytest.mark.parametrize("seed", range(4))
def test_a_position_with_something_wrong_in_it_is_refused_or_can_be_played(seed: int) -> None:
    """Nothing that is read may blow up later: refused in one line, or played on without an error."""
    random = Random(seed)
    accepted = 0
    for state in middle_positions(2 + seed, seed):
        data = {name: value for name, value in state.to_json().items() if name != "options"}
        for _ in range(6):
            changed = altered(data, random) | {"options": state.to_json()["options"]}
            read = read_or_refuse(changed)
            if read is not None:
                accepted += 1
                play_a_little(read, random)
    assert accepted


def read_or_refuse(data: dict[str, Any]) -> RexState | None:
    """The position; None when it is refused."""
    try:
        return GAME.state_from_json(data)
    except PositionError:
        return None


def play_a_little(state: RexState, random: Random) -> None:
    for _ in range(40):
        if state.seat() is None:
            return
        state.apply(random.choice(state.legal_actions()))


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"owners": {"mainz": 0}}, "the cards of pile, discards and drawn"),
    ({"owners": {"rome": 0}}, "owners: expected a name like aargau, not 'rome'"),
    ({"figures": {"F:mainz": 1}}, "figures: somebody stands in a region that nobody owns"),
    ({"figures": {"F:mainz": 0}}, "figures.F:mainz: expected an integer from 1"),
    ({"gold": [1]}, "gold: expected a list of 2 integers"),
    ({"gold": [1, -1]}, "gold[1]: expected an integer from 0"),
    ({"phase": "KEEP"}, "pending: phase KEEP is no part of no action"),
    ({"phase": "SLEEP"}, "phase: expected TURN, KEEP"),
    ({"seat": 1}, "seat: in TURN 0 decides, not 1"),
    ({"round": 61}, "round: expected an integer from 1 to 60"),
    ({"pile": []}, "the cards of pile, discards and drawn"),
    ({"pile": ["mainz", "mainz"]}, "pile: something is named twice"),
    ({"options": {"hit": "never"}}, "options: option hit takes"),
    ({"version": 2}, "this reads positions of rex_romanorum, version 1"),
]


@pytest.mark.parametrize(("values", "message"), REFUSED)
def test_what_is_no_position_is_refused_with_the_key_and_what_it_takes(values: dict[str, Any], message: str) -> None:
    with pytest.raises(PositionError) as refusal:
        GAME.state_from_json(GAME.new_state(2).to_json() | values)
    assert message in str(refusal.value)


def test_an_observation_without_its_pile_is_no_position() -> None:
    with pytest.raises(PositionError, match="'pile' is missing"):
        GAME.state_from_json(GAME.new_state(2).observation_json(0))


def test_text_shows_what_everybody_owns() -> None:
    state = lay(
        land={0: "mainz", 1: "tirol"}, figures={"mainz": "2F1K"}, castles="mainz", titles={"mainz": 1}, gold=[8, 9]
    )
    text = SHOWN.text(state, None, "en")
    assert "Mainz[M]# 2F1K" in text
    assert "Archbishop of Mainz: B" in text
    assert "A Habsburg" in text
    assert max(map(len, text.splitlines())) <= 100


def test_the_picture_marks_owners_castles_churches_figures_and_titles_with_more_than_colour() -> None:
    state = lay(land={0: "mainz"}, figures={"mainz": "2F1K"}, castles="mainz", titles={"mainz": 0})
    picture = SHOWN.svg(state)
    assert 'fill="url(#p0)"' in picture
    assert ">2F1K</text>" in picture
    assert "Archbishop of Mainz" in picture
    # Every owner's fill is a hatching of its own.
    hatchings = {
        picture.partition(f'id="p{seat}"')[2].partition("</pattern>")[0].partition("<path")[2] for seat in range(5)
    }
    assert len(hatchings) == 5


def test_the_picture_shows_a_fight_and_its_attackers() -> None:
    state = lay(land={0: "aargau", 1: "baden"}, figures={"aargau": "3F", "baden": "1F"})
    play_on(state, "ACT_ATTACK MOVE_FROM:F:aargau MOVE_TO:baden COUNT:2 MOVE_DONE")
    picture = SHOWN.svg(state)
    (attacked,) = (part for part in SHOWN.picture(state, View()).parts if 'data-place="baden"' in part)
    assert "#rx-swords" in attacked
    assert '"#s0"' in attacked, "who attacks"
    assert '"#s1"' in attacked, "who defends"
    assert ">2F</text>" in attacked
    assert 'class="mark"' in picture


def test_the_picture_marks_the_last_move_and_shows_its_dice_and_cards() -> None:
    state = lay(land={0: "aargau", 1: "baden"}, figures={"aargau": "3F", "baden": "1F"}, chance=dice("621", "5"))
    shown = []
    for name in ["ACT_ATTACK", "MOVE_FROM:F:aargau", "MOVE_TO:baden", "COUNT:3", "MOVE_DONE", "FIGHT:baden"]:
        before = state.clone()
        play_on(state, name)
        move = Move(before, GAME.actions.parse(name), name, 0, state, state.revealed())
        shown.append(SHOWN.picture(state, View(names=("ann/fox", "<b>"), last=move)).svg())
    assert 'class="way"' in shown[3]
    assert 'class="edge last"' in shown[3]
    assert shown[5].count('class="struck"') == 1
    assert shown[5].count('class="miss"') == 2, "nobody is left to strike back"
    assert "ann/fox" in shown[5]
    assert "&lt;b&gt;" in shown[5]


def test_the_last_picture_shows_the_final_scoring() -> None:
    state = lay(gold=[30, 20], titles={"mainz": 0, "koeln": 0, "trier": 0, "boehmen": 0})
    assert ">Electors</text>" in SHOWN.svg(state)
    play_on(state, "ACT_KING STAND DECLINE VOTE:0 VOTE:0 VOTE:0 VOTE:0")
    picture, outcome = SHOWN.svg(state), state.outcome()
    assert outcome is not None
    assert all(f">{total}</text>" in picture for total in outcome.details["wealth"])
    assert picture.partition("</defs>")[2].count("#rx-crown") == 1


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_region_title_and_action_has_a_name(language: str) -> None:
    names = labels(language)
    assert all(names[region] for region in REGIONS)
    assert names["koeln"] == {"en": "Cologne", "de": "Köln"}[language]
    assert "{" not in "".join(names[action] for action in GAME.actions.names)


def test_evaluation_prefers_more_land_more_votes_and_the_crown() -> None:
    def value(**table: Any) -> float:
        return PLAYABLE.evaluate(lay(3, **table), 0)

    even = value()
    assert even == pytest.approx(0.5)
    assert value(land={0: "mainz"}) > even > value(land={1: "mainz"})
    assert value(titles={"mainz": 0}) > even
    four = {"mainz": 0, "koeln": 0, "trier": 0}
    assert value(land={0: "kurpfalz"}, titles=four) > value(land={0: "hessen"}, titles=four)


def test_evaluation_fears_an_army_at_an_empty_border() -> None:
    land = {0: "aargau", 1: "baden"}
    threatened = PLAYABLE.evaluate(lay(land=land, figures={"baden": "5F"}), 0)
    guarded = PLAYABLE.evaluate(lay(land=land, figures={"baden": "5F", "aargau": "5A"}, gold=[20, 30]), 0)
    assert guarded > threatened
