"""Keeps the bot processes of one worker warm between matches, and ends them in order.

A process plays one match and one seat at a time; a version in two seats is two processes. It never plays two matches
of one block of a game with chance, because they share their dice and piles. After a fault, or when it said something
nobody asked for, it is not used again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from arena.hosting.procfs.machine import MEGABYTE
from arena.hosting.procfs.usage import tree_resident_bytes
from arena.match.result import Fault, FaultCause, HostCause, MatchLostError
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.worker_report import HostNote
from arena.referee.measuring import evidence_of, loudest
from arena.worker.blame import StartError, blame, examine, note_silence
from arena.worker.freezer import IdleFreezer
from arena.worker.starter import BotStarter, StarvedError
from arena.worker.warm_bot import BotKey, WarmBot
from engine.translatable import Text

DEFAULT_WARM_BOTS = 32
MOST_BLOCKS = 500
"""A process that has met this many blocks is replaced, so that the set of them stays small."""
_BARRED = Text("It brought down the process that plays, alone with bots of the arena.")


class WarmBots:
    """The bot processes of one worker. `close` ends the idle ones."""

    def __init__(
        self,
        starter: BotStarter,
        most: int = DEFAULT_WARM_BOTS,
        most_mb: int | None = None,
        idle_freezer: IdleFreezer | None = None,
    ) -> None:
        """Keep at most `most` idle processes, with `most_mb` of resident memory (None: no limit).

        `idle_freezer` freezes those with a seat that compute while they are not asked.
        """
        self._starter = starter
        self._idle_freezer = idle_freezer
        self._most = most
        self._most_bytes = None if most_mb is None else most_mb * MEGABYTE
        self._idle: list[WarmBot] = []

    async def seat(
        self, spec: MatchSpec, secret_block: str = "", numbers: Sequence[int] | None = None
    ) -> list[WarmBot | StartError]:
        """Return a process for every seat: a warm one if there is one, else a new one, all started at the same time.

        They are all new if `spec` wants fresh bots.

        The seats of `spec` have these `numbers` in their match, if it has others too, whose bots run elsewhere.
        None of them has played in `secret_block`, a block whose matches give away what happens in its others.
        No other process computes any more when it returns. Raises HostingError; then, and when it is cancelled, every
        process that had a seat is ended.
        """
        seats: list[WarmBot | StartError | None] = [
            StartError(FaultCause.FLOOD, _BARRED, dict(seat.barred))
            if seat.barred is not None
            else (None if spec.uses_fresh_bots else self._take(BotKey.of(seat), spec.game, secret_block))
            for seat in spec.seats
        ]
        try:
            while None in seats:
                await self.settle()
                await self._fill(seats, spec, range(len(seats)) if numbers is None else numbers)
                for index, one in enumerate(seats):
                    if isinstance(one, WarmBot) and one.has_played and not one.is_usable:
                        self.end(one)
                        seats[index] = None
            await self.settle()
            await asyncio.gather(*(_mark(one) for one in seats if isinstance(one, WarmBot)))
        except BaseException:
            for one in seats:
                if isinstance(one, WarmBot):
                    self.end(one)
            raise
        for one in seats:
            if isinstance(one, WarmBot) and secret_block:
                one.blocks.add(secret_block)
        return [one for one in seats if one is not None]

    async def _fill(self, seats: list[WarmBot | StartError | None], spec: MatchSpec, numbers: Sequence[int]) -> None:
        """Start a process for each empty seat. Even if this raises, those that did start are in their seats.

        One that got no processor beside the others is started again alone, while these are frozen if they compute.
        """
        starved: dict[int, StarvedError] = {}
        names = {number: seat.name for number, seat in zip(numbers, spec.seats, strict=True)}

        async def fill(index: int) -> None:
            try:
                seats[index] = await self._start_watched(spec.seats[index], spec, is_alone=False)
            except StarvedError as error:
                starved[index] = error

        empty = [index for index, one in enumerate(seats) if one is None]
        before_us = self._computed_us(seats)
        outcomes = await asyncio.gather(*map(fill, empty), return_exceptions=True)
        for outcome in outcomes:
            if outcome is not None:
                raise outcome

        def computed_us() -> dict[int, int]:
            now_us = self._computed_us(seats)
            return {numbers[seat]: used_us - before_us.get(seat, 0) for seat, used_us in now_us.items()}

        meanwhile_us = computed_us()
        for index, first in starved.items():
            await self.settle()
            try:
                one = seats[index] = await self._start_watched(spec.seats[index], spec, is_alone=True)
            except StarvedError as error:
                raise _starved(names, numbers[index], error, computed_us()) from error
            if isinstance(one, WarmBot):
                one.note = _started_again(names, numbers[index], first, meanwhile_us)

    def _computed_us(self, seats: Sequence[WarmBot | StartError | None]) -> dict[int, int]:
        """Return by seat what the bots that have joined used since they did."""
        if self._idle_freezer is None:
            return {}
        joined = ((seat, bot) for seat, bot in enumerate(seats) if isinstance(bot, WarmBot))
        return {seat: self._idle_freezer.freezer_of(bot).meter.settled_us() for seat, bot in joined}

    async def _start_watched(self, seat: SeatSpec, spec: MatchSpec, *, is_alone: bool) -> WarmBot | StartError:
        """Start a process that is watched as soon as it has joined. Raises StarvedError, HostingError."""
        try:
            bot = await self._starter.start(seat, spec, is_alone=is_alone)
        except StartError as error:
            return error
        if self._idle_freezer is not None:
            self._idle_freezer.freezer_of(bot)
        return bot

    async def start_alone(self, seat: SeatSpec, spec: MatchSpec) -> WarmBot:
        """Start a process while no other starts or ends; the caller ends it. Raises StartError, HostingError."""
        await self.settle()
        return await self._starter.start(seat, spec)

    def give_back(self, bot: WarmBot) -> None:
        """Keep a bot after a match in which it did nothing wrong, unless it may not be used again."""
        bot.has_played = True
        if not bot.is_usable or len(bot.blocks) >= MOST_BLOCKS:
            self.end(bot)
            return
        bot.resident_bytes = tree_resident_bytes(bot.process.pid)
        self._idle.append(bot)
        while self._idle:
            held = sum(bot.resident_bytes for bot in self._idle)
            if len(self._idle) <= self._most and (self._most_bytes is None or held <= self._most_bytes):
                break
            self.end(self._idle.pop(0))

    def count_idle(self) -> int:
        """Return how many processes wait for their next match."""
        return len(self._idle)

    def end(self, bot: WarmBot) -> None:
        """End a process in the background."""
        self._let_go(bot)
        self._starter.end(bot)

    async def dismiss(self, bot: WarmBot) -> bool:
        """Close its stream, end its process, and return whether that had ended by itself. Raises HostingError."""
        bot.resident_bytes = tree_resident_bytes(bot.process.pid)
        self._let_go(bot)
        return await self._starter.dismiss(bot)

    async def end_and_explain(self, bot: WarmBot, fault: Fault) -> Fault:
        """End a process that did something wrong; return its fault with the evidence and the cause that its end shows.

        Raises HostingError when the launcher is gone: then the fault is the host's.
        """
        self._let_go(bot)
        has_left = await self._starter.dismiss(bot)
        evidence = await examine(bot.process, has_left, bot.mark, stray=bot.stream.stray_output())
        fault = blame(fault, bot.process, evidence)
        return note_silence(fault) if bot.speaks_lines and not bot.stream.heard else fault

    def _let_go(self, bot: WarmBot) -> None:
        """Have it watched no more: what it does to leave in order is in nobody's time."""
        if self._idle_freezer is not None:
            self._idle_freezer.forget(bot)

    async def settle(self) -> None:
        """Wait until the processes that are ending have ended. Raises HostingError if one cannot be ended."""
        await self._starter.settle()

    async def close(self) -> None:
        """End every idle process."""
        for bot in self._idle:
            self.end(bot)
        self._idle.clear()
        await self.settle()

    def _take(self, key: BotKey, game: str, block: str) -> WarmBot | None:
        """Return the most recently used idle process for `key` that has joined `game` and has not played in `block`."""
        for bot in [bot for bot in self._idle if not bot.is_usable]:
            self._idle.remove(bot)
            self.end(bot)
        for index in range(len(self._idle) - 1, -1, -1):
            bot = self._idle[index]
            if bot.key == key and bot.plays(game) and not (block and block in bot.blocks):
                return self._idle.pop(index)
        return None


