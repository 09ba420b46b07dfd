"""Sees to it that a bot computes only while it is asked: one that goes on after its answer is put to sleep as a whole.

Sleeping costs a bot that blocks on its stream nothing, so what is counted here may be rough: the processor time that a
bot used while nobody asked it, above a free amount that tidying up never needs. What it uses while it sleeps is counted
exactly, and is a fault: then it has found a way to wake itself.
"""

from __future__ import annotations

import asyncio

from arena.hosting.errors import HostingError
from arena.hosting.groups.meter import GroupMeter
from arena.hosting.launcher.client import HostedProcess
from arena.hosting.proc.meter import TreeMeter
from arena.match.result import FaultCause
from arena.referee.inbox import Offence
from arena.referee.stream import BotStream
from engine.text import Text

FREE_US = 50_000
"""How much processor time a bot may use while it is not asked, for tidying up behind its answers."""
FREE_SHARE = 0.02
"""The share of one core by which the free amount grows again: helper threads tick."""
SHORT_US = 2_000
"""An answer that came sooner is taken to have used the processor all the time, so that nothing need be read."""
SLACK_US = 200
"""What a bot uses behind such an answer, until it waits for its stream again."""
MOST_ASLEEP_US = 20_000
"""What may be counted of a sleeping bot: until a thread stops, and until it goes on."""


class BotRest:
    """The rest of one bot process from the moment it has joined."""

    __slots__ = (
        "_begun_us",
        "_can_sleep",
        "_changing",
        "_debt_us",
        "_is_asked",
        "_process",
        "_seen_us",
        "_since",
        "_slept_at",
        "_stream",
        "cores",
        "is_restless",
        "meter",
    )

    def __init__(self, process: HostedProcess, stream: BotStream, meter: TreeMeter | GroupMeter, now: float) -> None:
        """Begin the rest of a bot that has joined, at `now` by the event loop's clock."""
        self._process = process
        self._stream = stream
        self.meter = meter
        self.cores = 1
        """The cores that its match grants."""
        self.is_restless = False
        self._is_asked = False
        self._can_sleep = True
        self._changing = asyncio.Lock()
        """Held while it is put to sleep or woken: what it uses meanwhile is not used in secret."""
        self._debt_us = 0.0
        self._seen_us = self._begun_us = meter.idle_us()
        """Its processor time up to which all is accounted for."""
        self._since = self._slept_at = now

    @property
    def is_asleep(self) -> bool:
        """Whether it must be roused before it can hear anything."""
        return self._process.is_asleep

    def begin(self, now: float) -> None:
        """Note that it is asked; its meter has begun a decision."""
        self._begun_us = self.meter.begun_us
        self._account(self._begun_us, now)
        self._since = now
        self._is_asked = True

    def end(self, now: float) -> None:
        """Note that it is asked no more."""
        if not self._is_asked:
            return
        self._is_asked = False
        wall_us = (now - self._since) * 1_000_000
        # A reading for each decision of an instant bot would cost more than all else here.
        is_short = wall_us < SHORT_US
        self._seen_us = self._begun_us + round(wall_us * self.cores) + SLACK_US if is_short else self.meter.total_us()
        self._since = now

    def must_lie_down(self, now: float) -> bool:
        """Look at it, and return whether it must be put to sleep now."""
        if self._is_asked or self._process.exited.done() or not self._can_sleep or self._changing.locked():
            return False
        used_us = self.meter.idle_us()
        if self._process.is_asleep:
            return self._is_awake_in_secret(used_us, now)
        has_stirred = used_us > self._seen_us + SLACK_US
        self._account(used_us, now)
        return self._debt_us > FREE_US or (self.is_restless and has_stirred)

    async def lie_down(self) -> None:
        """Put it to sleep unless it is asked. Raises LauncherLostError."""
        async with self._changing:
            if self._is_asked or not self._can_sleep or (self._process.is_asleep and self._process.slept.is_whole):
                return
            slept = await self._process.sleep()
            if slept.is_own:
                self._expel(slept.problem, {})
            elif slept.problem:
                # The host cannot do it; then only the share of five seconds is judged (`arena.referee.pondering`).
                self._can_sleep = self._process.is_asleep = False
            else:
                self._seen_us = self.meter.settled_us()
                self._slept_at = self._stream.now()

    async def rouse(self) -> None:
        """Wake it if it sleeps, and return when it can go on. Raises HostingError."""
        async with self._changing:
            woken = await self._process.wake()
        if woken.problem and not woken.is_own:
            raise HostingError(
                Text(
                    "worker.process_could_not_woken",
                    "process {pid} could not be woken: {problem}",
                    pid=self._process.pid,
                    problem=woken.problem,
                )
            )

    def _account(self, used_us: int, now: float) -> None:
        """Count what it used since the last look or answer, above what is free."""
        used_us, self._seen_us = used_us - self._seen_us, max(used_us, self._seen_us)
        free_us = (now - self._since) * FREE_SHARE * 1_000_000
        self._since = now
        self._debt_us = min(max(self._debt_us + max(used_us, 0) - free_us, 0.0), 2 * FREE_US)
        if self._debt_us > FREE_US:
            self.is_restless = True
        elif not self._debt_us:
            self.is_restless = False

    def _is_awake_in_secret(self, used_us: int, now: float) -> bool:
        """Return whether it must be put to sleep again; if nothing can have escaped, it is expelled instead."""
        secret_us = used_us - self._seen_us
        if secret_us <= MOST_ASLEEP_US:
            return False
        if not self._process.slept.is_whole:
            return True
        evidence = {"asleep_cpu_us": secret_us, "asleep_s": round(now - self._slept_at, 3)}
        why = Text(
            "worker.computed_ms_after_put_sleep",
            "It computed for {ms} ms after it was put to sleep because it was not asked.",
            ms=f"{secret_us / 1000:.0f}",
        )
        self._expel(why, evidence)
        return False

    def _expel(self, explanation: str, evidence: dict[str, float]) -> None:
        self._can_sleep = False
        self._stream.offend(Offence(FaultCause.RESOURCE, explanation, evidence))
        self._process.kill()
