"""Positions as JSON, on the wire, as text and picture; invariants (9.4); what nobody may see (S8, A1)."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from arena.match.decisions import Answer
from arena.match.match import Match
from arena.wire.messages import MatchEncoder
from engine.abilities import Move, View
from engine.chance import Chance, RecordingChance, ScriptedChance, SeededChance
from engine.core import InvariantError, PositionError, Reveal
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.board import REGIONS
from engine.games.rex_romanorum.checks import CHECKS
from engine.games.rex_romanorum.evaluation.playable import PLAYABLE
from engine.games.rex_romanorum.state import RexState
from engine.games.rex_romanorum.view import SHOWN
from engine.games.rex_romanorum.view.text import labels
from engine.record import Playing, PlayRecord, replay
from tests.engine.games.rex_romanorum.table import dice, lay
from tests.engine.games.rex_romanorum.table import play as play_on
from tests.support.specs import script_spec


# Random games are looked at by tests/engine/test_conformance.py.
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


SEATS = 3


def play_random(playing: Playing, seed: int, plies: int) -> None:
    random = Random(seed)
    for _ in range(plies):
        if playing.state.seat() is not None:
            playing.apply(random.choice(playing.state.legal_actions()))


def hidden_twin(record: PlayRecord, random: Random) -> list[list[int]]:
    """The record's outcomes with every shuffle changed where no card was drawn from it, all else equal."""
    drawn = cards_drawn_per_pile(record)
    outcomes = []
    for outcome in record.chance:
        if len(outcome) == 1 and outcome[0] != 0:
            outcomes.append(list(outcome))
            continue
        seen = drawn.pop(0)
        rest = list(outcome[seen:])
        random.shuffle(rest)
        outcomes.append([*outcome[:seen], *rest])
    return outcomes


def cards_drawn_per_pile(record: PlayRecord) -> list[int]:
    """How many cards were drawn from each pile, by playing the record again."""
    playing = Playing(GAME, record.seats, GAME.parse_options(record.options), ScriptedChance(record.chance))
    counts = [0]
    for action in record.actions:
        left = len(playing.state.to_json()["pile"])
        before = len(playing.chance_outcomes)
        event = playing.apply(action)
        cards = [reveal for reveal in event.reveals if reveal.kind == "card"]
        if not cards:
            continue
        if len(playing.chance_outcomes) > before:
            counts[-1] += left
            counts.append(len(cards[0].values) - left)
        else:
            counts[-1] += len(cards[0].values)
    return counts


def what_is_seen(record: PlayRecord, outcomes: list[list[int]]) -> Iterator[Any]:
    """Everything a bot, a spectator or a picture is given, ply by ply."""
    playing = Playing(GAME, record.seats, GAME.parse_options(record.options), ScriptedChance(outcomes))
    for action in (*record.actions, None):
        state = playing.state
        for seat in range(record.seats):
            yield json.dumps(state.observation_json(seat))
            yield GAME.encode_observation(state, seat)
        yield SHOWN.text(state, None, "en"), SHOWN.svg(state)
        yield list(state.legal_actions()), PLAYABLE.evaluate_all(state)
        yield [list(playing.visible_events(seat, 0)) for seat in (None, 0)]
        if action is not None:
            playing.apply(action)


@pytest.mark.parametrize(
    ("seed", "plies"), [(1, 40), pytest.param(7, 400, marks=pytest.mark.needs("minutes")), (11, 120)]
)
def test_playings_that_agree_on_all_that_is_revealed_look_the_same(seed: int, plies: int) -> None:
    playing = Playing(GAME, SEATS, GAME.parse_options({}), SeededChance(seed))
    play_random(playing, seed, plies)
    record = playing.record()
    twin = hidden_twin(record, Random(seed))
    assert twin != [list(outcome) for outcome in record.chance]
    for ours, theirs in zip(
        what_is_seen(record, [list(o) for o in record.chance]), what_is_seen(record, twin), strict=True
    ):
        assert ours == theirs


def referee_says(
    monkeypatch: pytest.MonkeyPatch, chance: Chance, seed: int, decisions: int
) -> tuple[list[bytes], Match]:
    """What a referee sends to the seats of a match, as its own encoder makes it; the bots choose by seed."""
    with monkeypatch.context() as patch:
        patch.setattr("arena.match.match.SeededChance", lambda _: chance)
        match = Match(script_spec("", SEATS, game=GAME.name, rules_version=GAME.rules_version, options={}))
    encoder, random = MatchEncoder(match), Random(seed)
    said = [encoder.started(seat) for seat in range(SEATS)]
    match.begin()
    while (decision := match.decision) is not None and len(said) < SEATS + decisions:
        said.append(encoder.decide(decision))
        choice = random.choice(decision.legal)
        match.receive(decision.seat, Answer(match.spec.match_id, decision.ply, (choice,), ""), 10, 10)
    if match.is_over:
        said += [encoder.finished(seat) for seat in range(SEATS)]
    return said, match


