"""Freezes bots that go on computing when it is not their turn, with all their processes, until they are asked again.

`IdleFreezer` looks at all bots of one worker that are not asked, seated and warm. Being frozen costs a bot that blocks
on its stream nothing, so what `BotFreezer` counts may be rough: the processor time that a bot used while nobody asked
it, above a free amount that tidying up never needs. What it uses while it is frozen is counted exactly, and is a fault:
then it has found a way to thaw itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

from arena.hosting.errors import HostingError, LauncherLostError
from arena.hosting.launcher.client import HostedProcess
from arena.hosting.procfs.meter import GroupMeter, TreeMeter
from arena.match.result import FaultCause
from arena.referee.stream import BotStream, Offence
from arena.worker.warm_bot import WarmBot
from engine.translatable import Text

LOOK_EVERY_S = 0.05
"""A look reads one clock a process. It is rare enough to cost instant bots nothing, and a bot that computes meanwhile
takes no more from the others than the host gives back to them."""
FREE_US = 50_000
"""How much processor time a bot may use while it is not asked, for tidying up behind its answers."""
FREE_SHARE = 0.02
"""The share of one core by which the free amount grows again: helper threads tick."""
SHORT_US = 2_000
"""An answer that came sooner is taken to have used the processor all the time, so that nothing need be read."""
SLACK_US = 200
"""What a bot uses behind such an answer, until it waits for its stream again."""
MOST_ASLEEP_US = 20_000
"""What may be counted of a frozen bot: until a thread stops, and until it goes on."""


class IdleFreezer:
    """Watches the bots that were added until they end. Async context manager; it looks as long as it is entered."""

    def __init__(self) -> None:
        self._freezers: dict[WarmBot, BotFreezer] = {}
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Begin to look."""
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """Look no more."""
        assert self._task is not None
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    def freezer_of(self, bot: WarmBot) -> BotFreezer:
        """Return the freezer of a bot that has joined; the bot is watched from now on."""
        freezer = self._freezers.get(bot)
        if freezer is None:
            now = asyncio.get_running_loop().time()
            freezer = self._freezers[bot] = BotFreezer(bot.process, bot.stream, make_meter(bot.process), now)
            bot.process.exited.add_done_callback(lambda _: self.forget(bot))
        return freezer

    def bots(self) -> Sequence[WarmBot]:
        """Return the bots that it watches."""
        return tuple(self._freezers)

    def close_meter(self, bot: WarmBot) -> None:
        """Close the files of the meter of a bot whose match is over."""
        freezer = self._freezers.get(bot)
        if freezer is not None:
            freezer.meter.close()

    def forget(self, bot: WarmBot) -> None:
        """Watch a bot no more, which is leaving."""
        freezer = self._freezers.pop(bot, None)
        if freezer is not None:
            freezer.meter.close()

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        with suppress(LauncherLostError):  # the match finds out by itself, and says so
            while True:
                await asyncio.sleep(LOOK_EVERY_S)
                for freezer in [freezer for freezer in self._freezers.values() if freezer.must_freeze(loop.time())]:
                    await freezer.freeze()


class BotFreezer:
    """Freezes one bot process when it must, from the moment it has joined."""

    def __init__(self, process: HostedProcess, stream: BotStream, meter: TreeMeter | GroupMeter, now: float) -> None:
        """Begin with a bot that has joined, at `now` by the event loop's clock."""
        self._process = process
        self._stream = stream
        self.meter = meter
        self.cores = 1  # the cores that its match grants
        self.is_restless = False
        self._is_asked = False
        self._can_freeze = True
        self._changing = asyncio.Lock()
        """Held while it is frozen or thawed: what it uses meanwhile is not used in secret."""
        self._debt_us = 0.0
        self._seen_us = self._begun_us = meter.idle_us()  # its processor time up to which all is accounted for
        self._since = self._frozen_at = now

    @property
    def is_frozen(self) -> bool:
        """Whether it must be thawed before it can read anything."""
        return self._process.is_frozen

    def begin(self, now: float) -> None:
        """Note that it is asked; its meter has begun a decision."""
        self._begun_us = self.meter.begun_us
        self._account(self._begun_us, now)
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

    def must_freeze(self, now: float) -> bool:
        """Look at it, and return whether it must be frozen now."""
        if self._is_asked or self._process.exited.done() or not self._can_freeze or self._changing.locked():
            return False
        used_us = self.meter.idle_us()
        if self._process.is_frozen:
            secret_us = used_us - self._seen_us
            if secret_us <= MOST_ASLEEP_US:
                return False
            if not self._process.freeze_outcome.is_whole:
                return True
            # Nothing can have escaped from the group that was frozen, so it is expelled.
            evidence = {"asleep_cpu_us": secret_us, "asleep_s": round(now - self._frozen_at, 3)}
            why = Text(
                "It computed for {ms} ms after it was put to sleep because it was not asked.",
                ms=f"{secret_us / 1000:.0f}",
            )
            self._expel(why, evidence)
            return False
        has_stirred = used_us > self._seen_us + SLACK_US
        self._account(used_us, now)
        return self._debt_us > FREE_US or (self.is_restless and has_stirred)

    async def freeze(self) -> None:
        """Freeze it unless it is asked. Raises LauncherLostError."""
        async with self._changing:
            is_done = self._process.is_frozen and self._process.freeze_outcome.is_whole
            if self._is_asked or not self._can_freeze or is_done:
                return
            outcome = await self._process.freeze()
            if outcome.is_own:
                self._expel(outcome.problem, {})
            elif outcome.problem:
                # The host cannot do it; then only the share of five seconds is judged (`arena.referee.measuring`).
                self._can_freeze = self._process.is_frozen = False
            else:
                self._seen_us = self.meter.settled_us()
                self._frozen_at = self._stream.now()

    async def thaw(self) -> None:
        """Thaw it if it is frozen, and return when it can go on. Raises HostingError."""
        async with self._changing:
            woken = await self._process.thaw()
        if woken.problem and not woken.is_own:
            why = Text("process {pid} could not be woken: {problem}", pid=self._process.pid, problem=woken.problem)
            raise HostingError(why)

    def _account(self, used_us: int, now: float) -> None:
        """Count what it used since the last look or answer, above what is free."""
        if used_us <= self._seen_us and not self._debt_us:  # so it is with instant bots, thousands of times a second
            self._since, self.is_restless = now, False
            return
        used_us, self._seen_us = used_us - self._seen_us, max(used_us, self._seen_us)
        free_us = (now - self._since) * FREE_SHARE * 1_000_000
        self._since = now
        self._debt_us = min(max(self._debt_us + max(used_us, 0) - free_us, 0.0), 2 * FREE_US)
        if self._debt_us > FREE_US:
            self.is_restless = True
        elif not self._debt_us:
            self.is_restless = False

    def _expel(self, explanation: str, evidence: dict[str, float]) -> None:
        self._can_freeze = False
        self._stream.offend(Offence(FaultCause.RESOURCE, explanation, evidence))
        self._process.kill()


def make_meter(process: HostedProcess) -> TreeMeter | GroupMeter:
    """Return a meter for a process: its control group's, if it has one that still is there."""
    if process.group is not None:
        with suppress(OSError):
            return GroupMeter(process.pid, process.group)
    return TreeMeter(process.pid)
