"""Finds the bot that keeps the arena busy with bytes that are no messages, and disconnects it.

gRPC handles frames in threads of its own, for all bots alike, and tells nobody for whom. But what floods lies unread:
while this process computes more than the messages of all bots explain, the bytes that wait in each bot's connection are
looked at, and the bot with the most of them over a while is the one. What goes on although nobody is found ends this
process (`arena.worker.own_limits`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arena.hosting.proc.sockets import Connections, connections
from arena.referee.inbox import Flood
from arena.worker.door import WayIn
from arena.worker.own_limits import OwnLimits, OwnWatch

REST_S = 0.1
"""How often the work of this process is compared with the messages."""
MESSAGE_US = 1_000
"""What a message may cost; measured: 0.16 ms."""
MOST_SHARE = 0.25
"""How much of one core may go unexplained."""
LOOKS = 10
LOOK_S = 0.01
MOST_LOOKS = 3
"""Bytes that lie unread in so many of the looks, and are no message, are a flood."""


@dataclass(slots=True)
class _Seen:
    """What was seen of one door in a row of looks."""

    messages: int
    looks: int = 0
    unread: int = 0

    def add(self, messages: int, unread: int) -> None:
        if unread and messages == self.messages:
            self.looks += 1
            self.unread += unread
        self.messages = messages


class FloodWatch:
    """Watches the doors that `doors` returns; `run` never ends."""

    def __init__(self, doors: Callable[[], Sequence[WayIn]], own: OwnWatch | None = None) -> None:
        self._doors = doors
        self._own = own or OwnWatch(OwnLimits(), end=lambda _: None)
        self._work_us = self._now_us = 0
        self._messages = 0
        """How many were read between the last two comparisons."""
        self._heard: dict[WayIn, int] = {}

    async def run(self) -> None:
        """Look again and again, and disconnect who floods; fall when this process has reached a limit of its own."""
        self._unexplained_share()
        while True:
            await asyncio.sleep(REST_S)
            share = self._unexplained_share()
            self._own.look(self._messages)
            if share > MOST_SHARE and await self._find(share):
                self._own.forgive()

    def _unexplained_share(self) -> float:
        """Return which part of a core this process used since the last call beyond what messages explain."""
        work_us, now_us = time.process_time_ns() // 1000, time.monotonic_ns() // 1000
        heard = {door: door.count_messages() for door in self._doors()}
        self._messages = sum(count - self._heard.get(door, 0) for door, count in heard.items())
        unexplained_us = work_us - self._work_us - self._messages * MESSAGE_US
        passed_us = max(now_us - self._now_us, 1)
        self._work_us, self._now_us, self._heard = work_us, now_us, heard
        return unexplained_us / passed_us

    async def _find(self, share: float) -> bool:
        """Look at what lies unread, disconnect the bot that it shows, and return whether there is one."""
        seen = {door: _Seen(door.count_messages()) for door in self._doors()}
        for _ in range(LOOKS):
            await asyncio.sleep(LOOK_S)
            there = connections()
            for door, one in seen.items():
                one.add(door.count_messages(), there.get(str(door.socket), Connections()).unread)
        suspects = [(one.unread, one.looks, door) for door, one in seen.items() if one.looks >= MOST_LOOKS]
        if suspects:
            unread, looks, door = max(suspects, key=lambda suspect: suspect[0])
            evidence = {"unexplained_share": round(share, 2), "unread_bytes": unread // looks, "looks": looks}
            door.disconnect(Flood(_WHY, evidence))
        return bool(suspects)


_WHY = "It kept the arena busy with bytes that are no messages."
