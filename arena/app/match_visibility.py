"""A match that is watched, as its viewer may see it: others' notes and evidence are left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from arena.app.matches import fault_facts, void_reason_of
from arena.app.policy import AppContext, need_events, need_shown, shows_note
from arena.match.live import (
    LiveEndEvent,
    LiveEntryEvent,
    LiveEvent,
    LiveLogEvent,
    LiveStartEvent,
    Outcomes,
    events_of_replay,
)
from arena.match.replay import ReplayError, load, with_texts
from arena.match.worker_report import LOG_HEAD_BYTES
from arena.model import live as values
from arena.model.errors import ClientError, ForbiddenError
from arena.model.live import ChanceOutcome, LogPart, MatchEvent
from arena.model.matches import FaultFact
from engine import registry
from engine.core import EngineError
from engine.translatable import Text
from ratings.read import matches
from ratings.read.matches import seat_log
from ratings.values.states import MatchState

BEFORE_ALL = -1
"""The sequence before that of the first event."""


def watched_match(context: AppContext, match: str, seat: int | None = None) -> WatchedMatch:
    """Return a match that the viewer may watch; with `seat`, the log of that seat.

    Raises HiddenError while the match, or its events, are withheld from him, ForbiddenError for the log of another
    owner's bot, and ClientError for a match that is void and for the log of a remote bot.
    """
    found = matches.find_match(context.database, match)
    need_shown(context, found)
    detail = matches.match_detail(context.database, found.id)
    if seat is None:
        need_events(context, found, detail.pool.game)
    if found.state is MatchState.VOID:
        raise ClientError(
            Text(
                "match {match} is void: {why}; `arena match show` tells more", match=found.id, why=void_reason_of(found)
            )
        )
    watched = WatchedMatch(
        match_id=found.id,
        game=detail.pool.game,
        state=found.state,
        bots=tuple(row.bot for row in detail.seats),
        is_own=tuple(context.viewer.owns(row.owner_id) for row in detail.seats),
    )
    if seat is not None and not (0 <= seat < len(watched.is_own) and watched.is_own[seat]):
        raise ForbiddenError(
            Text(
                "no bot of yours sits in seat {seat} of match {match}; an owner sees his own logs",
                seat=seat,
                match=found.id,
            )
        )
    if seat is not None and detail.seats[seat].is_remote:
        raise ClientError(
            Text(
                "{bot} is remote: what it writes stays on its author's machine, where `arena bot connect` shows it",
                bot=watched.bots[seat],
            )
        )
    return watched


def history(context: AppContext, watched: WatchedMatch, after: int) -> list[MatchEvent]:
    """Return the events of a match that is over which follow `after`. Raises ClientError if its replay is unsound."""
    stored = matches.replay_of(context.database, watched.match_id)
    faults = fault_facts(matches.match_detail(context.database, watched.match_id), watched.is_own)
    try:
        events = events_of_replay(with_texts(load(stored), faults))
    except ReplayError as error:
        raise ClientError(
            Text("the replay of match {match} cannot be read: {why}", match=watched.match_id, why=error)
        ) from error
    shown = (event_value(watched, event) for event in events if event.sequence > after)
    return [event for event in shown if event is not None]


def stored_log(context: AppContext, watched: WatchedMatch, seat: int, after: int) -> list[LogPart]:
    """Return the stored log of a match that is over, behind the first `after` bytes.

    Raises ClientError if it was removed by retention.
    """
    log = seat_log(context.database, watched.match_id, seat)
    if log is None:
        removed_at_us = matches.find_match(context.database, watched.match_id).logs_removed_at_us
        if removed_at_us is not None:
            day = f"{datetime.fromtimestamp(removed_at_us / 1_000_000, UTC):%Y-%m-%d}"
            raise ClientError(
                Text(
                    "the logs of match {match} were removed by retention on {day}; its result is kept",
                    match=watched.match_id,
                    day=day,
                )
            )
        return []
    place_of_tail = LOG_HEAD_BYTES + log.cut_bytes
    head = log.data[:LOG_HEAD_BYTES] if log.cut_bytes else log.data
    parts = [LiveLogEvent(0, seat, 0, head)]
    if log.cut_bytes:
        parts.append(LiveLogEvent(0, seat, place_of_tail, log.data[LOG_HEAD_BYTES:], log.cut_bytes))
    return [part for one in parts if (part := log_part(watched, one, after)) is not None]


def watch_match(context: AppContext, match: str, after: int | None) -> Iterator[MatchEvent]:
    """Yield how a match was played that is over; of others ClientError says who shows them."""
    watched = _over(watched_match(context, match))
    yield from history(context, watched, BEFORE_ALL if after is None else after)


def watch_logs(context: AppContext, match: str, seat: int, after: int) -> Iterator[LogPart]:
    """Yield the log of a seat of a match that is over; of others ClientError says who shows them."""
    watched = _over(watched_match(context, match, seat))
    yield from stored_log(context, watched, seat, after)


def _over(watched: WatchedMatch) -> WatchedMatch:
    if not watched.is_over:
        raise ClientError(
            Text(
                "match {match} is not over, and only the service that plays it shows it now: `arena --server "
                "NAME match watch {match_2}`",
                match=watched.match_id,
                match_2=watched.match_id,
            )
        )
    return watched


@dataclass(frozen=True, slots=True)
class WatchedMatch:
    """A match that its viewer may watch, and what he may see of each seat."""

    match_id: str
    game: str
    state: MatchState
    bots: tuple[str, ...]
    is_own: tuple[bool, ...]
    """For each seat whether its bot is the viewer's; to an organiser all are."""

    @property
    def is_over(self) -> bool:
        """Return whether the match is over."""
        return self.state is MatchState.FINISHED


