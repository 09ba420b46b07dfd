"""Finds and values lines and whole turns: what a seat may do, one decision after another. Reads no clock, does no I/O.

Lines are for games of chance or hidden parts. There a turn may be many small decisions, and the positions in its middle
tell little. So an action is never judged by itself, but by the line that it begins: the action, then what
`Playable.quick_action` makes of the rest of the turn. A line is kept up to the first outcome of chance or decision of
another seat; what comes after that has to be decided again.

Where nothing is hidden or left to chance, whole turns are looked at to their end, level by level, and of those that are
under way only the best go on (a beam): the positions in the middle of a turn look alike to an evaluation (a pawn was
moved, nothing is bought yet). Turns that do the same in another order, and come to the same value, are followed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from engine.abilities import Playable
from engine.chance import SeededChance
from engine.core import State

CHANCES = 3
"""The most draws of dice and hidden parts under which a line is looked at."""
MOST_ACTIONS = 40
"""If there are more actions, which are mostly numbers to be named then, evenly spaced ones are looked at."""
LONGEST = 64
"""The most decisions that go into one answer."""
MOST_DECISIONS = 400
"""A turn that takes more decisions is valued where it stands then."""


WIDTH = 12
"""How many lines that are under way go on at each level."""


@dataclass(frozen=True, slots=True)
class ActionLine:
    """Decisions of one seat, forced ones left out, and the value of the position in which its turn ended."""

    actions: tuple[int, ...]
    value: float


def spread(actions: Sequence[int], most: int = MOST_ACTIONS) -> Sequence[int]:
    """Return at most so many of the actions, evenly spaced, the first and the last among them."""
    if len(actions) <= most:
        return actions
    step = (len(actions) - 1) / (most - 1)
    return [actions[round(index * step)] for index in range(most)]


def play_line(
    game: Playable, state: State, planned: Sequence[int], random: Random, caprice: float = 0.0
) -> tuple[int, ...]:
    """Play `planned` on `state` as far as it is legal, and then the turn to its end.

    Return the seat's decisions up to the first outcome of chance or decision of another seat. Decisions that are not
    planned, those of other seats included, are made by `Playable.quick_action`; `caprice` is the probability with which
    one is drawn uniformly instead. Where the game counts no turns, a turn ends when another seat decides.
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


def value_line(game: Playable, state: State, planned: Sequence[int], seed: int, caprice: float = 0.0) -> ActionLine:
    """Return the line from `state`, which is not changed, that begins with `planned`; chance is drawn from `seed`."""
    seat = state.seat()
    if seat is None:
        raise ValueError("the game is over; there is nothing to decide")
    random = Random(seed)
    copy = state.clone(SeededChance(seed))
    actions = play_line(game, copy, planned, random, caprice)
    return ActionLine(actions, game.evaluate(copy, seat))


def best_of_lines(game: Playable, sample: Callable[[], State], random: Random, nodes: int) -> list[int]:
    """Return the line that leads to the best position on average, over several draws of dice and hidden parts.

    `sample()` returns a position consistent with what was seen; about `nodes` positions are valued. Ties are drawn.
    """
    first = sample()
    actions = spread(first.legal_actions(), max(2, min(MOST_ACTIONS, nodes)))
    states = [first] + [sample() for _ in range(min(CHANCES, nodes // len(actions)) - 1)]
    worlds = [(state, random.getrandbits(53)) for state in states]
    looks = [[value_line(game, state, [action], seed) for state, seed in worlds] for action in actions]
    values = [sum(line.value for line in lines) for lines in looks]
    best = max(values)
    return list(random.choice([lines[0].actions for lines, value in zip(looks, values, strict=True) if value == best]))


@dataclass(frozen=True, slots=True)
class Turn:
    """Decisions of one seat, and where they lead."""

    actions: tuple[int, ...]
    """Forced ones are left out."""
    values: tuple[float, ...]
    """How good that position is for each seat."""
    state: State
    is_whole: bool
    """Whether another seat decides there, or nobody."""


def always(looked: int) -> bool:
    """Return True: no time is short."""
    del looked
    return True


def find_turns(
    game: Playable, state: State, nodes: int, width: int = WIDTH, goes_on: Callable[[int], bool] = always
) -> list[Turn]:
    """Return turns of the seat that decides in `state`, best for it first; one at least, and none twice.

    About `nodes` positions are valued, fewer if `goes_on(positions valued)` becomes false; never fewer than one. What
    is under way then is valued where it stands, and counts less than what was looked at to the end. `state` stays as
    it is. Raises ValueError after the end of the game.
    """
    seat = state.seat()
    if seat is None:
        raise ValueError("the game is over; there is nothing to decide")
    whole: dict[object, Turn] = {}
    rest: list[Turn] = []
    looked, is_over = 0, False
    level = [Turn((), (), state, False)]
    while level and not is_over:
        following: dict[object, Turn] = {}
        for turn in (turn for line in level for turn in _continuations(game, line, seat)):
            looked += 1
            (whole if turn.is_whole else following).setdefault((turn.values, *sorted(turn.actions)), turn)
            is_over = looked >= nodes or not goes_on(looked)
            if is_over:
                break
        rest = _best_first(following.values(), seat)
        level = [turn for turn in rest[:width] if len(turn.actions) < LONGEST]
    return _best_first(whole.values(), seat) or rest


def _continuations(game: Playable, line: Turn, seat: int) -> Iterator[Turn]:
    """Yield the line with each decision that can come next, and what is forced after it."""
    for action in line.state.legal_actions():
        child = line.state.clone()
        child.apply_unchecked(action)
        legal = child.legal_actions()
        while child.seat() == seat and len(legal) == 1:
            child.apply_unchecked(legal[0])
            legal = child.legal_actions()
        yield Turn((*line.actions, action), tuple(game.evaluate_all(child)), child, child.seat() != seat)


def _best_first(turns: Iterable[Turn], seat: int) -> list[Turn]:
    return sorted(turns, key=lambda turn: turn.values[seat], reverse=True)
