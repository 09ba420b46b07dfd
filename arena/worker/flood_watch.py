"""Finds the bot that keeps the arena busy with bytes that are no messages, and disconnects it.

gRPC handles frames in threads of its own, for all bots alike, and tells nobody for whom. But what floods lies unread:
while those threads compute more than the messages of all bots explain, the bytes that wait in each bot's connection are
looked at, and the bot with the most of them over a while is the one. A message lies unread, too, while this process
waits for a processor: as few bytes as a message has must lie there all the time. What goes on although nobody is found
ends this process (`arena.worker.own_limits`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from arena.hosting.procfs.sockets import Connections, connections
from arena.referee.inbox import Flood
from arena.worker.bot_listener import BotListener
from arena.worker.own_limits import OwnLimits, OwnWatch
from engine.text import Text

REST_S = 0.1
"""How often the work of this process is compared with the messages."""
MOST_SHARE = 0.25
"""How much of one core may go unexplained, until somebody is looked for."""
WORRY_S = 0.5
"""So much that adds up is looked into as well: on a busy machine a flood may get no such share of a core."""
LOOKS = 10
LOOK_S = 0.01
MOST_LOOKS = 3
"""More bytes than a message has that lie unread in so many of the looks are a flood; fewer, in all of them."""
MESSAGE_BYTES = 1024
"""How much one message takes with what gRPC says around it; an answer has about 40."""


@dataclass(slots=True)
class _Seen:
    """What was seen of one listener in a row of looks."""

    messages: int
    unread: list[int] = field(default_factory=list)
    """The bytes in each look that found some, while no message was read."""

    def add(self, messages: int, unread: int) -> None:
        if messages != self.messages:
            self.messages = messages
        elif unread:
            self.unread.append(unread)

    def is_flood(self) -> bool:
        """Return whether what was seen can be no message that waits to be read."""
        large = sum(unread > MESSAGE_BYTES for unread in self.unread)
        return large >= MOST_LOOKS or len(self.unread) == LOOKS


class FloodWatch:
    """Watches the listeners that `listeners` returns; `run` never ends."""

    def __init__(self, listeners: Callable[[], Sequence[BotListener]], own: OwnWatch | None = None) -> None:
        self._listeners = listeners
        self._own = own or OwnWatch(OwnLimits(), end=lambda _: None)
        self._heard: dict[BotListener, int] = {}

    async def run(self) -> None:
        """Look again and again, and disconnect who floods; fall when this process has reached a limit of its own."""
        self._compare()
        while True:
            await asyncio.sleep(REST_S)
            share = self._compare()
            if (share > MOST_SHARE or self._own.unexplained_s > WORRY_S) and await self._find(share):
                self._own.forgive()

    def _compare(self) -> float:
        """Return which part of a core went since the last call into what no message explains."""
        heard = {listener: listener.count_messages() for listener in self._listeners()}
        messages = sum(count - self._heard.get(listener, 0) for listener, count in heard.items())
        self._heard = heard
        return self._own.look(messages)

    async def _find(self, share: float) -> bool:
        """Look at what lies unread, disconnect the bot that it shows, and return whether there is one."""
        seen = {listener: _Seen(listener.count_messages()) for listener in self._listeners()}
        for _ in range(LOOKS):
            await asyncio.sleep(LOOK_S)
            there = connections()
            for listener, one in seen.items():
                one.add(listener.count_messages(), there.get(str(listener.socket), Connections()).unread)
        suspects = [(sum(one.unread), len(one.unread), listener) for listener, one in seen.items() if one.is_flood()]
        if suspects:
            unread, looks, listener = max(suspects, key=lambda suspect: suspect[0])
            evidence = {"unexplained_share": round(share, 2), "unread_bytes": unread // looks, "looks": looks}
            listener.disconnect(Flood(_WHY, evidence))
        return bool(suspects)


_WHY = Text("worker.kept_arena_busy_bytes_no", "It kept the arena busy with bytes that are no messages.")
