"""What nobody may see: the order of the pile (S8, A1). Two playings that differ only there look alike to the byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from arena.match.decisions import Answer
from arena.match.match import Match
from arena.wire.messages import MatchEncoder
from engine.chance import Chance, RecordingChance, ScriptedChance, SeededChance
from engine.core import Reveal
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.evaluation.playable import PLAYABLE
from engine.games.rex_romanorum.view import SHOWN
from engine.record import Playing, PlayRecord, replay
from tests.support.specs import script_spec

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
