"""Puts the beginning and the end of a match, as the service tells them, into values for people. Pure."""

from __future__ import annotations

from arena.connect.news import MatchBegan, MatchEnded, OwnFault
from arena.v1 import match_pb2, play_pb2

_PREFIX = "FAULT_CAUSE_"


def began(started: play_pb2.MatchStarted) -> MatchBegan:
    """Return the beginning of a match."""
    return MatchBegan(started.match_id, started.game, started.seat, started.seats, started.resumed)


def ended(started: play_pb2.MatchStarted, finished: play_pb2.MatchFinished) -> MatchEnded:
    """Return the end of the match that began so."""
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
    """Return the name of a cause; one that is newer than this program is told by its number."""
    try:
        return match_pb2.FaultCause.Name(fault.cause).removeprefix(_PREFIX)
    except ValueError:
        return f"cause {int(fault.cause)}"
