"""Plays one match over the streams of its bots: sends its questions, measures, and hands the answers to the match.

It runs in a task of its own; the handlers of the streams only deliver. What takes part in a match is the bots in its
seats and who watches; of decisions the referee tells whoever freezes and thaws the bots between them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from arena.match.decisions import Answer, Decision, Message
from arena.match.match import Match
from arena.match.result import Fault, FaultCause
from arena.match.time_control import Figures
from arena.referee.framing import PROTOBUF, Encoder
from arena.referee.measuring import (
    MOST_LAG_US,
    UNEXPLAINED_US,
    LagMeter,
    Meter,
    Neighbours,
    PonderWatch,
    Stopwatch,
    find_no_connection,
    starved,
    stood_still,
)
from arena.referee.stream import Arrival, BotStream, Closed, Flood, Inbox, Offence, SeatStream, StreamClosedError
from arena.wire.messages import MatchEncoder
from engine.translatable import Text

UNTIMED_DECISION_S = 600.0
"""Even without a clock every wait has an end."""

# A decision that is not over by its charge after this much wall time is the host's fault. The bound is generous: a
# question and its answer pass through several threads of the bot, and on a busy host each of them waits.
BOUND_FACTOR = 10
BOUND_US = 10_000_000

SHOWN_BYTES = 64


async def play_match(
    match: Match,
    seats: Sequence[SeatedBot | Fault],
    *,
    lag_meter: LagMeter | None = None,
    may_ponder: bool = False,
    watcher: MatchWatcher | None = None,
) -> None:
    """Play a match to its end. A seat whose bot did not start is given by its fault.

    `lag_meter` measures how long the referee itself waits for a processor. Raises MatchLostError if the match cannot be
    judged, with what the other bots used of the processor meanwhile, and whatever the watcher raises.
    """
    await _MatchReferee(match, seats, lag_meter, may_ponder=may_ponder, watcher=watcher).play()


class _MatchReferee:
    def __init__(
        self,
        match: Match,
        seats: Sequence[SeatedBot | Fault],
        lag_meter: LagMeter | None = None,
        *,
        may_ponder: bool = False,
        watcher: MatchWatcher | None = None,
    ) -> None:
        bots = [None if isinstance(one, Fault) else one for one in seats]
        self._match = match
        self._absent = [one for one in seats if isinstance(one, Fault)]
        self._streams = [None if bot is None else bot.stream for bot in bots]
        self._meters = [None if bot is None else bot.meter for bot in bots]
        self._connections = [find_no_connection if bot is None else bot.connection for bot in bots]
        self._lag_meter = lag_meter
        self._neighbours = Neighbours(self._meters)
        self._pondering = None if may_ponder else PonderWatch(self._meters)
        self._rests = SeatFreezers([None if bot is None else bot.freezer for bot in bots], may_ponder=may_ponder)
        self._watcher = watcher
        self._encoders = encoders(match, self._streams)
        self._inbox = Inbox()
        self._asked: tuple[Decision, Stopwatch] | None = None
        """The decision that a bot has been asked for, and the time it has taken so far."""
        self._told: set[int] = set()  # the seats that were told that the match starts
        self._loop = asyncio.get_running_loop()

    async def play(self) -> None:
        for seat, stream in enumerate(self._streams):
            if stream is not None:
                stream.attach(self._inbox, seat, partial(self._resume, seat))
        self._rests.open(self._loop.time())
        try:
            absent = [*self._absent]
            for seat, stream in enumerate(self._streams):
                if stream is not None and (fault := await self._announce_to(seat, stream)) is not None:
                    absent.append(fault)
            self._match.begin(sorted(absent, key=lambda fault: fault.seat))
            while (decision := self._match.decision) is not None:
                if self._watcher is not None and self._watcher.is_present:
                    await self._watcher.look()
                await self._ask(decision)
            await asyncio.gather(*(self._finish(seat) for seat in range(len(self._streams))))
        finally:
            self._rests.close(self._loop.time())
            for stream in self._streams:
                if stream is not None:
                    stream.detach()
            for arrival in self._inbox.drain():
                late = self._streams[arrival.seat]
                if late is not None:
                    late.spoiled = late.spoiled or Text("it sent more than it was asked")

    # The start.

    async def _announce_to(self, seat: int, stream: SeatStream) -> Fault | None:
        if stream.spoiled and not stream.is_closed:
            stream.mute()
            why = Text("Before its match started, {what}.", what=stream.spoiled)
            return Fault(seat, FaultCause.PROTOCOL, 0, why)
        started = self._encoders[seat].started(seat)
        self._told.add(seat)
        await self._rests.thaw(seat)
        try:
            await stream.send(started)
        except StreamClosedError as error:
            return Fault(seat, FaultCause.DISCONNECTED, 0, str(error))
        return None

    def _resume(self, seat: int) -> Sequence[bytes]:
        """Return what a bot that comes back to its seat must be told; nothing if it will be told all of it anyway."""
        if seat not in self._told:
            return ()
        messages = [self._encoders[seat].resumed(seat)]
        if self._match.is_over:
            messages.append(self._encoders[seat].finished(seat))
        elif self._asked is not None and self._asked[0] is self._match.decision and self._asked[0].seat == seat:
            decision, watch = self._asked
            messages.append(self._encoders[seat].decide_again(decision, watch.elapsed_us()))
        return messages

    # A decision.

    async def _ask(self, decision: Decision) -> None:
        """Send a decision and judge what arrives, until the match goes on."""
        seat = decision.seat
        stream = self._streams[seat]
        assert stream is not None, "a seat without a bot has forfeited"
        message = self._encoders[seat].decide(decision)
        self._neighbours.begin()
        if self._pondering is not None:
            self._pondering.begin()
        await self._rests.thaw(seat)
        patience_s = self._patience_us(decision) / 1_000_000
        watch = Stopwatch(self._loop, patience_s, self._meters[seat], self._lag_meter, self._connections[seat])
        self._rests.begin(seat, watch.asked_at)
        self._asked = decision, watch
        try:
            await stream.send(message)
            watch.mark_handed()
            if isinstance(stream, BotStream):
                stream.listen()
            arrival = None
            while self._match.decision is decision:
                arrival = await self._inbox.get(watch.next_at)
                if arrival is None:
                    self._look(decision, watch)
                else:
                    self._judge(arrival, watch)
            last = None if arrival is None else arrival.seat
        except StreamClosedError as error:
            self._match.fail(seat, FaultCause.DISCONNECTED, str(error))
            return
        finally:
            await self._rests.end(seat, self._loop.time())
        if last != seat and not self._match.is_out(seat):
            # Another seat's fault ended it. A late answer of this one must not be taken for one in its next match.
            stream.spoiled = stream.spoiled or "the match ended while it was asked"

    def _patience_us(self, decision: Decision) -> int:
        """Return how much a decision may be charged; without a clock, how long it may last."""
        if not decision.time_limit_us:
            return round(UNTIMED_DECISION_S * 1_000_000)
        return decision.time_limit_us + self._match.spec.clock.margin_us

    def _look(self, decision: Decision, watch: Stopwatch) -> None:
        """Read the figures of a decision without an answer: a bot whose charge exceeds its time is out."""
        figures = watch.look()
        self._check_lag(decision, figures)
        self._neighbours.look(decision.seat)
        patience_us = self._patience_us(decision)
        charge_us = figures.charge_us(self._match.spec.cores)
        is_over = (charge_us if decision.time_limit_us else figures.wall_us) >= patience_us
        if is_over and not self._is_unexplained(decision, watch, figures):
            self._match.expire(figures.wall_us, charge_us, figures)
            self._silence(decision.seat)
        elif decision.time_limit_us and figures.wall_us >= patience_us and self._has_lowered_itself(decision, figures):
            self._silence(decision.seat)
        elif figures.wall_us > BOUND_FACTOR * patience_us + BOUND_US:
            raise starved(self._match.spec.seats, decision, figures, self._neighbours.computed_us(decision.seat))
        elif self._pondering is not None:
            others = [
                seat for seat in range(len(self._streams)) if seat != decision.seat and not self._match.is_out(seat)
            ]
            found = self._pondering.look(self._loop.time(), others)
            if found is not None:
                evidence = {"share": round(found.share, 3), "during_s": round(found.wall_s, 3)}
                self._match.fail(found.seat, FaultCause.RESOURCE, found.explain(), evidence)
                self._silence(found.seat)

    def _check_lag(self, decision: Decision, figures: Figures) -> None:
        if figures.referee_lag_us > MOST_LAG_US:
            raise stood_still(self._match.spec.seats, decision, figures, self._neighbours.computed_us(decision.seat))

    def _is_unexplained(self, decision: Decision, watch: Stopwatch, figures: Figures) -> bool:
        """Return whether a bot would lose by time in which it neither computed nor slept, as far as is known."""
        charge_us, patience_us = figures.charge_us(self._match.spec.cores), self._patience_us(decision)
        if not decision.time_limit_us or not figures.looks or charge_us < patience_us:
            return False
        explained_us = figures.cpu_us + watch.slept_us()
        return explained_us < patience_us and charge_us - explained_us > UNEXPLAINED_US

    def _has_lowered_itself(self, decision: Decision, figures: Figures) -> bool:
        """Put a bot out that waits for a processor because it gave its share away: the match is not lost by that."""
        meter = self._meters[decision.seat]
        nice = 0 if meter is None else meter.lowered_to()
        if nice:
            why = Text(
                "It lowered its own weight (nice {nice} of its session), so its wait for a processor is its own.",
                nice=nice,
            )
            evidence = {"session_nice": nice, **figures.to_json()}
            self._match.fail(decision.seat, FaultCause.RESOURCE, why, evidence)
        return nice > 0

    # What arrives.

    def _judge(self, arrival: Arrival, watch: Stopwatch) -> None:
        match, seat = self._match, arrival.seat
        if isinstance(arrival.what, Closed):
            match.fail(seat, FaultCause.DISCONNECTED, arrival.what.why)
        elif isinstance(arrival.what, Flood):
            match.fail(seat, FaultCause.FLOOD, arrival.what.why, arrival.what.evidence)
        elif isinstance(arrival.what, Offence):
            match.fail(seat, arrival.what.cause, arrival.what.explanation, arrival.what.evidence)
        else:
            self._receive(arrival, arrival.what, watch)
        if match.is_out(seat):
            self._silence(seat)

    def _receive(self, arrival: Arrival, message: Message, watch: Stopwatch) -> None:
        decision, seat = self._match.decision, arrival.seat
        if isinstance(message, Answer) and arrival.at < watch.asked_at:
            # One Decide is one answer and one charge.
            why = Text("It answered before it was asked.")
            self._match.fail(seat, FaultCause.PROTOCOL, why)
        elif decision is None or decision.seat != seat:
            self._match.receive(seat, message, 0, 0)
        else:
            figures = watch.stop(arrival.at)
            self._check_lag(decision, figures)
            if self._is_unexplained(decision, watch, figures):
                raise starved(self._match.spec.seats, decision, figures, self._neighbours.computed_us(seat))
            self._match.receive(seat, message, figures.wall_us, figures.charge_us(self._match.spec.cores), figures)

    def _silence(self, seat: int) -> None:
        """Stop reading a seat that has forfeited, and keep its last message as evidence."""
        stream = self._streams[seat]
        if stream is not None and self._match.faults_of(seat):
            stream.mute()
            framing = stream.framing if isinstance(stream, BotStream) else PROTOBUF
            self._match.add_evidence(seat, {"last_message": framing.show(stream.last_message[:SHOWN_BYTES])})

    # The end.

    async def _finish(self, seat: int) -> None:
        stream = self._streams[seat]
        if stream is not None and not stream.is_closed:
            await self._rests.thaw(seat)
            try:
                await stream.send(self._encoders[seat].finished(seat))
            except StreamClosedError:
                return  # the match is over: a bot that is gone now has done nothing wrong


def encoders(match: Match, streams: Sequence[SeatStream | None]) -> list[Encoder]:
    """Return by seat what encodes a match for its bot; what several bots are told is encoded once."""
    protobuf = MatchEncoder(match)
    return [
        stream.framing.encoder(match, protobuf) if isinstance(stream, BotStream) else protobuf for stream in streams
    ]


@dataclass(frozen=True, slots=True)
class SeatedBot:
    """A bot that has joined and takes a seat."""

    stream: SeatStream
    meter: Meter | None = None
    """What measures its processes; without a meter the bot is charged wall time."""
    freezer: SeatFreezer | None = None
    """What keeps it from computing while it is not asked; None for a bot that runs elsewhere."""
    connection: Callable[[], int | None] = find_no_connection
    """Returns the descriptor of the socket through which its answers come, if there is one."""


class MatchWatcher(Protocol):
    """Looks at a match between its decisions."""

    @property
    def is_present(self) -> bool:
        """Whether it wants to look; asked before every decision, so it must be cheap."""

    async def look(self) -> None:
        """Look at what has happened. No clock runs meanwhile, and the match waits."""


class SeatFreezer(Protocol):
    """Freezes one bot that computes while it is not asked."""

    @property
    def is_frozen(self) -> bool:
        """Whether it must be thawed before it can read anything."""

    @property
    def is_restless(self) -> bool:
        """Whether it is frozen after each of its answers, because it went on computing after earlier ones."""

    async def thaw(self) -> None:
        """Thaw it if it is frozen, and return when it can go on. Raises HostingError."""

    def begin(self, now: float) -> None:
        """Note that it is asked, by the event loop's clock; its meter has begun a decision. Cheap."""

    def end(self, now: float) -> None:
        """Note that it is asked no more. Cheap."""

    async def freeze(self) -> None:
        """Freeze it unless it is asked. Raises HostingError."""


