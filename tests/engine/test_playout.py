"""Playing on: random playings, habits and forced decisions, and the counts of decision sequences."""

from __future__ import annotations

from random import Random

import pytest

from engine import registry
from engine.abilities import need_playable
from engine.chance import ScriptedChance, SeededChance
from engine.core import Game, State
from engine.perft import breakdown, perft
from engine.playout import TurnCounter, play_forced, play_turns, playout, playouts
from tests.support.script_game import GAME, ScriptOptions
from tests.support.script_game import GAME as SCRIPT

NAMES = registry.single_names()


def some_way_in(name: str, seats: int) -> State:
    state, random = registry.get(name).new_state(seats, chance=SeededChance(8)), Random(8)
    for _ in range(30):
        state.apply(random.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("name", NAMES)
def test_a_playout_leaves_the_position_and_its_chance_as_they_are(name: str) -> None:
    state, twin = some_way_in(name, 3), some_way_in(name, 3)
    playout(state, Random(1))
    assert state == twin
    for position in (state, twin):
        for _ in range(20):
            position.apply(position.legal_actions()[0])
    assert state == twin


@pytest.mark.parametrize("name", NAMES)
def test_playouts_are_the_same_for_the_same_seed_and_others_for_another(name: str) -> None:
    state = some_way_in(name, 2)
    details = [str(end.details) for end in playouts(state, 8, seed=1)]
    assert details == [str(end.details) for end in playouts(state.clone(), 8, seed=1)]
    assert len(set(details)) > 1
    assert details != [str(end.details) for end in playouts(state, 8, seed=2)]
    assert details[:3] == [str(end.details) for end in playouts(state, 3, seed=1)]


@pytest.mark.parametrize("name", NAMES)
def test_a_playout_draws_among_all_that_is_legal(name: str) -> None:
    state, random = some_way_in(name, 3), Random(5)
    position, same = state.clone(SeededChance(random.getrandbits(53))), Random(5)
    while position.seat() is not None:
        legal = position.legal_actions()
        position.apply(legal[0] if len(legal) == 1 else legal[int(random.random() * len(legal))])
    assert playout(state, same) == position.outcome()
    assert same.getstate() == random.getstate()


def test_of_a_finished_game_the_playout_is_its_outcome() -> None:
    state = SCRIPT.new_state(2, ScriptOptions("0:2"), ScriptedChance([]))
    state.apply(1)
    assert playout(state, Random(1)) == state.outcome()


def test_what_is_forced_is_played_up_to_a_choice_or_the_end() -> None:
    state = SCRIPT.new_state(2, ScriptOptions("0:1 1:1 0:3 1:1"), ScriptedChance([]))
    play_forced(state)
    assert list(state.legal_actions()) == [0, 1, 2]
    state.apply(2)
    play_forced(state)
    assert state.seat() is None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("most", [0, 2])
def test_turns_are_played_by_the_habits_of_the_game(name: str, most: int) -> None:
    game = need_playable(registry.get(name))
    state = some_way_in(name, 3)
    turns, again = TurnCounter(game, state), TurnCounter(game, state)
    seen = [again.passed(state, state.seat() or 0)]
    played = state.clone(SeededChance(1))
    play_turns(game, played, turns, most, Random(3))
    position, random = state.clone(SeededChance(1)), Random(3)
    while (seat := position.seat()) is not None and again.passed(position, seat) <= most:
        legal = position.legal_actions()
        position.apply(legal[0] if len(legal) == 1 else game.quick_action(position, random))
        seen.append(again.passed(position, position.seat() or 0) if position.seat() is not None else most + 1)
    assert played == position
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (0, most + 1)


@pytest.mark.parametrize("name", registry.single_names())
def test_depth_zero_and_one(name: str) -> None:
    game: Game = registry.get(name)
    for seats in game.seats:
        state = game.new_state(seats)
        assert perft(state, 0) == 1
        assert perft(state, 1) == len(state.legal_actions())


@pytest.mark.parametrize("name", registry.single_names())
def test_counting_leaves_the_position_as_it_was(name: str) -> None:
    state = registry.get(name).new_state(3)
    before = state.to_json()
    counts = breakdown(state, 3)
    assert sum(counts.values()) == perft(state, 3)
    assert list(counts) == list(state.legal_actions())
    assert state.to_json() == before


@pytest.mark.parametrize("name", registry.single_names())
def test_a_count_can_be_repeated(name: str) -> None:
    state = registry.get(name).new_state(2, chance=SeededChance(1))
    for _ in range(40):
        state.apply(state.legal_actions()[0])
    assert perft(state, 3, seed=5) == perft(state.clone(), 3, seed=5)


def test_sequences_that_end_early_count_nothing() -> None:
    alone = GAME.new_state(1, ScriptOptions("0:2"), ScriptedChance([]))
    assert perft(alone, 1) == 2
    assert perft(alone, 2) == 0
    assert breakdown(alone, 2) == {0: 0, 1: 0}


def test_a_breakdown_needs_a_decision() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        breakdown(GAME.new_state(1), 0)
