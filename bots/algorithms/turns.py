"""Finds whole turns of one seat where nothing is hidden or left to chance. Reads no clock, does no I/O.

A turn may be many decisions, and the positions in its middle look alike to an evaluation (a pawn was moved, nothing is
bought yet). So turns are looked at to their end, level by level, and of those that are under way only the best go on
(a beam). Lines that do the same in another order, and come to the same value, are followed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from engine.abilities import Playable
from engine.core import State

WIDTH = 12
"""How many lines that are under way go on at each level."""
LONGEST = 64
"""The most decisions that go into one answer."""


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