async def _mark(bot: WarmBot) -> None:
    """Mark where the next match begins in its output: earlier output is not evidence for it."""
    if bot.has_played:
        bot.mark = await bot.process.mark()


def _starved(
    names: Mapping[int, str], seat: int, error: StarvedError, computed_us: Mapping[int, int]
) -> MatchLostError:
    """Return the host's fault that a bot got no processor for its start; the other that used most is named."""
    waited_s = (error.figures.queue_wait_us + error.figures.referee_lag_us) / 1_000_000
    why = Text(
        "seat {seat} could not start: it waited {seconds} s for a processor", seat=seat, seconds=f"{waited_s:.1f}"
    )
    if (loud := loudest(computed_us)) is not None:
        other, loud_s = loud
        why = Text(
            "seat {seat} could not start: it waited {seconds} s for a processor, while seat {other} computed "
            "for {computed} s",
            seat=seat,
            seconds=f"{waited_s:.1f}",
            other=other,
            computed=f"{loud_s:.1f}",
        )
    evidence = evidence_of(names, seat, error.figures, computed_us)
    return MatchLostError(why, HostCause.CHARGE_BOUND, evidence)


def _started_again(
    names: Mapping[int, str], seat: int, error: StarvedError, computed_us: Mapping[int, int]
) -> HostNote:
    """Return what is told of a bot that got no processor for its start, and got one alone."""
    waited_s = (error.figures.queue_wait_us + error.figures.referee_lag_us) / 1_000_000
    sentence = Text(
        "seat {seat} was started again alone: it had waited {seconds} s for a processor",
        seat=seat,
        seconds=f"{waited_s:.1f}",
    )
    if (loud := loudest(computed_us)) is not None:
        other, loud_s = loud
        sentence = Text(
            "seat {seat} was started again alone: it had waited {seconds} s for a processor, while seat "
            "{other} computed for {computed} s",
            seat=seat,
            seconds=f"{waited_s:.1f}",
            other=other,
            computed=f"{loud_s:.1f}",
        )
    return HostNote(sentence, evidence_of(names, seat, error.figures, computed_us))
