"""Plays positions on: to the end at random, some turns by a game's habits, through what is forced. No I/O.

What is drawn is the same for the same seed. Searches, checks and measurements play by this; it is compiled with the
rules (`engine.build_info`), so that a playout costs what they cost and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from engine.abilities import Move, Playable
from engine.chance import SeededChance
from engine.core import Game, Outcome, State
from engine.record import Playing


def playout(state: State, random: Random) -> Outcome:
    """Return how the game ends if everybody draws each action uniformly from here on; `state` stays as it is."""
    position = state.clone(SeededChance(random.getrandbits(53)))
    draw = random.random
    while position.seat() is not None:
        legal = position.legal_actions()
        count = len(legal)
        position.apply_unchecked(legal[0] if count == 1 else legal[int(draw() * count)])
    outcome = position.outcome()
    assert outcome is not None
    return outcome


def playouts(state: State, count: int, seed: int) -> list[Outcome]:
    """Return the outcomes of `count` playouts from `state`, the same for the same seed."""
    random = Random(seed)
    return [playout(state, random) for _ in range(count)]


def play_forced(state: State) -> None:
    """Play forced decisions until there is something to choose or the game is over."""
    actions = state.legal_actions()
    while len(actions) == 1:
        state.apply_unchecked(actions[0])
        actions = state.legal_actions()


class TurnCounter:
    """Counts turns as the game does or, if it counts none, the changes of the seat that decides."""

    def __init__(self, game: Playable, state: State) -> None:
        """Count from `state` on."""
        self._turns_played = game.turns_played
        self._start = game.turns_played(state)
        self._decider = state.seat()
        self._changes = 0

    def passed(self, state: State, decider: int) -> int:
        """Return how many turns have passed; it must be asked at every decision."""
        if self._start is not None:
            return (self._turns_played(state) or 0) - self._start
        if decider != self._decider:
            self._decider = decider
            self._changes += 1
        return self._changes


def play_turns(game: Playable, state: State, turns: TurnCounter, most: int, random: Random) -> None:
    """Play `state` on by `Playable.quick_action` for everybody, while no more than `most` turns have passed."""
    quick_action = game.quick_action
    while (decider := state.seat()) is not None and turns.passed(state, decider) <= most:
        legal = state.legal_actions()
        state.apply_unchecked(legal[0] if len(legal) == 1 else quick_action(state, random))


def positions(game: Game, seats: int, seed: int) -> Iterator[State]:
    """Yield every position of a random playing, start and end included: one object that moves on."""
    random = Random(seed)
    state = game.new_state(seats, chance=SeededChance(seed))
    yield state
    while state.seat() is not None:
        state.apply_unchecked(random.choice(state.legal_actions()))
        yield state


def moves(game: Game, seats: int, seed: int) -> Iterator[Move]:
    """Yield every move of a random playing with the positions before and after it, which nobody changes any more."""
    random = Random(seed)
    after = game.new_state(seats, chance=SeededChance(seed))
    while (seat := after.seat()) is not None:
        before = after
        action = random.choice(before.legal_actions())
        after = before.clone(SeededChance(random.getrandbits(32)))
        after.apply_unchecked(action)
        yield Move(before, action, game.actions.names[action], seat, after, after.revealed())


def play_random(game: Game, seats: int, seed: int) -> Playing:
    """Return a random playing that is over, every action of it checked."""
    random = Random(seed)
    playing = Playing(game, seats, game.parse_options({}), SeededChance(seed))
    while playing.state.seat() is not None:
        playing.apply(random.choice(playing.state.legal_actions()))
    return playing