def event_value(watched: WatchedMatch, event: LiveEvent) -> MatchEvent | None:
    """Return an event as the viewer of the stage may see it, or `None` for a log, which is no part of the play."""
    match event:
        case LiveStartEvent():
            start = values.LiveStart(
                match_id=event.match_id,
                attempt=event.attempt,
                game=event.game,
                rules_version=event.rules_version,
                options=event.options,
                cores=event.cores,
                clock=event.clock,
                opening=event.opening,
                bots=watched.bots,
                started_at_us=event.started_at_us,
                chance=_outcomes(event.chance),
            )
            return MatchEvent(event.sequence, start=start)
        case LiveEntryEvent():
            return MatchEvent(event.sequence, move=_move(watched, event))
        case LiveEndEvent():
            return MatchEvent(event.sequence, end=_end(watched, event))
        case LiveLogEvent():
            return None


def log_part(watched: WatchedMatch, event: LiveEvent, after: int) -> LogPart | None:
    """Return what a log holds behind the first `after` bytes, or `None` if that is nothing, or it is no log."""
    if not isinstance(event, LiveLogEvent) or event.start + len(event.data) <= after:
        return None
    known = max(0, after - event.start)
    return LogPart(
        match_id=watched.match_id,
        seat=event.seat,
        bot=watched.bots[event.seat],
        start=event.start + known,
        data=event.data[known:],
        cut_bytes=min(event.cut_bytes, event.start - after) if known == 0 else 0,
    )


def loss_of(event: LiveEvent) -> str:
    """Return why a match ended without a result, or nothing."""
    return event.lost if isinstance(event, LiveEndEvent) else ""


def _move(watched: WatchedMatch, event: LiveEntryEvent) -> values.LiveMove:
    entry = event.entry
    seat = entry["seat"]
    is_shown = shows_note(is_own=watched.is_own[seat], is_over=watched.is_over)
    try:
        text = registry.get(watched.game).actions.format(entry["action"])
    except EngineError:  # it is played where it is installed, and watched here
        text = str(entry["action"])
    return values.LiveMove(
        ply=entry["ply"],
        seat=seat,
        bot=watched.bots[seat],
        action=entry["action"],
        text=text,
        by=str(entry["by"]),
        decide=entry.get("decide"),
        elapsed_us=entry.get("elapsed_us"),
        charged_us=entry.get("charged_us"),
        note=entry.get("note") if is_shown else None,
        chance=_outcomes(event.chance),
    )


def _end(watched: WatchedMatch, event: LiveEndEvent) -> values.LiveEnd:
    result = event.result
    if result is None:
        return values.LiveEnd(lost=event.lost)
    return values.LiveEnd(
        ranks=tuple(result["ranks"]) if result["rated"] else (),
        by_rules=result["by_rules"],
        forfeits=tuple(result["forfeits"]),
        resigned=tuple(result["resigned"]),
        faults=tuple(
            FaultFact(
                seat=fault["seat"],
                bot=watched.bots[fault["seat"]],
                cause=str(fault["cause"]),
                ply=fault["ply"],
                explanation=fault["explanation"],
                evidence=fault["evidence"] if watched.is_own[fault["seat"]] else {},
            )
            for fault in result["faults"]
        ),
        details=result["details"],
    )


def _outcomes(outcomes: Outcomes) -> tuple[ChanceOutcome, ...]:
    return tuple(ChanceOutcome(outcome) for outcome in outcomes)
