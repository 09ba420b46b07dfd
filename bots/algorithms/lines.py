"""Lines: what a seat may do in its turn, one decision after another. For games of chance and hidden parts. No clock.

A turn may be many small decisions, and the positions in its middle tell little. So an action is never judged by itself,
but by the line that it begins: the action, then what `Playable.quick_action` makes of the rest of the turn. A line is
kept up to the first outcome of chance or decision of another seat; what comes after that has to be decided again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from engine.abilities import Playable
from engine.chance import SeededChance
from engine.core import State

CHANCES = 3
"""How often dice and hidden parts are imagined at most for a look at a line."""
MOST_ACTIONS = 40
"""Of more actions (mostly numbers to be named) evenly spaced ones are looked at."""
LONGEST = 64
"""As many decisions go into one answer."""
MOST_DECISIONS = 400
"""A turn that is longer is left where it is."""


@dataclass(frozen=True, slots=True)
class Line:
    """Decisions of one seat, forced ones left out, and the value of the position that its turn came to."""

    actions: tuple[int, ...]
    value: float


def spread(actions: Sequence[int], most: int = MOST_ACTIONS) -> Sequence[int]:
    """At most so many of the actions, evenly spaced, the first and the last among them."""
    if len(actions) <= most:
        return actions
    step = (len(actions) - 1) / (most - 1)
    return [actions[round(index * step)] for index in range(most)]


def play_line(
    game: Playable, state: State, planned: Sequence[int], random: Random, caprice: float = 0.0
) -> tuple[int, ...]:
    """Play `planned` as far as it is legal, then the turn to its end; `state` is where it ended.

    What others are asked in the turn is answered by `Playable.quick_action` too; where the game counts no turns, one
    ends when another seat decides. Returns the seat's decisions up to the first outcome of chance or of another seat.
    With `caprice`, so often a decision after the planned ones is drawn uniformly.
    """
    seat, turn = state.seat(), game.turns_played(state)
    played: list[int] = []
    is_open = True
    for step in range(MOST_DECISIONS):
        decider = state.seat()
        if decider is None or (decider != seat if turn is None else game.turns_played(state) != turn):
            break
        is_open = is_open and decider == seat
        legal = state.legal_actions()
        if len(legal) == 1:
            action = legal[0]
        else:
            plan = planned if is_open else ()
            action = _next(game, state, plan, len(played), random, caprice if step else 0.0)
            if is_open:
                played.append(action)
        state.apply_unchecked(action)
        is_open = is_open and not state.revealed()
    return tuple(played[:LONGEST])


def _next(game: Playable, state: State, planned: Sequence[int], at: int, random: Random, caprice: float) -> int:
    if at < len(planned) and state.is_legal(planned[at]):
        return planned[at]
    if caprice and random.random() < caprice:
        return random.choice(state.legal_actions())
    return game.quick_action(state, random)


def value_line(game: Playable, state: State, planned: Sequence[int], seed: int, caprice: float = 0.0) -> Line:
    """The line that begins with `planned`, from `state`, with dice and cards of `seed`; `state` stays as it is."""
    seat = state.seat()
    if seat is None:
        raise ValueError("the game is over; there is nothing to decide")
    random = Random(seed)
    copy = state.clone(SeededChance(seed))
    actions = play_line(game, copy, planned, random, caprice)
    return Line(actions, game.evaluate(copy, seat))


def best_of_lines(game: Playable, sample: Callable[[], State], random: Random, nodes: int) -> list[int]:
    """The line that comes to the best position on average, over several imagined dice and hidden parts.

    `sample()` gives a position consistent with what was seen; about `nodes` positions are valued. Ties are drawn.
    """
    first = sample()
    actions = spread(first.legal_actions(), max(2, min(MOST_ACTIONS, nodes)))
    states = [first] + [sample() for _ in range(min(CHANCES, nodes // len(actions)) - 1)]
    worlds = [(state, random.getrandbits(53)) for state in states]
    looks = [[value_line(game, state, [action], seed) for state, seed in worlds] for action in actions]
    values = [sum(line.value for line in lines) for lines in looks]
    best = max(values)
    return list(random.choice([lines[0].actions for lines, value in zip(looks, values, strict=True) if value == best]))
