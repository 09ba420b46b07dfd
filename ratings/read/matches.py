"""Matches found by id, with all that is known of them: replays, logs, runtimes, and why they were annulled."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import bindparam
from sqlmodel import col, select

from engine.translatable import Text
from ratings.errors import NotFoundError
from ratings.read.identifying import holds_part, may_be_part_of_id, only_one
from ratings.read.paging import Order, cut, each, one_page
from ratings.store import tables
from ratings.store.models import (
    AnnulledBlockRecord,
    AnnulmentRecord,
    AttemptRecord,
    BlockRecord,
    BotRecord,
    FaultRecord,
    LeakCheckRecord,
    MatchRecord,
    MatchSeatRecord,
    PoolRecord,
    ReplayRecord,
    TournamentRecord,
    VersionRecord,
    annulment_value,
)
from ratings.store.sessions import Source, read
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.states import MatchState

if TYPE_CHECKING:
    from ratings.store.bot_runtimes import RuntimeRecord
    from ratings.store.rating import RatingChangeRecord
    from ratings.values.tournament_incidents import Annulment

_MOST_NAMED = 1000
_ANNULMENTS = Order("annulments", (tables.annulment.c.id,), (str,))
_OF_MATCHES = (
    select(MatchRecord.id, AnnulmentRecord)
    .join(AnnulledBlockRecord, col(AnnulledBlockRecord.block_id) == MatchRecord.block_id)
    .join(AnnulmentRecord, col(AnnulmentRecord.id) == AnnulledBlockRecord.annulment_id)
    .where(col(MatchRecord.id).in_(bindparam("matches", expanding=True)))
)


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A seat of a match: who sat there, how it ended, and what it did to the rating (`None` while it did nothing)."""

    seat: MatchSeatRecord
    bot: str
    version: VersionRecord
    change: RatingChangeRecord | None
    owner_id: str | None
    """The owner of the bot."""
    is_remote: bool
    """Whether its author runs the bot elsewhere."""


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """All that is known of a match but its replay."""

    match: MatchRecord
    tournament: TournamentRecord
    pool: PoolRecord
    block: BlockRecord
    seats: tuple[SeatRow, ...]
    faults: Sequence[FaultRecord]
    attempts: Sequence[AttemptRecord]
    leak_checks: Sequence[LeakCheckRecord]
    runtime_names: Mapping[str, str]
    """The name of each runtime that a seat ran in, by its hash."""


def find_match(source: Source, text: str) -> MatchRecord:
    """Return the match of that id, or with that part of an id (4 characters or more).

    Raises NotFoundError, AmbiguousError.
    """
    with read(source) as session:
        exact = session.get(MatchRecord, text)
        if exact is not None:
            return exact
        # No more than it takes to tell how the text is ambiguous.
        holding = select(MatchRecord.id).where(holds_part(MatchRecord.id, text)).limit(_MOST_NAMED)
        near = [(id_, None) for id_ in session.exec(holding)] if may_be_part_of_id(text) else []
        return session.get_one(
            MatchRecord, only_one(text, "match", near, Text("see: arena tournament show TOURNAMENT --matches"))
        )


def match_detail(source: Source, match_id: str) -> StoredMatch:
    """Return all that is known of a match but its replay. Raises NotFoundError."""
    # No list of matches needs these, nor does whoever finds a match or its replay.
    from ratings.store.bot_runtimes import RuntimeRecord
    from ratings.store.rating import RatingChangeRecord

    with read(source) as session:
        query = (
            select(MatchRecord, TournamentRecord, PoolRecord, BlockRecord)
            .join(TournamentRecord, col(TournamentRecord.id) == MatchRecord.tournament_id)
            .join(PoolRecord, col(PoolRecord.id) == TournamentRecord.pool_id)
            .join(BlockRecord, col(BlockRecord.id) == MatchRecord.block_id)
            .where(MatchRecord.id == match_id)
        )
        found = session.exec(query).one_or_none()
        if found is None:
            raise NotFoundError(
                Text("no match {match}; see: arena tournament show TOURNAMENT --matches", match=match_id)
            )
        faults = session.exec(
            select(FaultRecord).where(FaultRecord.match_id == match_id).order_by(col(FaultRecord.number))
        ).all()
        attempts = session.exec(
            select(AttemptRecord).where(AttemptRecord.match_id == match_id).order_by(col(AttemptRecord.number))
        ).all()
        checks = session.exec(
            select(LeakCheckRecord).where(LeakCheckRecord.match_id == match_id).order_by(col(LeakCheckRecord.seat))
        ).all()
        runtimes = select(RuntimeRecord.hash, RuntimeRecord.name).where(
            col(RuntimeRecord.hash).in_(select(MatchSeatRecord.runtime).where(MatchSeatRecord.match_id == match_id))
        )
        sitting = (
            select(MatchSeatRecord, BotRecord, VersionRecord, RatingChangeRecord)
            .join(VersionRecord, col(VersionRecord.id) == MatchSeatRecord.version_id)
            .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
            .join(
                RatingChangeRecord,
                (col(RatingChangeRecord.match_id) == MatchSeatRecord.match_id)
                & (col(RatingChangeRecord.seat) == MatchSeatRecord.seat),
                isouter=True,
            )
            .where(MatchSeatRecord.match_id == match_id)
            .order_by(col(MatchSeatRecord.seat))
        )
        seats = tuple(
            SeatRow(seat, bot.name, version, change, bot.owner_id, bot.remote)
            for seat, bot, version, change in session.exec(sitting)
        )
        return StoredMatch(*found, seats, faults, attempts, checks, dict(session.exec(runtimes).all()))


