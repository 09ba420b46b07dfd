"""The position as the message `game_connect_four.State`: what bots in any language read."""

from __future__ import annotations

from typing import Final

from google.protobuf.message import DecodeError

from engine.core import OptionsError, PositionError
from game_connect_four import state_pb2
from game_connect_four.options import OPTIONS
from game_connect_four.state import POSITION, ConnectFourState

TYPE: Final[str] = state_pb2.State.DESCRIPTOR.full_name


def encode(state: ConnectFourState) -> bytes:
    """Return the serialized position."""
    message = state_pb2.State(version=POSITION.version, line=state.options.line, columns=bytes(state.dropped))
    return message.SerializeToString(deterministic=True)


def decode(data: bytes) -> ConnectFourState:
    """Return the position that `encode` serialized. Raises PositionError if the bytes are no such message."""
    try:
        message = state_pb2.State.FromString(data)
        options = OPTIONS.parse({"line": message.line})
    except (DecodeError, OptionsError) as error:
        raise PositionError(f"not a State message of Connect Four: {error}") from error
    state = POSITION.start(seats=2, options=options)
    state.dropped = list(message.columns)
    return POSITION.settle(state)
