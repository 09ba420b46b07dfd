"""What a process of ours that serves bots may itself hold and compute, whoever makes it: at its limit it ends itself.

It holds against what nobody has thought of. Whoever started the process finds out whose doing it was
(`arena.worker.bot_listener.ProxiedListener`).

`FloodWatch` finds the bot that keeps the arena busy with bytes that are no messages, and disconnects it. gRPC handles
frames in threads of its own, for all bots alike, and tells nobody for whom. But what floods lies unread: while those
threads compute more than the messages of all bots explain, the bytes that wait in each bot's connection are looked at,
and the bot with the most of them over a while is the one. A message lies unread, too, while this process waits for a
processor: as few bytes as a message has must lie there all the time. What goes on although nobody is found ends this
process.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from arena.hosting.errors import exit_over_limit
from arena.hosting.procfs.machine import MEGABYTE
from arena.hosting.procfs.own_sockets import Connections, connections
from arena.referee.queue.loop import polled_s
from arena.referee.stream import Flood
from engine.translatable import Text

if TYPE_CHECKING:
    from arena.worker.bot_listener import BotListener

MESSAGE_S = 0.001
"""What gRPC may compute for a message; measured: 0.1 ms."""
FREE_SHARE = 0.05
"""How much of one core it may compute besides for ever."""
HEADROOM_MB = 2048
"""How far beyond its limit the kernel lets it reserve memory: stacks of threads count there, used or not."""
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
_WHY = Text("It kept the arena busy with bytes that are no messages.")


@dataclass(frozen=True, slots=True)
class OwnLimits:
    """The limits of one process."""

    memory_mb: int = 768
    """How much memory it may hold that belongs to it alone; measured: 26 MB with three bots."""
    cpu_s: float = 8.0
    """How much it may compute that nothing explains, beyond what is allowed to go on for ever."""

    def set_hard_stop(self) -> None:
        """Have the kernel refuse memory far beyond the limit, to this process and to those it starts from now on."""
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = (self.memory_mb + HEADROOM_MB) * MEGABYTE
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


class OwnWatch:
    """Compares what this process does with its limits, and ends it when it has reached one."""

    def __init__(
        self, limits: OwnLimits, bots: Callable[[], str] = str, end: Callable[[str], object] = exit_over_limit
    ) -> None:
        """`bots` tells who was there, for the last words."""
        self._limits = limits
        self._bots = bots
        self._end = end
        self._beside = _Beside()
        self.unexplained_s = 0.0
        """What was computed for nobody, as far as it counts."""

    def look(self, messages: int) -> float:
        """Fall if a limit is reached; `messages` were read since the last look. To be called by the event loop.

        Return which part of a core was used beside it since then that no message explains.
        """
        self.check_memory(_private_bytes())
        beside_s, passed_s = self._beside.since_last()
        unexplained_s = beside_s - messages * MESSAGE_S
        self.count_cpu(unexplained_s, passed_s)
        return unexplained_s / max(passed_s, 1e-6)

    def check_memory(self, held: int) -> None:
        """Fall if so many bytes are too much."""
        if held > self._limits.memory_mb * MEGABYTE:
            self._exit(f"it held {held // MEGABYTE} MB of memory, {self._limits.memory_mb} MB are allowed")

    def count_cpu(self, unexplained_s: float, passed_s: float) -> None:
        """Add what was computed for nobody in that time, as far as it is more than may go on for ever."""
        self.unexplained_s = max(self.unexplained_s + unexplained_s - FREE_SHARE * passed_s, 0.0)
        if self.unexplained_s > self._limits.cpu_s:
            self._exit(f"it computed for {self.unexplained_s:.1f} s for nobody, {self._limits.cpu_s:g} s are allowed")

    def forgive(self) -> None:
        """Forget what it computed: who made it do so was found."""
        self.unexplained_s = 0.0

    def _exit(self, why: str) -> None:
        bots = self._bots()
        self._end(f"{why}{'; with it were ' + bots if bots else ''}")


class _Beside:
    """What this process computes beside playing: gRPC, in its threads or polled by the loop, and who else runs."""

    def __init__(self) -> None:
        self._last = self._now()

    def since_last(self) -> tuple[float, float]:
        """Return how many seconds were computed, and have passed, since the last call."""
        before, self._last = self._last, self._now()
        return self._last[0] - before[0], self._last[1] - before[1]

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.process_time() - time.thread_time() + polled_s(), time.monotonic()


def _private_bytes() -> int:
    """Return how much memory is this process's alone; 0 where there is no /proc."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - ten times a second
            _, resident, shared, *_ = map(int, file.read().split())
    except OSError:
        return 0
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")


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
