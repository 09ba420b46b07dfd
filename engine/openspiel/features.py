"""What programs that learn see of a position of a game of OpenSpiel: the observation tensor that OpenSpiel gives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.core import AbilityError
from engine.features import Featured, FeaturePart, reals
from engine.openspiel.hidden import SeenState
from engine.text import Text

if TYPE_CHECKING:
    from engine.openspiel.game import OpenSpielGame
    from engine.openspiel.state import OpenSpielState


@cache
def featured_of(game: OpenSpielGame) -> Featured | None:
    """Return the planes; None if OpenSpiel gives no tensor, or what is hidden from a seat cannot be drawn."""
    if game.has_hidden_information and not game.facts.can_guess:
        return None
    if not game.inner.get_type().provides_observation_tensor:
        return None
    planes, board = _shape(game.inner.observation_tensor_shape())
    parts = (reals("tensor", "a part of OpenSpiel's observation tensor", tuple(f":{n}" for n in range(planes))),)

    def parts_of(seats: int, options: Any) -> Sequence[FeaturePart]:
        del seats, options
        return parts

    return Featured(board=lambda _seats, _options: board, parts=parts_of, numbers=numbers_of)


def _shape(shape: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """Return the number of planes, and the board: a tensor of less than three dimensions is one plane."""
    if len(shape) > 2:
        return shape[0], tuple(shape[1:])
    return 1, tuple(shape)


def numbers_of(state: OpenSpielState | SeenState, seat: int) -> Sequence[float]:
    """Return the tensor of what a seat sees, which a position that looks the same to it gives, too.

    Raises AbilityError for what a seat saw of the end, with which no such position comes.
    """
    if isinstance(state, SeenState) and not state.sample:
        raise AbilityError(
            Text(
                "openspiel.what_seat_saw_end_no",
                "what a seat saw of the end of {game} has no tensor; take the position itself",
                game=state.game.name,
            )
        )
    inner = state.game.played(state.sample) if isinstance(state, SeenState) else state.inner
    found: Sequence[float] = inner.observation_tensor(seat)
    return found