def replay_of(source: Source, match_id: str) -> bytes:
    """Return the replay document of a finished match. Raises NotFoundError."""
    with read(source) as session:
        replay = session.get(ReplayRecord, match_id)
        if replay is None:
            raise NotFoundError(_why_no_replay(match_id, session.get(MatchRecord, match_id)))
        return replay.data


def _why_no_replay(match_id: str, match: MatchRecord | None) -> str:
    if match is not None and match.replay_removed_at_us is not None:
        day = f"{datetime.fromtimestamp(match.replay_removed_at_us / 1_000_000, UTC):%Y-%m-%d}"
        return Text(
            "the replay of match {match} was removed by retention on {day}; its result and digests are kept",
            match=match_id,
            day=day,
        )
    match None if match is None else match.state:
        case None:
            return Text("no match {match}; only finished matches have a replay", match=match_id)
        case MatchState.PLANNED:
            return Text("match {match} is planned; only finished matches have a replay", match=match_id)
        case MatchState.LEASED:
            return Text("match {match} is leased; only finished matches have a replay", match=match_id)
        case MatchState.VOID:
            return Text("match {match} is void; only finished matches have a replay", match=match_id)
        case state:
            return f"match {match_id} is {state}; only finished matches have a replay"


def replays(
    source: Source, tournament_id: str | None = None, match_id: str | None = None
) -> Iterator[tuple[MatchRecord, bytes | None]]:
    """Yield every finished match with its replay, or `None` if that is missing, or was removed (the match says so).

    They are those of the whole database, of one tournament, or one match, in schedule order within a tournament. Few
    are in memory at once.
    """
    with read(source) as session:
        query = (
            select(MatchRecord, ReplayRecord.data)
            .join(ReplayRecord, isouter=True)
            .where(MatchRecord.state == MatchState.FINISHED)
            .order_by(MatchRecord.tournament_id, col(MatchRecord.position))
        )
        if match_id is not None:
            query = query.where(MatchRecord.id == match_id)
        if tournament_id is not None:
            query = query.where(MatchRecord.tournament_id == tournament_id)
        yield from session.exec(query, execution_options={"yield_per": 100})


def annulments_of(source: Source, match_ids: Collection[str]) -> dict[str, Annulment]:
    """Return why matches do not count, by match; those that do count are left out."""
    with read(source) as session:
        found = session.exec(_OF_MATCHES, params={"matches": list(match_ids)}).all()
    return {match_id: annulment_value(stored) for match_id, stored in found}


def list_annulments(source: Source, *, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Annulment]:
    """Return all annulments, the newest first. Raises PageError."""
    with read(source) as session:
        rows = session.exec(one_page(select(AnnulmentRecord), _ANNULMENTS, limit, after)).all()
    return each(cut(rows, _ANNULMENTS, limit, lambda row: (row.id,)), annulment_value)


@dataclass(frozen=True, slots=True)
class StoredLog:
    """What the bot in a seat wrote to stdout and stderr during a match, in the order in which it was read."""

    data: bytes
    cut_bytes: int
    """How many bytes were left out behind the first 16 KiB."""


def seat_log(source: Source, match_id: str, seat: int) -> StoredLog | None:
    """Return the log of one seat, or None if the bot wrote nothing, or logs were not kept or are removed."""
    from ratings.store.service import SeatLogRecord  # no list of matches needs it

    with read(source) as session:
        row = session.get(SeatLogRecord, (match_id, seat))
        return None if row is None else StoredLog(zlib.decompress(row.data), row.cut_bytes)


def seen_runtimes(source: Source) -> list[RuntimeRecord]:
    """Return every runtime that a match was played in, by name, the newest of a name first."""
    from ratings.store.bot_runtimes import RuntimeRecord  # no list of matches needs it

    with read(source) as session:
        query = select(RuntimeRecord).order_by(
            col(RuntimeRecord.name), col(RuntimeRecord.seen_at_us).desc(), col(RuntimeRecord.hash)
        )
        return list(session.exec(query))
