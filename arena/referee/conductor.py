"""Plays one match over its bots' streams: sends what the match asks for, measures, hands in what comes back.

It runs in the match's own task; the handlers of the streams only deliver.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from arena.match.answers import Answer, Message
from arena.match.course import Decision
from arena.match.match import Match
from arena.match.spec import Fault, FaultCause
from arena.referee.encoding import MatchEncoder
from arena.referee.inbox import Arrival, Closed, Flood, Inbox
from arena.referee.stream import BotStream, StreamClosedError

UNTIMED_DECISION_S = 600.0
"""Even without a clock every wait has an end."""

SHOWN_BYTES = 64


async def conduct(match: Match, streams: Sequence[BotStream | None], absent: Sequence[Fault] = ()) -> None:
    """Play a match to its end. A seat whose bot did not start has no stream and a fault in `absent`."""
    await _Conductor(match, streams).play(absent)


class _Conductor:
    __slots__ = ("_encoder", "_inbox", "_loop", "_match", "_streams")

    def __init__(self, match: Match, streams: Sequence[BotStream | None]) -> None:
        self._match = match
        self._streams = streams
        self._encoder = MatchEncoder(match)
        self._inbox = Inbox()
        self._loop = asyncio.get_running_loop()

    async def play(self, absent: Sequence[Fault]) -> None:
        for seat, stream in enumerate(self._streams):
            if stream is not None:
                stream.attach(self._inbox, seat)
        try:
            self._match.begin([*absent, *await self._announce()])
            while (decision := self._match.decision) is not None:
                await self._ask(decision)
            await asyncio.gather(*(self._finish(seat) for seat in range(len(self._streams))))
        finally:
            self._detach()

    async def _announce(self) -> list[Fault]:
        """Tell every seat that the match starts; the faults of those that cannot be told."""
        unreachable = []
        for seat, stream in enumerate(self._streams):
            if stream is not None:
                try:
                    await stream.send(self._encoder.started(seat))
                except StreamClosedError as error:
                    unreachable.append(Fault(seat, FaultCause.DISCONNECTED, 0, str(error)))
        return unreachable

    async def _ask(self, decision: Decision) -> None:
        """Send a decision and judge what arrives, until the match goes on."""
        seat = decision.seat
        stream = self._streams[seat]
        assert stream is not None, "a seat without a bot has forfeited"
        message = self._encoder.decide(decision)
        asked_at = self._loop.time()
        try:
            await stream.send(message)
        except StreamClosedError as error:
            self._match.fail(seat, FaultCause.DISCONNECTED, str(error))
            return
        deadline = asked_at + self._patience_s(decision)
        while self._match.decision is decision:
            arrival = await self._inbox.get(deadline)
            if arrival is None:
                elapsed_us = _microseconds(self._loop.time() - asked_at)
                self._match.expire(elapsed_us, elapsed_us)
                stream.mute()
            else:
                self._judge(arrival, asked_at)

    def _patience_s(self, decision: Decision) -> float:
        if not decision.time_limit_us:
            return UNTIMED_DECISION_S
        return (decision.time_limit_us + self._match.spec.clock.margin_us) / 1_000_000

    def _judge(self, arrival: Arrival, asked_at: float) -> None:
        match, seat = self._match, arrival.seat
        if isinstance(arrival.what, Closed):
            match.fail(seat, FaultCause.DISCONNECTED, arrival.what.why)
        elif isinstance(arrival.what, Flood):
            match.fail(seat, FaultCause.FLOOD, "It sent more messages than a match can need.")
        else:
            self._receive(arrival, arrival.what, asked_at)
        if match.is_out(seat):
            self._silence(seat)

    def _receive(self, arrival: Arrival, message: Message, asked_at: float) -> None:
        if isinstance(message, Answer) and arrival.at < asked_at:
            why = "It answered before it was asked."  # one Decide is one answer and one charge
            self._match.fail(arrival.seat, FaultCause.PROTOCOL, why)
            return
        elapsed_us = max(_microseconds(arrival.at - asked_at), 0)
        self._match.receive(arrival.seat, message, elapsed_us, elapsed_us)

    def _silence(self, seat: int) -> None:
        """A seat that has forfeited is not read any more; what it said last is kept."""
        stream = self._streams[seat]
        if stream is not None and self._match.faults_of(seat):
            stream.mute()
            self._match.add_evidence(seat, {"last_message": stream.last_message[:SHOWN_BYTES].hex()})

    async def _finish(self, seat: int) -> None:
        stream = self._streams[seat]
        if stream is not None and not stream.is_closed:
            try:
                await stream.send(self._encoder.finished(seat))
            except StreamClosedError:
                return  # the match is over: a bot that is gone now has done nothing wrong

    def _detach(self) -> None:
        for stream in self._streams:
            if stream is not None:
                stream.detach()
        for arrival in self._inbox.drain():
            late = self._streams[arrival.seat]
            if late is not None:
                late.spoiled = late.spoiled or "it sent more than it was asked"


def _microseconds(seconds: float) -> int:
    return round(seconds * 1_000_000)
