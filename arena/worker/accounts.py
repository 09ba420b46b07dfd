"""Tells of the processes of a match what they wrote and how they did, for its report."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from arena.hosting.launcher.messages import Log
from arena.match.report import SeatLogText, SeatProcess
from arena.worker.blame import StartError
from arena.worker.warm_bot import WarmBot

Seated = WarmBot | StartError | None
"""What plays a seat: a process, nothing because it did not start, or None for a bot that its author runs."""


@dataclass(frozen=True, slots=True)
class Accounts:
    """What a report tells of the processes of a match."""

    logs: tuple[SeatLogText, ...] = ()
    processes: tuple[SeatProcess, ...] = ()


async def read_accounts(seated: Sequence[Seated], were_warm: Sequence[bool], left: Sequence[bool | None]) -> Accounts:
    """Return the accounts of all seats, asked at the same time; `left` tells who has ended by itself.

    What a bot writes from now on belongs to no match until its next one begins. Raises HostingError.
    """
    logs = await asyncio.gather(*map(read_log, seated))
    return Accounts(
        tuple(_text(seat, log) for seat, log in enumerate(logs) if log.total_bytes),
        tuple(
            _process(seat, bot, logs[seat], were_warm[seat], left[seat])
            for seat, bot in enumerate(seated)
            if isinstance(bot, WarmBot)
        ),
    )


def _process(seat: int, bot: WarmBot, log: Log, was_warm: bool, has_left: bool | None) -> SeatProcess:
    peak = max(log.peak_bytes, bot.resident_bytes) or None
    return SeatProcess(seat, was_warm, peak, has_left, log.stdout_bytes, _failure(bot) if has_left else "")


def _failure(bot: WarmBot) -> str:
    """Return how a process failed that has ended by itself, or an empty text if it did not."""
    end = bot.process.exited.result()
    return end.describe() if end.status or end.signal else ""


async def read_log(one: Seated, start: int = 0) -> Log:
    """Return what the process in a seat has written in its match, from byte `start` on. Raises HostingError."""
    if one is None:
        return Log()
    return one.log.after(start) if isinstance(one, StartError) else await one.process.log(start)


def _text(seat: int, log: Log) -> SeatLogText:
    return SeatLogText(seat, log.head + log.tail, log.cut_bytes)
