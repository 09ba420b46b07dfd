"""What every registered game owes to whoever plays it: the contract of engine/core.py, on random playings."""

from __future__ import annotations

import copy
import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from random import Random

import pytest

from engine import registry
from engine.abilities import need_playable
from engine.chance import RecordingChance, SeededChance
from engine.core import (
    Game,
    GameOverError,
    IllegalActionError,
    NotationError,
    OptionsError,
    PositionError,
    SeatsError,
    State,
)
from engine.record import Playing, replay

GAMES = [registry.get(name) for name in registry.names()]
TABLES = [pytest.param(game, seats, id=f"{game.name}-{seats}") for game in GAMES for seats in game.seats]
STEPS = 11
"""Every so many plies a position is looked at closely."""


def positions(game: Game, seats: int, seeds: range = range(4)) -> Iterator[tuple[State, Random]]:
    """The positions of random playings, ends included; to look at, not to change."""
    for seed in seeds:
        random = Random(seed)
        state = game.new_state(seats, chance=SeededChance(seed))
        while state.seat() is not None:
            yield state, random
            state.apply_unchecked(random.choice(state.legal_actions()))
        yield state, random


def some_positions(game: Game, seats: int) -> Iterator[tuple[State, Random]]:
    for ply, found in enumerate(positions(game, seats)):
        if ply % STEPS == 0 or found[0].seat() is None:
            yield found


