"""Matches: found by id, with all that is known of them, with their replays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlmodel import Session, col, select

from engine.text import Text
from ratings.errors import NotFoundError
from ratings.read.identifying import holds_part, may_be_part_of_id, only_one
from ratings.store.models import (
    Attempt,
    Block,
    Bot,
    Fault,
    LeakCheck,
    Match,
    MatchSeat,
    Pool,
    Replay,
    Tournament,
    Version,
)
from ratings.store.sessions import Source, read
from ratings.values.states import MatchState

if TYPE_CHECKING:
    from ratings.store.rating import RatingChange

_MOST_NAMED = 1000


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A seat of a match: who sat there, how it ended, and what it did to the rating (`None` while it did nothing)."""

    seat: MatchSeat
    bot: str
    version: Version
    change: RatingChange | None
    owner_id: str | None
    """The owner of the bot."""
    is_remote: bool
    """Whether its author runs the bot elsewhere."""


@dataclass(frozen=True, slots=True)
class MatchDetail:
    """All that is known of a match but its replay."""

    match: Match
    tournament: Tournament
    pool: Pool
    block: Block
    seats: tuple[SeatRow, ...]
    faults: Sequence[Fault]
    attempts: Sequence[Attempt]
    leak_checks: Sequence[LeakCheck]
    runtime_names: Mapping[str, str]
    """The name of each runtime that a seat ran in, by its hash."""


def find_match(source: Source, text: str) -> Match:
    """Return the match of that id, or with that part of an id (4 characters or more).

    Raises NotFoundError, AmbiguousError.
    """
    with read(source) as session:
        exact = session.get(Match, text)
        if exact is not None:
            return exact
        near = [(id_, None) for id_ in _near(session, text)]
        return session.get_one(
            Match,
            only_one(
                text,
                "match",
                near,
                Text("ratings.see_arena_tournament_show_tournament", "see: arena tournament show TOURNAMENT --matches"),
            ),
        )


def _near(session: Session, text: str) -> Sequence[str]:
    """Return the ids that hold the text, but no more than it takes to tell how it is ambiguous."""
    holding = select(Match.id).where(holds_part(Match.id, text))
    return session.exec(holding.limit(_MOST_NAMED)).all() if may_be_part_of_id(text) else []


def match_detail(source: Source, match_id: str) -> MatchDetail:
    """Return all that is known of a match but its replay. Raises NotFoundError."""
    with read(source) as session:
        found = _planned(session, match_id)
        faults = session.exec(select(Fault).where(Fault.match_id == match_id).order_by(col(Fault.number))).all()
        attempts = session.exec(select(Attempt).where(Attempt.match_id == match_id).order_by(col(Attempt.number))).all()
        checks = session.exec(
            select(LeakCheck).where(LeakCheck.match_id == match_id).order_by(col(LeakCheck.seat))
        ).all()
        return MatchDetail(
            *found, _seats(session, match_id), faults, attempts, checks, _runtime_names(session, match_id)
        )


def _runtime_names(session: Session, match_id: str) -> dict[str, str]:
    from ratings.store.runtime import Runtime  # no list of matches needs it

    query = select(Runtime.hash, Runtime.name).where(
        col(Runtime.hash).in_(select(MatchSeat.runtime).where(MatchSeat.match_id == match_id))
    )
    return dict(session.exec(query).all())


def _planned(session: Session, match_id: str) -> tuple[Match, Tournament, Pool, Block]:
    query = (
        select(Match, Tournament, Pool, Block)
        .join(Tournament, col(Tournament.id) == Match.tournament_id)
        .join(Pool, col(Pool.id) == Tournament.pool_id)
        .join(Block, col(Block.id) == Match.block_id)
        .where(Match.id == match_id)
    )
    found = session.exec(query).one_or_none()
    if found is None:
        raise NotFoundError(
            Text(
                "ratings.no_match_see_arena_tournament",
                "no match {match}; see: arena tournament show TOURNAMENT --matches",
                match=match_id,
            )
        )
    return found


def _seats(session: Session, match_id: str) -> tuple[SeatRow, ...]:
    from ratings.store.rating import RatingChange  # whoever finds a match or its replay needs no ratings

    query = (
        select(MatchSeat, Bot, Version, RatingChange)
        .join(Version, col(Version.id) == MatchSeat.version_id)
        .join(Bot, col(Bot.id) == Version.bot_id)
        .join(
            RatingChange,
            (col(RatingChange.match_id) == MatchSeat.match_id) & (col(RatingChange.seat) == MatchSeat.seat),
            isouter=True,
        )
        .where(MatchSeat.match_id == match_id)
        .order_by(col(MatchSeat.seat))
    )
    return tuple(
        SeatRow(seat, bot.name, version, change, bot.owner_id, bot.remote)
        for seat, bot, version, change in session.exec(query)
    )


def replay_of(source: Source, match_id: str) -> bytes:
    """Return the replay document of a finished match. Raises NotFoundError."""
    with read(source) as session:
        replay = session.get(Replay, match_id)
        if replay is None:
            raise NotFoundError(_why_no_replay(match_id, session.get(Match, match_id)))
        return replay.data


def _why_no_replay(match_id: str, match: Match | None) -> str:
    if match is not None and match.replay_removed_at_us is not None:
        day = f"{datetime.fromtimestamp(match.replay_removed_at_us / 1_000_000, UTC):%Y-%m-%d}"
        return Text(
            "ratings.replay_match_removed_retention_result",
            "the replay of match {match} was removed by retention on {day}; its result and digests are kept",
            match=match_id,
            day=day,
        )
    match None if match is None else match.state:
        case None:
            return Text(
                "ratings.no_match_only_finished_matches",
                "no match {match}; only finished matches have a replay",
                match=match_id,
            )
        case MatchState.PLANNED:
            return Text(
                "ratings.match_planned_only_finished_matches",
                "match {match} is planned; only finished matches have a replay",
                match=match_id,
            )
        case MatchState.LEASED:
            return Text(
                "ratings.match_leased_only_finished_matches",
                "match {match} is leased; only finished matches have a replay",
                match=match_id,
            )
        case MatchState.VOID:
            return Text(
                "ratings.match_void_only_finished_matches",
                "match {match} is void; only finished matches have a replay",
                match=match_id,
            )
        case state:
            return f"match {match_id} is {state}; only finished matches have a replay"


def replays(
    source: Source, tournament_id: str | None = None, match_id: str | None = None
) -> Iterator[tuple[Match, bytes | None]]:
    """Yield every finished match with its replay, or `None` if that is missing, or was removed (the match says so).

    They are those of the whole database, of one tournament, or one match, in schedule order within a tournament. Few
    are in memory at once.
    """
    with read(source) as session:
        query = (
            select(Match, Replay.data)
            .join(Replay, isouter=True)
            .where(Match.state == MatchState.FINISHED)
            .order_by(Match.tournament_id, col(Match.position))
        )
        if match_id is not None:
            query = query.where(Match.id == match_id)
        if tournament_id is not None:
            query = query.where(Match.tournament_id == tournament_id)
        yield from session.exec(query, execution_options={"yield_per": 100})
