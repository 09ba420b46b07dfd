"""How bots search a game of OpenSpiel, which has no words for how good a position is: by playing it out at random.

Where something is hidden, only games are searched of which OpenSpiel can draw what a seat cannot see.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any, Final

from engine.abilities import Playable
from engine.chance import SeededChance
from engine.core import AbilityError
from engine.openspiel.hidden import SeenState
from engine.openspiel.state import OpenSpielState
from engine.text import Text

if TYPE_CHECKING:
    from engine.openspiel.game import OpenSpielGame

_BUDGET: Final = 2000
"""So many legal actions and outcomes of chance are looked at for one position: what they cost differs little."""
_MOST: Final = 8
"""So many playings at most."""


@cache
def playable_of(game: OpenSpielGame) -> Playable | None:
    """Return how the game is searched; None if what is hidden in it cannot be drawn."""
    if game.has_hidden_information and not game.facts.can_guess:
        return None
    decisions = game.facts.decisions
    return Playable(evaluate_all=evaluate_all, redraw=redraw, usual_decisions=lambda _seats: decisions)


def redraw(state: OpenSpielState | SeenState, seat: int, random: Random) -> OpenSpielState | SeenState:
    """Return a copy with another chance to come, and with what the seat cannot see drawn anew until the end."""
    if state.seat() is None:
        return state.clone()
    game = state.game
    inner = game.played(state.sample) if isinstance(state, SeenState) else state.inner.clone()
    if game.has_hidden_information:
        inner = inner.resample_from_infostate(seat, random.random)
    return OpenSpielState(game, inner, SeededChance(random.getrandbits(53)))


def evaluate_all(state: OpenSpielState | SeenState) -> list[float]:
    """Return how good a position is for each seat, from 0 to 1: by the mean of what short random playings return.

    The playings are the same for the same position; where they come to no end, every seat has 0.5. After the end it
    is the share of the other seats that a seat is better than, seats that are equal counting one half.
    """
    outcome = state.outcome()
    if outcome is not None:
        return [_share(own, outcome.ranks) for own in outcome.ranks]
    if isinstance(state, SeenState):
        raise AbilityError(
            Text(
                "openspiel.only_whole_position_value_draw",
                "only a whole position has a value; draw one by `determinize`",
            )
        )
    game = state.game.inner
    low, high = game.min_utility(), game.max_utility()
    played = list(play_outs(state.inner)) if high > low else []
    if not played:
        return [0.5] * state.game.facts.seats
    means = [sum(each) / len(played) for each in zip(*played, strict=True)]
    return [min(1.0, max(0.0, (mean - low) / (high - low))) for mean in means]


def _share(own: int, ranks: Sequence[int]) -> float:
    others = sum(1.0 if rank > own else 0.5 if rank == own else 0.0 for rank in ranks) - 0.5  # itself left out
    return others / (len(ranks) - 1)


def play_outs(inner: Any) -> Iterator[Sequence[float]]:
    """Yield what the seats get in random playings from OpenSpiel's state, as many as the budget allows."""
    random, left = Random(_seed_of(inner)), _BUDGET
    for _ in range(_MOST):
        state = inner.clone()
        left = _play_out(state, random, left)
        if left < 0:
            return
        yield state.returns()


def _play_out(state: Any, random: Random, left: int) -> int:
    """Play OpenSpiel's state on at random and return what is left of the budget: below 0 if it has come to no end."""
    draw = random.random
    while left >= 0 and not state.is_terminal():
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(random.choices(actions, weights)[0])
            left -= len(actions)
        else:
            legal = state.legal_actions()
            state.apply_action(legal[int(draw() * len(legal))])
            left -= len(legal)
    return left


def _seed_of(inner: Any) -> int:
    """Return a number that follows from the position and differs from the next one's."""
    seed = 0
    for action in inner.history()[-8:]:
        seed = (seed * 31 + int(action) + 1) % 2**31
    return seed
