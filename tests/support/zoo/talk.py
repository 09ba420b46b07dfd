"""Bots that misuse the stream itself, beyond what `scripted_bot` does."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable

from arena.v1 import play_pb2
from tests.support.raw_stream import RawStream
from tests.support.scripted_bot import FOREVER_S, Wire, act, first


def crash_at_import() -> None:
    importlib.import_module("no_such_module")


def joined_by_hand() -> RawStream:
    stream = RawStream(os.environ["ARENA_ADDRESS"], os.environ["ARENA_TOKEN"])
    join = play_pb2.Join(name="raw", protocol_major=1, games=("*",))
    stream.send(play_pb2.PlayRequest(join=join).SerializeToString())
    return stream


def half_a_message() -> None:
    """Joins in order, and breaks off in the middle of its first answer."""
    with joined_by_hand() as stream:
        for data in stream.messages():
            response = play_pb2.PlayResponse.FromString(data)
            if response.HasField("decide"):
                stream.send_half(first(response.decide))
                return


def stop_reading() -> None:
    """Joins, and reads nothing from then on; a library would read on by itself."""
    stream = joined_by_hand()
    next(stream.messages())
    time.sleep(FOREVER_S)


def vanish_unasked() -> None:
    """Joins in order, and exits when a match has begun and it is another one's turn."""
    wire = Wire(os.environ["ARENA_TOKEN"])
    wire.join()
    for response in wire.responses():
        if response.HasField("match_started"):
            time.sleep(0.3)
            os._exit(5)


def think_for_a_second(wire: Wire, decide: play_pb2.Decide) -> None:
    """Honest, but in no hurry."""
    time.sleep(1)
    wire.send_bytes(first(decide))


def think_for_a_minute(wire: Wire, decide: play_pb2.Decide) -> None:
    time.sleep(60)
    wire.send_bytes(first(decide))


def stop_writing(wire: Wire, decide: play_pb2.Decide) -> None:
    """Reads on, and never says anything again."""


def late_inside_the_margin(wire: Wire, decide: play_pb2.Decide) -> None:
    time.sleep(decide.time_limit_us / 1_000_000 + 0.001)
    wire.send_bytes(first(decide))


def late_by_ten_seconds(wire: Wire, decide: play_pb2.Decide) -> None:
    time.sleep(decide.time_limit_us / 1_000_000 + 10)
    wire.send_bytes(first(decide))


def a_million_actions(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(act(decide, *([decide.legal_actions[0]] * 1_000_000)))


def oversized_message(wire: Wire, decide: play_pb2.Decide) -> None:
    wire.send_bytes(act(decide, decide.legal_actions[0], note="x" * 5_000_000))


STARTS: dict[str, Callable[[], None]] = {
    function.__name__.replace("_", "-"): function
    for function in (crash_at_import, half_a_message, stop_reading, vanish_unasked)
}
ANSWERS: dict[str, Callable[[Wire, play_pb2.Decide], None]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        think_for_a_second,
        think_for_a_minute,
        stop_writing,
        late_inside_the_margin,
        late_by_ten_seconds,
        a_million_actions,
        oversized_message,
    )
}
