"""Whole matches at random, as replays and as the events that a client watches."""

from __future__ import annotations

import random
from typing import Any

from arena.app.match_visibility import WatchedMatch, event_value
from arena.match.decisions import Answer
from arena.match.live import events_of_replay
from arena.match.match import Match
from arena.match.replay import write_replay
from arena.match.result import FaultCause
from arena.match.spec import MatchSpec
from arena.model.live import LiveMove, MatchEvent
from engine import registry
from ratings.values.states import MatchState
from tests.support.specs import king_spec, seat_spec


def spec(game: str, seats: int, *, clock: str = "60+1", **changes: Any) -> MatchSpec:
    players = [seat_spec(seat) for seat in range(seats)]
    return king_spec("m1", players, game=game, clock=clock, rules_version=registry.get(game).rules_version, **changes)


def played(order: MatchSpec, seed: int, *, fails_at: int = -1) -> Match:
    """A match at random; the seat that is asked from ply `fails_at` on leaves it."""
    draw, match = random.Random(seed), Match(order)
    match.begin()
    has_failed = fails_at < 0
    while (decision := match.decision) is not None:
        if not has_failed and decision.ply >= fails_at:
            has_failed = True
            match.fail(decision.seat, FaultCause.DISCONNECTED, "It left.")
            continue
        answer = Answer(order.match_id, decision.ply, (draw.choice(decision.legal),), f"note {decision.ply}")
        took_us = draw.randrange(3_000_000)
        match.receive(decision.seat, answer, took_us, took_us // 2)
    return match


def replay_of(match: Match) -> dict[str, Any]:
    document: dict[str, Any] = write_replay(match, 17, 1000).document()
    return document


def watched(document: dict[str, Any]) -> list[MatchEvent]:
    """The events of its match as the organiser sees them."""
    names = tuple(seat["name"] for seat in document["seats"])
    watched = WatchedMatch(document["match_id"], document["game"], MatchState.FINISHED, names, (True,) * len(names))
    events = (event_value(watched, event) for event in events_of_replay(document))
    return [event for event in events if event is not None]


def move(ply: int, seat: int, action: int, by: str = "bot") -> LiveMove:
    """A ply of which no more is known."""
    return LiveMove(ply, seat, "", action, "", by)
