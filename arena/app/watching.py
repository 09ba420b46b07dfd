"""What the book of record tells those who watch a match: whether they may, and how it was played once it is over."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from arena.app.live_values import Stage, event_value, log_part
from arena.app.place import Place
from arena.app.visibility import need_shown, need_told
from arena.match.live import LiveLogEvent, events_of_replay
from arena.match.replay import ReplayError, load
from arena.match.report import LOG_HEAD_BYTES
from arena.model.errors import ClientError, ForbiddenError
from arena.model.live import LogPart, MatchEvent
from arena.model.matches import LOG_STAYS_AT_HOME
from ratings.read import matches
from ratings.read.logs import seat_log
from ratings.store.states import MatchState

BEFORE_ALL = -1
"""The sequence before that of the first event."""


def stage_of(place: Place, match: str, seat: int | None = None) -> Stage:
    """Return a match that the viewer may watch; with `seat`, the log of that seat.

    Raises HiddenError while the match, or its events, are withheld from him, ForbiddenError for the log of another
    owner's bot, and ClientError for a match that is void and for the log of a remote bot.
    """
    found = matches.find_match(place.database, match)
    need_shown(place, found)
    detail = matches.match_detail(place.database, found.id)
    if seat is None:
        need_told(place, found, detail.pool.game)
    if found.state is MatchState.VOID:
        raise ClientError(f"match {found.id} is void: {found.void_reason}; `arena match show` tells more")
    stage = Stage(
        match_id=found.id,
        game=detail.pool.game,
        state=found.state,
        bots=tuple(row.bot for row in detail.seats),
        is_own=tuple(place.viewer.owns(row.owner_id) for row in detail.seats),
    )
    if seat is not None and not (0 <= seat < len(stage.is_own) and stage.is_own[seat]):
        raise ForbiddenError(f"no bot of yours sits in seat {seat} of match {found.id}; an owner sees his own logs")
    if seat is not None and detail.seats[seat].is_remote:
        raise ClientError(f"{stage.bots[seat]} {LOG_STAYS_AT_HOME}")
    return stage


def history(place: Place, stage: Stage, after: int) -> list[MatchEvent]:
    """Return the events of a match that is over which follow `after`. Raises ClientError if its replay is unsound."""
    try:
        events = events_of_replay(load(matches.replay_of(place.database, stage.match_id)))
    except ReplayError as error:
        raise ClientError(f"the replay of match {stage.match_id} cannot be read: {error}") from error
    shown = (event_value(stage, event) for event in events if event.sequence > after)
    return [event for event in shown if event is not None]


def stored_log(place: Place, stage: Stage, seat: int, after: int) -> list[LogPart]:
    """Return the stored log of a match that is over, behind the first `after` bytes.

    Raises ClientError if it was removed by retention.
    """
    log = seat_log(place.database, stage.match_id, seat)
    if log is None:
        _need_kept(place, stage)
        return []
    place_of_tail = LOG_HEAD_BYTES + log.cut_bytes
    head = log.data[:LOG_HEAD_BYTES] if log.cut_bytes else log.data
    parts = [LiveLogEvent(0, seat, 0, head)]
    if log.cut_bytes:
        parts.append(LiveLogEvent(0, seat, place_of_tail, log.data[LOG_HEAD_BYTES:], log.cut_bytes))
    return [part for one in parts if (part := log_part(stage, one, after)) is not None]


def _need_kept(place: Place, stage: Stage) -> None:
    removed_at_us = matches.find_match(place.database, stage.match_id).logs_removed_at_us
    if removed_at_us is not None:
        day = f"{datetime.fromtimestamp(removed_at_us / 1_000_000, UTC):%Y-%m-%d}"
        raise ClientError(f"the logs of match {stage.match_id} were removed by retention on {day}; its result is kept")


def watch_match(place: Place, match: str, after: int | None) -> Iterator[MatchEvent]:
    """Yield how a match was played that is over; of others ClientError says who shows them."""
    stage = _over(stage_of(place, match))
    yield from history(place, stage, BEFORE_ALL if after is None else after)


def watch_logs(place: Place, match: str, seat: int, after: int) -> Iterator[LogPart]:
    """Yield the log of a seat of a match that is over; of others ClientError says who shows them."""
    stage = _over(stage_of(place, match, seat))
    yield from stored_log(place, stage, seat, after)


def _over(stage: Stage) -> Stage:
    if not stage.is_over:
        raise ClientError(
            f"match {stage.match_id} is not over, and only the service that plays it shows it now: "
            f"`arena --server NAME match watch {stage.match_id}`"
        )
    return stage