def play_random(playing: Playing, seed: int) -> None:
    random = Random(seed)
    while playing.state.seat() is not None:
        playing.apply(random.choice(playing.state.legal_actions()))


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_legal_actions_are_sorted_and_distinct_and_empty_only_at_the_end(game: Game, seats: int) -> None:
    for state, _ in positions(game, seats):
        legal = list(state.legal_actions())
        assert legal == sorted(set(legal))
        assert (not legal) == (state.seat() is None) == (state.outcome() is not None)
        assert all(0 <= action < len(game.actions) for action in legal)


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_is_legal_agrees_with_the_list(game: Game, seats: int) -> None:
    outside = [-(2**63), -1000, -9, -1, len(game.actions), len(game.actions) + 7, 2**63]
    for state, _ in some_positions(game, seats):
        legal = set(state.legal_actions())
        for action in (*range(len(game.actions)), *outside):
            assert state.is_legal(action) == (action in legal), (
                game.actions.names[action % 2],
                action,
                state.to_json(),
            )


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_a_clone_is_equal_and_goes_its_own_way(game: Game, seats: int) -> None:
    for state, random in some_positions(game, seats):
        before = state.to_json()
        twin = state.clone()
        assert twin.to_json() == before
        assert twin == state
        for _ in range(12):
            if twin.seat() is None:
                break
            twin.apply(random.choice(twin.legal_actions()))
        assert state.to_json() == before


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_a_clone_plays_like_the_original(game: Game, seats: int) -> None:
    for state, random in some_positions(game, seats):
        first, second = state.clone(SeededChance(5)), state.clone(SeededChance(5))
        for _ in range(12):
            if first.seat() is None:
                break
            action = random.choice(first.legal_actions())
            first.apply(action)
            second.apply(action)
        assert first.to_json() == second.to_json()


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_positions_survive_json(game: Game, seats: int) -> None:
    for state, _ in some_positions(game, seats):
        data = state.to_json()
        again = game.state_from_json(json.loads(json.dumps(data)))
        assert again.to_json() == data
        assert again == state
        assert list(again.legal_actions()) == list(state.legal_actions())
        assert again.outcome() == state.outcome()


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_a_position_read_from_json_plays_on_like_the_original(game: Game, seats: int) -> None:
    for state, random in some_positions(game, seats):
        if game.has_chance:
            continue
        here, there = state.clone(), game.state_from_json(state.to_json())
        for _ in range(30):
            if here.seat() is None:
                break
            action = random.choice(here.legal_actions())
            here.apply(action)
            there.apply(action)
            assert here == there


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("data", [{}, [], {"game": 3}, None, {"game": "x", "version": 1}])
def test_what_is_no_position_is_refused(game: Game, data: object) -> None:
    with pytest.raises(PositionError):
        game.state_from_json(data)  # type: ignore[arg-type]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_position_without_a_key_or_with_another_is_refused(game: Game) -> None:
    data = game.new_state(game.seats[0]).to_json()
    for key in data:
        with pytest.raises(PositionError):
            game.state_from_json({name: value for name, value in data.items() if name != key})
    with pytest.raises(PositionError, match="surplus"):
        game.state_from_json({**data, "surplus": 1})


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("junk", [None, -1, 10**30, "", "x", [], {}, True, [[]], {"": 0}, 1.5])
def test_a_position_with_junk_in_it_is_refused_or_complete(game: Game, junk: object) -> None:
    data = game.new_state(game.seats[0]).to_json()
    for key in data:
        changed = copy.deepcopy(data)
        changed[key] = junk
        try:
            state = game.state_from_json(changed)
        except PositionError:
            continue
        assert {**state.to_json(), key: junk} == changed


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_the_wire_carries_the_observation(game: Game, seats: int) -> None:
    for state, _ in some_positions(game, seats):
        for seat in range(seats):
            name, message = game.encode_observation(state, seat)
            assert name.startswith("arena.games.")
            assert game.observed(message).to_json() == state.observation_json(seat)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_bytes_that_are_no_observation_are_refused(game: Game) -> None:
    for message in (b"\xff", b"\x08", b"not a message at all", b"\x10\x7f"):
        with pytest.raises(PositionError):
            game.observed(message)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_notation_and_ids_are_inverse(game: Game) -> None:
    names = [game.actions.format(action) for action in range(len(game.actions))]
    assert [game.actions.parse(name) for name in names] == list(range(len(game.actions)))
    for text in ("", " ", names[0].lower(), names[0] + " ", "NO_SUCH_ACTION", "0"):
        with pytest.raises(NotationError):
            game.actions.parse(text)


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_illegal_actions_are_refused_and_change_nothing(game: Game, seats: int) -> None:
    for state, random in some_positions(game, seats):
        before = state.to_json()
        illegal = [action for action in range(-1, len(game.actions) + 1) if not state.is_legal(action)]
        error = GameOverError if state.seat() is None else IllegalActionError
        for action in random.sample(illegal, min(8, len(illegal))):
            with pytest.raises(error):
                state.apply(action)
        assert state.to_json() == before


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_playings_are_bounded_and_ranked(game: Game, seats: int) -> None:
    for seed in range(6):
        playing = Playing(game, seats, game.parse_options({}), SeededChance(seed))
        play_random(playing, seed)
        assert playing.ply <= game.max_plies
        outcome = playing.state.outcome()
        assert outcome is not None
        assert len(outcome.ranks) == seats
        assert all(rank == 1 + sum(other < rank for other in outcome.ranks) for rank in outcome.ranks)
        json.dumps(dict(outcome.details))


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_a_record_is_played_again_to_the_same_end(game: Game, seats: int) -> None:
    for seed in range(4):
        playing = Playing(game, seats, game.parse_options({}), SeededChance(seed))
        play_random(playing, seed)
        again = replay(playing.record())
        assert again.state.to_json() == playing.state.to_json()
        assert again.events == playing.events
        assert again.record() == playing.record()


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_equal_seeds_give_equal_playings(game: Game, seats: int) -> None:
    first, second = (Playing(game, seats, game.parse_options({}), SeededChance(3)) for _ in range(2))
    play_random(first, 1)
    play_random(second, 1)
    assert first.record() == second.record()


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_chance_is_drawn_only_where_the_game_says_so(game: Game, seats: int) -> None:
    chance = RecordingChance(SeededChance(1))
    playing = Playing(game, seats, game.parse_options({}), chance)
    play_random(playing, 1)
    assert bool(chance.outcomes) == game.has_chance


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_the_caretaker_plays_legally_to_the_end(game: Game, seats: int) -> None:
    state = game.new_state(seats, chance=SeededChance(1))
    random = Random(1)
    for _ in range(game.max_plies):
        if state.seat() is None:
            return
        action = state.caretaker_action() if state.seat() == 0 else random.choice(state.legal_actions())
        state.apply(action)
    pytest.fail("the playing did not end")


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_a_determinized_position_looks_the_same_to_the_seat(game: Game, seats: int) -> None:
    for state, random in some_positions(game, seats):
        for seat in range(seats):
            observation = state.observation_json(seat)
            guess = need_playable(game).determinize(game.observed(game.encode_observation(state, seat)[1]), random)
            assert guess.observation_json(seat) == observation
            assert guess.seat() == state.seat()
            if state.seat() == seat:
                assert list(guess.legal_actions()) == list(state.legal_actions())


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_evaluation_lies_between_lost_and_won_and_is_exact_at_the_end(game: Game, seats: int) -> None:
    for state, _ in some_positions(game, seats):
        before = state.to_json()
        values = need_playable(game).evaluate_all(state)
        assert len(values) == seats
        assert all(0 <= value <= 1 for value in values)
        assert state.to_json() == before
        outcome = state.outcome()
        if outcome is not None:
            by_rank = sorted(zip(outcome.ranks, values, strict=True))
            assert [value for _, value in by_rank] == sorted(values, reverse=True)
            assert sum(values) == pytest.approx(seats / 2)


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_pictures_are_well_formed_in_every_language(game: Game, seats: int) -> None:
    state = game.new_state(seats, chance=SeededChance(1))
    random = Random(1)
    while state.seat() is not None:
        for language in (*game.shown.languages, "xx"):
            for seat in (None, 0):
                assert game.shown.text(state, seat, language).strip()
                root = ElementTree.fromstring(game.shown.svg(state, seat, language))
                assert root.tag == "{http://www.w3.org/2000/svg}svg"
        for _ in range(20):
            if state.seat() is not None:
                state.apply(random.choice(state.legal_actions()))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_action_has_a_label_in_every_language(game: Game) -> None:
    for language in (*game.shown.languages, "xx"):
        labels = game.shown.labels(language)
        assert all(labels[name] for name in game.actions.names)
    assert game.shown.labels("xx") == game.shown.labels("en")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_options_have_defaults_a_schema_and_an_inverse(game: Game) -> None:
    defaults = game.parse_options({})
    shown = game.options_json(defaults)
    assert game.parse_options(json.loads(json.dumps(shown))) == defaults
    schema = game.options_schema()
    assert set(schema["properties"]) == set(shown)
    assert all(schema["properties"][name]["default"] == value for name, value in shown.items())
    with pytest.raises(OptionsError, match="no_such_option"):
        game.parse_options({"no_such_option": 1})
    for name in shown:
        with pytest.raises(OptionsError, match=name):
            game.parse_options({name: "no such value"})


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_other_numbers_of_seats_are_refused(game: Game) -> None:
    for seats in (-1, 0, game.seats[0] - 1, game.seats[-1] + 1):
        with pytest.raises(SeatsError):
            game.new_state(seats)


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_the_default_opening_is_shorter_than_any_playing(game: Game, seats: int) -> None:
    assert (game.opening_plies(seats) == 0) == game.has_chance
    lengths = []
    for seed in range(6):
        playing = Playing(game, seats, game.parse_options({}), SeededChance(seed))
        play_random(playing, seed)
        lengths.append(playing.ply)
    assert game.opening_plies(seats) < min(lengths) / 2