@pytest.mark.parametrize(("seed", "decisions"), [(1, 25), (2, 90), (8, 300), (10, 100_000)])
def test_the_referee_says_the_same_to_the_byte_whatever_the_hidden_order(
    seed: int, decisions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, match = referee_says(monkeypatch, SeededChance(seed), seed, decisions)
    record = match.playing.record()
    twin = hidden_twin(record, Random(seed))
    assert twin != [list(outcome) for outcome in record.chance]
    theirs, other = referee_says(monkeypatch, ScriptedChance(twin), seed, decisions)
    assert ours == theirs
    assert match.playing.visible_events(None, 0) == other.playing.visible_events(None, 0)
    assert match.is_over == other.is_over == (decisions == 100_000)


def test_a_shuffle_is_never_revealed() -> None:
    for seed in range(6):
        playing = Playing(GAME, 2, GAME.parse_options({}), SeededChance(seed))
        play_random(playing, seed, 2000)
        kinds = {reveal.kind for event in playing.events for reveal in event.reveals}
        assert kinds <= {"card", "d6"}
        for event in playing.events:
            for reveal in event.reveals:
                assert len(reveal.values) <= 3 or reveal.kind == "d6"


def test_k10_outcomes_are_recorded_with_the_action_that_caused_them() -> None:
    playing = Playing(GAME, SEATS, GAME.parse_options({}), SeededChance(8))
    play_random(playing, 8, 3000)
    record = playing.record()
    assert record.chance_plies is not None
    assert record.chance_plies[0] == -1
    verbs = {GAME.actions.format(record.actions[ply]).partition(":")[0] for ply in record.chance_plies[1:]}
    assert verbs <= {"ACT_ACQUIRE", "FIGHT", "FIGHT_ON", "VOTE"}
    assert {"ACT_ACQUIRE", "FIGHT"} <= verbs


def test_k10_a_replay_needs_no_generator() -> None:
    playing = Playing(GAME, SEATS, GAME.parse_options({"variant": "short"}), SeededChance(3))
    play_random(playing, 3, 5000)
    record = PlayRecord.from_json(json.loads(json.dumps(playing.record().to_json())))
    assert record == playing.record()
    assert replay(record).state == playing.state


def test_a_clone_draws_from_a_stream_of_its_own() -> None:
    source = RecordingChance(SeededChance(1))
    state = GAME.new_state(2, chance=source)
    before = len(source.outcomes)
    clone = state.clone()
    random = Random(1)
    for _ in range(600):
        if clone.seat() is not None:
            clone.apply(random.choice(clone.legal_actions()))
    assert len(source.outcomes) == before
    assert state.to_json()["pile"] == GAME.new_state(2, chance=SeededChance(1)).to_json()["pile"]


def test_a_determinized_position_has_a_pile_drawn_from_the_generator() -> None:
    state = GAME.new_state(2, chance=SeededChance(1))
    seen = GAME.observed(GAME.encode_observation(state, 0)[1])
    piles = {tuple(PLAYABLE.determinize(seen, Random(seed)).to_json()["pile"]) for seed in range(5)}
    assert len(piles) == 5
    assert all(sorted(pile) == sorted(state.to_json()["pile"]) for pile in piles)
    assert PLAYABLE.determinize(seen, Random(3)) == PLAYABLE.determinize(seen, Random(3))


def test_an_observation_stays_as_it_is_when_positions_are_drawn_from_it() -> None:
    state = GAME.new_state(2, chance=SeededChance(1))
    seen = GAME.observed(GAME.encode_observation(state, 0)[1])
    before = seen.state.to_json()
    assert PLAYABLE.determinize(seen, Random(3)) is not PLAYABLE.determinize(seen, Random(3))
    assert seen.state.to_json() == before
    assert seen.to_json() == state.observation_json(0)


def test_dice_and_cards_of_the_last_action_are_revealed_and_only_those() -> None:
    state = GAME.new_state(2, chance=SeededChance(1))
    assert state.revealed() == []
    state.apply(GAME.actions.parse("ACT_ACQUIRE"))
    drawn = state.revealed()
    assert [reveal.kind for reveal in drawn] == ["card"]
    assert isinstance(drawn[0], Reveal)
    state.apply(GAME.actions.parse("KEEP:0"))
    assert state.revealed() == []
