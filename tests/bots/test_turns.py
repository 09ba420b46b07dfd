"""Whole turns: all of them where there is time, the best first, and never more looks than were allowed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from bots.algorithms.greedy import best_turn
from bots.algorithms.lines import Turn, find_turns
from engine import registry
from engine.abilities import need_playable
from engine.chance import SeededChance
from engine.core import State
from tests.support.nim import NIM, NimState

GAME = registry.get("foreign_king")
PLAYABLE = need_playable(GAME)
ALL = 1_000_000


def positions_to_decide(seed: int, most: int) -> list[State]:
    """Positions of a random match in which a turn begins that has few ends."""
    random, found = Random(seed), list[State]()
    state = GAME.new_state(3, chance=SeededChance(seed))
    while state.seat() is not None and len(found) < most:
        legal = state.legal_actions()
        if len(legal) > 1 and random.random() < 0.05:
            found.append(state.clone())
        state.apply(random.choice(legal))
    return found


def ends_of(state: State, seat: int | None, depth: int = 4) -> Iterator[State]:
    """Every position in which a turn of so many decisions at most ends."""
    if state.seat() != seat:
        yield state
        return
    if depth:
        for action in state.legal_actions():
            child = state.clone()
            child.apply(action)
            yield from ends_of(child, seat, depth if len(state.legal_actions()) == 1 else depth - 1)


def play(state: State, turn: Turn) -> State:
    """Where a turn leads, played by the rules, with what is forced after each decision."""
    here = state.clone()
    for action in turn.actions:
        assert len(here.legal_actions()) > 1
        here.apply(action)
        while here.seat() == state.seat() and len(here.legal_actions()) == 1:
            here.apply(here.legal_actions()[0])
    return here


@pytest.mark.parametrize("seed", range(3))
def test_every_turn_leads_where_it_says_and_the_best_comes_first(seed: int) -> None:
    for state in positions_to_decide(seed, 8):
        before, seat = state.to_json(), state.seat()
        assert seat is not None
        turns = find_turns(PLAYABLE, state, 400)
        assert state.to_json() == before
        assert len({turn.actions for turn in turns}) == len(turns) > 0
        values = [turn.values[seat] for turn in turns]
        assert values == sorted(values, reverse=True)
        for turn in turns:
            end = play(state, turn)
            assert end.to_json() == turn.state.to_json()
            assert turn.is_whole == (end.seat() != seat)
            assert turn.values == tuple(PLAYABLE.evaluate_all(end))


@pytest.mark.parametrize("seed", range(3))
def test_no_turn_is_better_where_every_line_goes_on(seed: int) -> None:
    for state in positions_to_decide(seed, 4):
        seat = state.seat()
        assert seat is not None
        best = max(PLAYABLE.evaluate(end, seat) for end in ends_of(state, seat))
        assert find_turns(PLAYABLE, state, ALL, width=ALL)[0].values[seat] >= best


def test_no_more_is_looked_at_than_was_allowed() -> None:
    state = positions_to_decide(1, 1)[0]
    for allowed in (1, 7, 40):
        looked = list[int]()

        def count(number: int, looked: list[int] = looked) -> bool:
            looked.append(number)
            return True

        assert find_turns(PLAYABLE, state, allowed, goes_on=count)
        assert looked == list(range(1, len(looked) + 1))
        assert len(looked) <= allowed


def test_a_look_ends_when_it_is_told_to_and_has_something_to_say() -> None:
    state = positions_to_decide(1, 1)[0]
    asked = list[int]()

    def stop(number: int) -> bool:
        asked.append(number)
        return number < 3

    turns = find_turns(PLAYABLE, state, ALL, goes_on=stop)
    assert asked == [1, 2, 3]
    assert 1 <= len(turns) <= 3
    assert all(state.is_legal(turn.actions[0]) for turn in turns)


def test_after_the_end_there_is_nothing_to_decide() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        find_turns(NIM.playable, NimState(2, heap=0), 10)


def test_greedy_goes_for_the_best_turn_that_was_found() -> None:
    for state in positions_to_decide(2, 5):
        seat = state.seat()
        assert seat is not None
        turns = find_turns(PLAYABLE, state, 200)
        best = {turn.actions for turn in turns if turn.values[seat] == turns[0].values[seat]}
        assert {tuple(best_turn(PLAYABLE, state, 200, Random(seed))) for seed in range(20)} <= best
