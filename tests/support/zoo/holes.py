"""Bots that know a hole in whatever serves their connection (`tests.support.hole`), which nobody else knows."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from arena.v1 import play_pb2
from tests.support.scripted_bot import FOREVER_S, Wire, act, first


def through_a_hole(kind: str) -> Callable[[Wire, play_pb2.Decide], None]:
    """Instead of an answer."""

    def answer(wire: Wire, _decide: play_pb2.Decide) -> None:
        wire.call_again(hole=kind)
        time.sleep(FOREVER_S)

    return answer


def fill_when_warm() -> None:
    """Plays in order, and uses the hole when its match is over."""
    wire = Wire(os.environ["ARENA_TOKEN"])
    wire.join()
    for response in wire.responses():
        if response.HasField("decide"):
            wire.send_bytes(first(response.decide))
        if response.HasField("match_finished"):
            wire.call_again(hole="fill")


def crash_by_a_message(wire: Wire, decide: play_pb2.Decide) -> None:
    """Answers, with words that bring down whoever hears them."""
    wire.send_bytes(act(decide, decide.legal_actions[0], note="down with whoever plays"))


STARTS = {"fill-when-warm": fill_when_warm}
ANSWERS: dict[str, Callable[[Wire, play_pb2.Decide], None]] = {
    **{f"{kind}-through-a-hole": through_a_hole(kind) for kind in ("crash", "fill", "burn")},
    "crash-by-a-message": crash_by_a_message,
}
