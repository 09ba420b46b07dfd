"""What a process that plays matches tells of them: the accounts of the bots' processes, live events, and the report.

A match is shown live to those who watch it, while somebody does. The play is looked at only when no clock runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from arena.hosting.errors import HostingError
from arena.hosting.framed_pipe import encode_frame
from arena.hosting.launcher.messages import Log
from arena.match.decisions import DecidedBy
from arena.match.live import LiveEvent, LiveLogEvent, LiveReader, live_json
from arena.match.match import Match
from arena.match.replay import WrittenReplay
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import NO_SANDBOX, weakest_level
from arena.match.worker_report import HostNote, LeakCheckResult, MatchReport, SeatLogText, SeatProcess
from arena.worker.blame import StartError
from arena.worker.warm_bot import WarmBot
from engine.translatable import Text

Seated = WarmBot | StartError | None
"""What plays a seat: a process, nothing because it did not start, or None for a bot that its author runs."""
Show = Callable[[Sequence[LiveEvent]], None]
FETCH_EVERY_S = 0.5
"""How often logs that are watched are fetched while a bot thinks."""


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
        tuple(
            SeatLogText(seat, log.head + log.tail, log.cut_bytes) for seat, log in enumerate(logs) if log.total_bytes
        ),
        tuple(
            _process(seat, bot, logs[seat], were_warm[seat], left[seat])
            for seat, bot in enumerate(seated)
            if isinstance(bot, WarmBot)
        ),
    )


def _process(seat: int, bot: WarmBot, log: Log, was_warm: bool, has_left: bool | None) -> SeatProcess:
    peak = max(log.peak_bytes, bot.resident_bytes) or None
    failure = ""
    if has_left and ((end := bot.process.exited.result()).status or end.signal):
        failure = end.describe()
    return SeatProcess(seat, was_warm, peak, has_left, log.stdout_bytes, failure)


async def read_log(one: Seated, start: int = 0) -> Log:
    """Return what the process in a seat has written in its match, from byte `start` on. Raises HostingError."""
    if one is None:
        return Log()
    return one.log.after(start) if isinstance(one, StartError) else await one.process.log(start)


class LiveFeed:
    """The events of one match for all who watch it: each is sent once, however watchers come and go."""

    def __init__(self, show: Show, *, is_prompt: bool = False) -> None:
        """With `is_prompt`, whoever comes is shown the match while a bot thinks, too."""
        self._show = show
        self._is_prompt = is_prompt
        self._match: Match | None = None
        self._reader: LiveReader | None = None
        self._seated: Sequence[Seated] = ()
        self._read_bytes: dict[int, int] = {}  # how much of its log was shown, for each seat whose log is wanted
        self._reading = asyncio.Lock()  # held while logs are read: each part is asked for once, behind the last
        self._fetcher: asyncio.Task[None] | None = None
        self.is_present = False  # whether anybody watches

    def come(self, logs: Iterable[int]) -> None:
        """Note that somebody watches, and which seats' logs are wanted from now on besides those that were."""
        self.is_present = True
        for seat in logs:
            self._read_bytes.setdefault(seat, 0)
        if self._read_bytes and self._fetcher is None:
            self._fetcher = asyncio.create_task(self._fetch_logs())
        if self._is_prompt and self._match is not None and self._match.decision is not None:
            self._show_moves()

    def leave(self) -> None:
        """Note that nobody watches; whoever comes again sees what was missed."""
        self.is_present = False

    def take_places(self, match: Match, seated: Sequence[Seated], started_at_us: int) -> None:
        """Tell it which match begins, and what plays it."""
        self._match, self._reader, self._seated = match, LiveReader(match, started_at_us), seated

    async def look(self) -> None:
        """Show what has happened since the last look. Raises HostingError."""
        if not self.is_present or self._reader is None:
            return
        self._show_moves()
        await self._show_logs()

    async def finish(self) -> None:
        """Show what has happened since the last look, and look no more. Raises HostingError."""
        async with self._reading:  # a question that is broken off would answer the next one
            self.close()
        await self.look()

    def close(self) -> None:
        """Fetch no more logs; the match was lost."""
        if self._fetcher is not None:
            self._fetcher.cancel()

    async def _fetch_logs(self) -> None:
        """Show again and again what bots write while they think."""
        while True:
            await asyncio.sleep(FETCH_EVERY_S)
            try:
                await self._show_logs()
            except HostingError:
                return  # the match finds out by itself, and says so

    async def _show_logs(self) -> None:
        async with self._reading:
            if not self.is_present or self._reader is None:
                return
            wanted = [seat for seat in self._read_bytes if 0 <= seat < len(self._seated)]
            for found in await asyncio.gather(*map(self._read_log, wanted)):
                if found:
                    self._show(found)

    def _show_moves(self) -> None:
        if self._reader is not None and (events := list(self._reader.read())):
            self._show(events)

    async def _read_log(self, seat: int) -> list[LiveEvent]:
        start = self._read_bytes[seat]
        log = await read_log(self._seated[seat], start)
        self._read_bytes[seat] = start + log.total_bytes
        assert self._reader is not None
        sequence, data = self._reader.sequence, log.head if log.cut_bytes else log.head + log.tail
        events: list[LiveEvent] = [LiveLogEvent(sequence, seat, start, data)] if data else []
        if log.cut_bytes:
            after = start + len(log.head) + log.cut_bytes
            events.append(LiveLogEvent(sequence, seat, after, log.tail, log.cut_bytes))
        return events


