"""Waits for what an actor returns: its machine may be lost, or stand still, and nobody waits for it for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

from arena.executor.transport import TransportLostError
from engine.text import Text

SILENCE_S = 15
"""A machine that answers nothing for so many seconds is given up; what it says later is not heard."""

_GONE = {
    "ActorUnavailableError": Text("executor.out_reach", "it is out of reach"),
    "ActorDiedError": Text("executor.what_ran_us_ended", "what ran there for us has ended"),
    "NodeDiedError": Text("executor.ray_holds_dead", "Ray holds it for dead"),
}


async def ask(reference: Awaitable[Any], cut: asyncio.Event | None = None, limit_s: int = SILENCE_S) -> Any:
    """Return what a call of an actor returns. Raises TransportLostError if it fails, does not come, or after a `cut`.

    Seconds in which this process stood still itself do not count.
    """
    answer = asyncio.ensure_future(_await(reference))
    answer.add_done_callback(_look)
    cutting = asyncio.ensure_future((cut or asyncio.Event()).wait())
    try:
        for _ in range(limit_s):
            await asyncio.wait({answer, cutting}, timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()
            if cutting.done():
                raise TransportLostError("it was given up")
    finally:
        answer.cancel()
        cutting.cancel()
    raise TransportLostError(Text("executor.said_nothing_s", "it has said nothing for {count} s", count=limit_s))


async def _await(reference: Awaitable[Any]) -> Any:
    try:
        return await reference
    except Exception as error:  # whatever Ray raises
        raise TransportLostError(_in_words(error)) from error


def _in_words(error: Exception) -> str:
    """Return what an error of Ray means, of which the commonest have pages of their own words."""
    if type(error).__name__ in _GONE:
        return _GONE[type(error).__name__]
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].strip()[:200]


def _look(answer: asyncio.Future[Any]) -> None:
    """Have an error count as seen that nobody waits for any more."""
    if not answer.cancelled():
        answer.exception()
