"""What a seat sees as `arena.games.openspiel.v1.OpenSpielState`: what bots in any language read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from google.protobuf.message import DecodeError

from arena.games.openspiel.v1 import state_pb2
from engine.chance import SeededChance
from engine.core import Observation, PositionError
from engine.openspiel.state import JSON_VERSION, OpenSpielState, SeenState, information_of, look

if TYPE_CHECKING:
    from engine.openspiel.game import OpenSpielGame

TYPE: Final[str] = state_pb2.OpenSpielState.DESCRIPTOR.full_name
_OVER: Final = -1


def encode(state: Any, seat: int) -> bytes:
    """Return what a seat sees of a position, or of what was read of one."""
    game: OpenSpielGame = state.game
    turn = state.seat()
    message = state_pb2.OpenSpielState(version=JSON_VERSION, game=game.name, turn=_OVER if turn is None else turn)
    if game.has_hidden_information:
        seen = look(state, seat)
        message.text, message.observer = seen.text, seen.observer
        message.legal.extend(seen.legal)
        message.words.extend(seen.words)
        message.ranks.extend(seen.ranks)
        message.sample.extend(seen.sample)
        message.knows_last_action = seen.knows_last
    else:
        message.text = str(state.inner)
        message.history.extend(state.inner.history())
    return message.SerializeToString(deterministic=True)


def decode(game: OpenSpielGame, data: bytes) -> Observation:
    """Return what `encode` serialized. Raises PositionError if the bytes show no position of the game."""
    try:
        message = state_pb2.OpenSpielState.FromString(data)
    except DecodeError as error:
        raise PositionError(f"not an OpenSpielState message: {error}") from error
    if message.version != JSON_VERSION or message.game != game.name:
        raise PositionError(f"not version {JSON_VERSION} of a position of {game.name}")
    if game.has_hidden_information:
        return _read_seen(game, message)
    inner = game.played(message.history)
    state = OpenSpielState(game, inner, SeededChance(None))
    turn = state.seat()
    if message.turn != (_OVER if turn is None else turn) or message.text != str(inner):
        raise PositionError("the history leads to another position")
    return Observation(state, seat=turn or 0)


def _read_seen(game: OpenSpielGame, message: state_pb2.OpenSpielState) -> Observation:
    """Return what one seat saw. Raises PositionError if no seat can have seen that."""
    seats, turn = game.facts.seats, None if message.turn == _OVER else message.turn
    legal, ranks = list(message.legal), tuple(message.ranks)
    decides = turn == message.observer
    fits = (
        0 <= message.observer < seats
        and (turn is None or 0 <= turn < seats)
        and bool(legal) == decides
        and legal == sorted(set(legal))
        and (not legal or 0 <= legal[0] <= legal[-1] < len(game.actions))
        and len(message.words) == (len(legal) if game.facts.has_fixed_words else 0)
        and len(ranks) == (seats if turn is None else 0)
        and all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)
    )
    if not fits or message.history or not _is_alike(game, message):
        raise PositionError(f"no seat of {game.name} can have seen that")
    seen = SeenState(
        game=game,
        observer=message.observer,
        turn=turn,
        text=message.text,
        legal=legal,
        words=list(message.words),
        ranks=ranks,
        sample=tuple(message.sample),
        knows_last=message.knows_last_action,
    )
    return Observation(seen, message.observer)


def _is_alike(game: OpenSpielGame, message: state_pb2.OpenSpielState) -> bool:
    """Return whether the sample looks to the seat like what was sent. Raises PositionError if it is no history."""
    if not game.facts.can_guess or message.turn == _OVER:
        return not message.sample
    inner = game.played(message.sample)
    return (
        inner.current_player() == message.turn and information_of(game.inner, inner, message.observer) == message.text
    )
