"""Values the positions of a match that is over as the search bot does while it plays. Reads no clock, no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from bots.algorithms.lookahead import Lookahead
from bots.algorithms.search import is_open_loop
from bots.algorithms.tree import Node, Search, Settings
from engine.abilities import Playable, need_playable
from engine.core import Game, State
from engine.record import Playing

DEFAULT_PLAYOUTS = 40


@dataclass(frozen=True, slots=True)
class Valued:
    """How good the position before a ply was for one seat, from 0 (lost) to 1 (won)."""

    ply: int
    value: float


def value_position(game: Game, seats: int, state: State, random: Random, playouts: int = DEFAULT_PLAYOUTS) -> float:
    """Return the value of a position for the seat that decides there, which has more than one action.

    That seat knows only what it sees: what is hidden from it is drawn from `random`. Raises AbilityError.
    """
    playable = need_playable(game)
    return (_value_open if is_open_loop(game) else _value_closed)(playable, seats, state, random, playouts)


def _value_open(playable: Playable, seats: int, state: State, random: Random, playouts: int) -> float:
    seat = state.seat()
    assert seat is not None
    lookahead = Lookahead(playable, seats, random)
    return lookahead.best(lambda: playable.redraw(state, seat, random), lambda number: number / playouts).value


def _value_closed(playable: Playable, seats: int, state: State, random: Random, playouts: int) -> float:
    root = Node(state.seat())
    Search(playable, seats, random, Settings()).run(root, state.clone, lambda number: number < playouts)
    return root.best_value()


def value_match(
    playing: Playing, actions: Sequence[int], plies: Iterable[int], seat: int, playouts: int = DEFAULT_PLAYOUTS
) -> list[Valued]:
    """Return the value for `seat` before each of `plies`, at which it decided, and after the last action.

    `playing` stands at the beginning, and is played on. Equal arguments give equal values. Raises AbilityError.
    """
    wanted, found = set(plies), []
    for ply, action in enumerate(actions):
        if ply in wanted:
            found.append(Valued(ply, value_position(playing.game, playing.seats, playing.state, Random(ply), playouts)))
        playing.apply(action)
    return [*found, Valued(len(actions), need_playable(playing.game).evaluate(playing.state, seat))]
