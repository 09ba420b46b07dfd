"""The event loops in which the referee's side is tested: one for each road to a bot."""

import asyncio
from collections.abc import Callable, Mapping

from arena.referee.queue.loop import make_queue_loop, new_loop

LoopFactory = Callable[[], asyncio.AbstractEventLoop]

THE_ROAD: Mapping[str, LoopFactory] = {"road": new_loop}
"""The one that workers use here, which ARENA_GRPC may name."""
BOTH_ROADS: Mapping[str, LoopFactory] = {"queue": make_queue_loop, "aio": asyncio.new_event_loop}