class SeatFreezers:
    """The freezers of all seats of one match; a seat without one computes when it wants to."""

    __slots__ = ("_freezers", "_may_ponder")

    def __init__(self, freezers: Sequence[SeatFreezer | None], *, may_ponder: bool = False) -> None:
        """With `may_ponder` the bots may compute during the whole match, which begins now."""
        self._freezers = freezers
        self._may_ponder = may_ponder

    def open(self, now: float) -> None:
        """Note that the match begins."""
        if self._may_ponder:
            for freezer in self._freezers:
                if freezer is not None:
                    freezer.begin(now)

    def close(self, now: float) -> None:
        """Note that the match is over: nobody is asked any more."""
        for freezer in self._freezers:
            if freezer is not None:
                freezer.end(now)

    async def thaw(self, seat: int) -> None:
        """Thaw a seat's bot before something is sent to it. Raises HostingError."""
        freezer = self._freezers[seat]
        if freezer is not None and freezer.is_frozen:
            await freezer.thaw()

    def begin(self, seat: int, now: float) -> None:
        """Note that a seat is asked."""
        freezer = self._freezers[seat]
        if freezer is not None and not self._may_ponder:
            freezer.begin(now)

    async def end(self, seat: int, now: float) -> None:
        """Note that a seat has answered; a restless bot is frozen before another is asked. Raises HostingError."""
        freezer = self._freezers[seat]
        if freezer is not None and not self._may_ponder:
            freezer.end(now)
            if freezer.is_restless:
                await freezer.freeze()
