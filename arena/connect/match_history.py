"""What the service tells of one match: for another process of the bot that takes it over, and for people. Pure.

The service may tell something twice after the connection was lost; a process of the bot is told everything once.
"""

from __future__ import annotations

from collections.abc import Iterable

from arena.connect.news import MatchBegan, MatchEnded, OwnFault
from arena.v1 import match_pb2, play_pb2

BEFORE_ALL = -1
"""The last known ply of a process that was sent nothing yet."""
_PREFIX = "FAULT_CAUSE_"


class MatchHistory:
    """One match as this bot sees it: its beginning, all events so far, and the decision that is asked for."""

    def __init__(self, started: play_pb2.MatchStarted) -> None:
        self.started = play_pb2.MatchStarted()
        """The beginning of the match as it was told last."""
        self._events: dict[int, match_pb2.Event] = {}
        self._passed: set[int] = set()
        self._asked_at = 0.0
        self.pending: play_pb2.Decide | None = None
        """The decision that the service asks for, until it is answered or another is asked for."""
        self.answered: play_pb2.PlayRequest | None = None
        """The answer to the last decision, until the service asks for another."""
        self.restart(started)

    @property
    def match_id(self) -> str:
        """The id of the match."""
        return self.started.match_id

    @property
    def last_ply(self) -> int:
        """The last ply that the service has told of."""
        return max(self._events, default=BEFORE_ALL)

    def restart(self, started: play_pb2.MatchStarted) -> None:
        """Take over what the service tells when the connection is there again."""
        self.started.CopyFrom(started)
        self.started.ClearField("events")
        self._add(started.events)

    def ask(self, decide: play_pb2.Decide, now: float) -> play_pb2.PlayRequest | None:
        """Note a decision that the service asks for at the instant `now`, in seconds.

        Return the answer if it was given already and lost on its way.
        """
        self._add(decide.events)
        answered = self.answered
        if answered is not None and (answered.HasField("resign") or answered.act.ply == decide.ply):
            return answered
        if self.pending is not None and self.pending.ply != decide.ply:
            self._passed.add(self.pending.ply)
        self.answered = None
        self.pending, self._asked_at = decide, now
        return None

    def answer(self, request: play_pb2.PlayRequest) -> None:
        """Note the answer to the decision that is asked for; a Resign answers all that may follow."""
        self.pending, self.answered = None, request

    def is_passed(self, ply: int) -> bool:
        """Return whether the service asked for a decision at `ply` and no longer waits for it."""
        return ply in self._passed

    def end(self, finished: play_pb2.MatchFinished) -> None:
        """Note the end of the match."""
        self._add(finished.events)
        self.pending = None

    def resumed(self) -> play_pb2.MatchStarted:
        """Return the beginning for a process that takes the match over, with all events."""
        started = play_pb2.MatchStarted()
        started.CopyFrom(self.started)
        started.resumed = True
        started.events.extend(self.events_after(BEFORE_ALL))
        return started

    def question(self, known_ply: int, now: float) -> play_pb2.Decide | None:
        """Return the pending decision for a process that knows all plies up to `known_ply`, or `None`.

        The time that has passed since it was asked for is subtracted.
        """
        if self.pending is None:
            return None
        decide = play_pb2.Decide()
        decide.CopyFrom(self.pending)
        decide.ClearField("events")
        decide.events.extend(self.events_after(known_ply))
        gone_us = int(max(now - self._asked_at, 0.0) * 1_000_000)
        if decide.time_limit_us:
            decide.time_limit_us = max(decide.time_limit_us - gone_us, 1)  # 0 would stand for no limit
            decide.bank_us = min(decide.bank_us, decide.time_limit_us)
        return decide

    def ending(self, finished: play_pb2.MatchFinished, known_ply: int) -> play_pb2.MatchFinished:
        """Return the end for a process that knows all plies up to `known_ply`."""
        own = play_pb2.MatchFinished()
        own.CopyFrom(finished)
        own.ClearField("events")
        own.events.extend(self.events_after(known_ply))
        return own

    def events_after(self, known_ply: int) -> list[match_pb2.Event]:
        """Return the events of the plies after `known_ply`, in their order."""
        return [self._events[ply] for ply in sorted(self._events) if ply > known_ply]

    def _add(self, events: Iterable[match_pb2.Event]) -> None:
        self._events.update((event.ply, event) for event in events)


def began(started: play_pb2.MatchStarted) -> MatchBegan:
    """Return the beginning of a match."""
    return MatchBegan(started.match_id, started.game, started.seat, started.seats, started.resumed)


def ended(started: play_pb2.MatchStarted, finished: play_pb2.MatchFinished) -> MatchEnded:
    """Return the end of the match that began with `started`."""
    ranks = list(finished.result.ranks)
    rank = ranks[started.seat] if started.seat < len(ranks) else 0
    return MatchEnded(
        match_id=started.match_id,
        game=started.game,
        seat=started.seat,
        seats=started.seats,
        rank=rank,
        shared_by=ranks.count(rank),
        by_rules=finished.result.by_rules,
        faults=tuple(OwnFault(_cause(fault), fault.ply, fault.explanation) for fault in finished.faults),
    )


def _cause(fault: match_pb2.Fault) -> str:
    """Return the name of a cause, or its number if it is newer than this program."""
    try:
        return match_pb2.FaultCause.Name(fault.cause).removeprefix(_PREFIX)
    except ValueError:
        return f"cause {int(fault.cause)}"