def encode_report(ticket: int, report: MatchReport) -> bytes:
    """Return the message that a match is over."""
    return encode_frame({"event": "report", "ticket": ticket, "report": report.to_json()}, report.blob())


def encode_live(ticket: int, events: Sequence[LiveEvent]) -> bytes:
    """Return the messages about what has happened in a match that is watched."""
    frames = []
    for event in events:
        live, blob = live_json(event)
        frames.append(encode_frame({"event": "live", "ticket": ticket, "live": live}, blob))
    return b"".join(frames)


def encode_lost(ticket: int, error: MatchLostError) -> bytes:
    """Return the message that a match has no result."""
    return encode_frame({"event": "lost", "ticket": ticket, "error": error.to_json()})


def encode_cancelled(ticket: int) -> bytes:
    """Return the message that a match was ended because the coordinator wanted that."""
    return encode_lost(ticket, MatchLostError(Text("cancelled"), HostCause.CANCELLED))


def build_report(
    match: Match,
    replay: WrittenReplay,
    checks: tuple[LeakCheckResult, ...],
    accounts: Accounts,
    note: HostNote | None = None,
) -> MatchReport:
    """Return the report of a match that is over, with its replay."""
    return MatchReport(
        match_id=match.spec.match_id,
        attempt=match.spec.attempt,
        result=match.result(),
        plies=len(match.entries),
        decisions=sum(entry.by is DecidedBy.BOT for entry in match.entries),
        started_at_us=replay.started_at_us,
        duration_us=replay.duration_us,
        game_digest=replay.game_digest,
        record_digest=replay.record_digest,
        replay=replay.data,
        # Where a remote bot runs is its author's affair; the level is that of the bots that ran here.
        sandbox=weakest_level([seat.sandbox for seat in match.spec.seats if not seat.is_remote] or [NO_SANDBOX]),
        leak_checks=checks,
        seat_logs=accounts.logs,
        seat_processes=accounts.processes,
        runtimes=tuple(seat.runtime for seat in match.spec.seats),
        sandboxes=tuple("" if seat.is_remote else seat.sandbox for seat in match.spec.seats),
        note_bytes=tuple(
            sum(len(entry.note.encode()) for entry in match.entries if entry.note and entry.seat == seat)
            for seat in range(len(match.spec.seats))
        ),
        referee_lag_us=max((entry.figures.referee_lag_us for entry in match.entries if entry.figures), default=0),
        note=note,
    )
