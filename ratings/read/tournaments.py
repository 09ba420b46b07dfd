"""Tournaments: found by name or id, listed, their progress and standings, what was planned and played wave by wave.

Also whether a tournament's secret is public yet, from which all its seeds are derived.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, exists, func, or_
from sqlalchemy import select as core_select
from sqlmodel import Session, col, select

from engine.translatable import Text
from ratings.read.identifying import holds_part, may_be_part_of_id, only_one
from ratings.read.paging import Order, cut, each, one_page
from ratings.statistics.scores import Firsts, most_points
from ratings.store import tables
from ratings.store.models import (
    BotRecord,
    EntrantRecord,
    GatheringRecord,
    MatchRecord,
    PoolRecord,
    TournamentRecord,
    VersionRecord,
    WaveRecord,
)
from ratings.store.sessions import Source, get_tournament, read
from ratings.store.tables import AnyRow
from ratings.store.waves import (
    EnteredVersion,
    Progress,
    WaveBlock,
    WaveMemory,
    block_records,
    count_each,
    count_progress,
    current_memory,
    entered_versions,
    planned_waves,
)
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.states import MatchState

_e, _v, _b, _t, _p = tables.entrant, tables.version, tables.bot, tables.tournament, tables.pool
_y, _m = tables.entrant_tally, tables.match
_NEWEST_FIRST = Order("tournaments", (tables.tournament.c.id,), (str,))
_NAMES = select(TournamentRecord.id, TournamentRecord.name)
_MOST_NAMED = 1000
_OPEN = (MatchState.PLANNED, MatchState.LEASED)
_STANDINGS = (
    # Of thousands of entrants the objects take longer than all the rest, so there are none.
    core_select(_v.c.id, _b.c.name, _v.c.number, _v.c.content_hash, _p.c.seats)
    .add_columns(*(column for column in _y.c if column.name not in ("tournament_id", "version_id")))
    .select_from(_e)
    .join(_v, _v.c.id == _e.c.version_id)
    .join(_b, _b.c.id == _v.c.bot_id)
    .join(_t, _t.c.id == _e.c.tournament_id)
    .join(_p, _p.c.id == _t.c.pool_id)
    .outerjoin(_y, (_y.c.tournament_id == _e.c.tournament_id) & (_y.c.version_id == _e.c.version_id))
    .where(_e.c.tournament_id == bindparam("tournament"))
    .order_by(_e.c.position)
)
_HAS_OPEN = exists().where(_m.c.tournament_id == _t.c.id, _m.c.state.in_(_OPEN))
_UNFINISHED = (
    core_select(_t.c.id, _t.c.name, _t.c.format, _t.c.created_at_us, _p.c.remote)
    .join(_p, _p.c.id == _t.c.pool_id)
    .where(_t.c.cancelled_at_us.is_(None), or_(_t.c.more_waves, _HAS_OPEN))
    .order_by(_t.c.id)
)
_PRESENT = core_select(_e.c.version_id).where(_e.c.withdrawn_wave.is_(None)).order_by(_e.c.position)


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """A tournament with its pool, and how far it is."""

    tournament: TournamentRecord
    pool: PoolRecord
    progress: Progress

    @property
    def status(self) -> str:
        """Return `cancelled`, `finished`, `planned` (nothing was begun yet) or `running`.

        The book does not know whether anybody plays on what is not over.
        """
        if self.tournament.cancelled_at_us is not None:
            return "cancelled"
        if self.progress.is_over:
            return "finished"
        return "running" if self.progress.planned < self.progress.total else "planned"


@dataclass(frozen=True, slots=True)
class WholeBlocks:
    """What an entrant has from its whole blocks, those of which every match is finished."""

    blocks: int = 0
    points: int = 0
    """As in `ratings.statistics.scores`."""
    possible: int = 0
    """The points that it could have."""


@dataclass(frozen=True, slots=True)
class EntrantRow:
    """How one entrant fared in one tournament."""

    version_id: str
    bot: str
    number: int
    content_hash: str
    matches: int
    firsts: Firsts
    score: float
    """The part of the opponents met that were beaten, 0 to 1; a tie counts half, and it is 0 before the first match."""
    forfeits: int
    whole: WholeBlocks = WholeBlocks()


def with_bots(source: Source, format_name: str, bot_ids: Sequence[str], limit: int) -> list[TournamentRow]:
    """Return the newest tournaments of a format that each of some bots has entered with any version."""
    query = select(TournamentRecord, PoolRecord).join(PoolRecord).where(TournamentRecord.format == format_name)
    for bot_id in bot_ids:
        entered = select(EntrantRecord.position).join(VersionRecord, col(VersionRecord.id) == EntrantRecord.version_id)
        query = query.where(
            entered.where(EntrantRecord.tournament_id == TournamentRecord.id, VersionRecord.bot_id == bot_id).exists()
        )
    with read(source) as session:
        found = session.exec(query.order_by(col(TournamentRecord.id).desc()).limit(limit)).all()
        progress = count_each(session, [tournament.id for tournament, _ in found])
        return [TournamentRow(tournament, pool, progress[tournament.id]) for tournament, pool in found]


def unfinished(source: Source, besides: str, limit: int) -> list[TournamentRow]:
    """Return the newest tournaments of which something is left to play, seasons of ladders too, but of one format."""
    is_open = (
        select(MatchRecord.id)
        .where(MatchRecord.tournament_id == TournamentRecord.id, col(MatchRecord.state).in_(_OPEN))
        .exists()
    )
    query = select(TournamentRecord, PoolRecord).join(PoolRecord).where(TournamentRecord.format != besides)
    query = query.where(col(TournamentRecord.cancelled_at_us).is_(None), or_(col(TournamentRecord.more_waves), is_open))
    with read(source) as session:
        found = session.exec(query.order_by(col(TournamentRecord.id).desc()).limit(limit)).all()
        progress = count_each(session, [tournament.id for tournament, _ in found])
        return [TournamentRow(tournament, pool, progress[tournament.id]) for tournament, pool in found]


def count_matches(source: Source, tournament_id: str) -> int:
    """Return how many matches of a tournament are planned so far; it is looked up, and not counted."""
    last = select(func.max(MatchRecord.position)).where(MatchRecord.tournament_id == tournament_id)
    with read(source) as session:
        found = session.exec(last).one()
        return 0 if found is None else found + 1


def find_tournament(source: Source, text: str) -> TournamentRecord:
    """Return the tournament of that name or id, or with that part of an id (4 characters or more).

    Raises NotFoundError, AmbiguousError.
    """
    with read(source) as session:
        exact = session.exec(
            _NAMES.where((col(TournamentRecord.id) == text) | (col(TournamentRecord.name) == text))
        ).all()
        # No more of those whose id holds the text than it takes to tell the ambiguity.
        found = exact or (
            session.exec(_NAMES.where(holds_part(TournamentRecord.id, text)).limit(_MOST_NAMED)).all()
            if may_be_part_of_id(text)
            else []
        )
        remedy = Text("see: arena tournament list")
        return session.get_one(TournamentRecord, only_one(text, "tournament", found, remedy))


def tournament_names(source: Source) -> set[str]:
    """Return the names of all tournaments."""
    with read(source) as session:
        return set(session.exec(select(TournamentRecord.name)))


def list_tournaments(
    source: Source, *, pool_id: str | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
) -> Page[TournamentRow]:
    """Return a page of the tournaments, the newest first; single matches too (their format is `match`).

    Raises PageError.
    """
    query = select(TournamentRecord, PoolRecord).join(PoolRecord)
    if pool_id is not None:
        query = query.where(TournamentRecord.pool_id == pool_id)
    with read(source) as session:
        found = session.exec(one_page(query, _NEWEST_FIRST, limit, after)).all()
        page = cut(found, _NEWEST_FIRST, limit, lambda row: (row[0].id,))
        progress = count_each(session, [tournament.id for tournament, _ in page.items])
        return each(page, lambda row: TournamentRow(*row, progress[row[0].id]))


def tournament_row(source: Source, tournament_id: str) -> TournamentRow:
    """Return one tournament with its pool, and how far it is. Raises NotFoundError."""
    with read(source) as session:
        tournament = get_tournament(session, tournament_id)
        pool = session.get_one(PoolRecord, tournament.pool_id)
        return TournamentRow(tournament, pool, count_progress(session, tournament_id))


def owned_entrants(source: Source, tournament_id: str) -> set[bool]:
    """Return the set of whether its hosted bots have a registered owner: True if some do, False if some do not."""
    with read(source) as session:
        query = (
            select(BotRecord.owner_id)
            .join(VersionRecord, col(VersionRecord.bot_id) == BotRecord.id)
            .join(EntrantRecord, col(EntrantRecord.version_id) == VersionRecord.id)
            .where(EntrantRecord.tournament_id == tournament_id, ~col(BotRecord.remote))
        )
        return {owner is not None for owner in session.exec(query)}


def entrant_bots(source: Source, tournament_id: str) -> list[BotRecord]:
    """Return the bots of its entrants in the order of entry."""
    with read(source) as session:
        query = (
            select(BotRecord)
            .join(VersionRecord, col(VersionRecord.bot_id) == BotRecord.id)
            .join(EntrantRecord, col(EntrantRecord.version_id) == VersionRecord.id)
            .where(EntrantRecord.tournament_id == tournament_id)
            .order_by(col(EntrantRecord.position))
        )
        return list(session.exec(query))


def entrant_versions(source: Source, tournament_id: str) -> list[tuple[VersionRecord, BotRecord]]:
    """Return its entrants with their bots in the order of entry."""
    with read(source) as session:
        query = (
            select(VersionRecord, BotRecord)
            .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
            .join(EntrantRecord, col(EntrantRecord.version_id) == VersionRecord.id)
            .where(EntrantRecord.tournament_id == tournament_id)
            .order_by(col(EntrantRecord.position))
        )
        return [(version, bot) for version, bot in session.exec(query)]


def standings(source: Source, tournament_id: str) -> list[EntrantRow]:
    """Return how the entrants fare, the best score first, then in the order of entry.

    All finished matches count, whether they are rated or not.
    """
    with read(source) as session:
        found = session.connection().execute(_STANDINGS, {"tournament": tournament_id})
        rows = {row.version_id: row for row in map(_entrant, found)}
        return sorted(rows.values(), key=lambda row: -row.score)


def _entrant(row: AnyRow) -> EntrantRow:
    who = (row.id, row.name, row.number, row.content_hash)
    if row.matches is None:
        return EntrantRow(*who, 0, Firsts(), 0.0, 0)
    score = row.points / max(1, row.matches * most_points(row.seats))
    whole = WholeBlocks(row.blocks, row.block_points, row.block_matches * most_points(row.seats))
    return EntrantRow(*who, row.matches, Firsts(row.wins, row.shared, row.draws), score, row.forfeits, whole)


@dataclass(frozen=True, slots=True)
class UnfinishedTournament:
    """A tournament of which something is left to play or to plan."""

    id: str
    name: str
    format: str
    created_at_us: int
    remote: bool
    """Whether remote bots play in it, so that only a service can play it."""


def unfinished_tournaments(source: Source) -> list[UnfinishedTournament]:
    """Return all tournaments that are neither over nor cancelled nor a ladder's season, the oldest first."""
    with read(source) as session:
        is_season = exists().where(tables.season.c.tournament_id == _t.c.id)
        rows = session.connection().execute(_UNFINISHED.where(~is_season))
        return [UnfinishedTournament(row.id, row.name, row.format, row.created_at_us, row.remote) for row in rows]


def present_entrants(source: Source, tournament_id: str) -> tuple[str, ...]:
    """Return the ids of the versions that take part in a tournament and have not withdrawn, in the order of entry."""
    with read(source) as session:
        query = _PRESENT.where(_e.c.tournament_id == tournament_id)
        return tuple(row.version_id for row in session.connection().execute(query))


def published_secret(source: Source, tournament_id: str) -> str | None:
    """Return the secret of a tournament that is over, or of a season that is closed; until then `None`.

    Before, it would give the dice and piles of matches to come. Raises NotFoundError.
    """
    from ratings.store.season import season_of  # no list of tournaments needs it

    with read(source) as session:
        tournament = get_tournament(session, tournament_id)
        season = season_of(session, tournament_id)
        is_closed = season is None or season.closed_at_us is not None
        return tournament.secret if is_closed and count_progress(session, tournament_id).is_over else None


@dataclass(frozen=True, slots=True)
class TournamentWaves:
    """A tournament with everybody who entered and every block that was planned, in one consistent view."""

    tournament: TournamentRecord
    pool: PoolRecord
    entrants: tuple[EnteredVersion, ...]
    """In the order of entry."""
    waves: tuple[tuple[WaveBlock, ...], ...]
    """The blocks of each wave behind the memory, in the order of the plan."""
    memory: WaveMemory | None = None
    """What the format remembers of the waves before these, if they are not read."""


def tournament_waves(source: Source, tournament_id: str) -> TournamentWaves:
    """Return all that was planned and played so far. Raises NotFoundError."""
    with read(source) as session:
        return _waves(session, tournament_id, None)


def recent_waves(source: Source, tournament_id: str) -> TournamentWaves:
    """Return what its format remembers, and all that was planned and played since. Raises NotFoundError."""
    with read(source) as session:
        return _waves(session, tournament_id, current_memory(session, tournament_id))


@dataclass(frozen=True, slots=True)
class Remembered:
    """A tournament of which its planner remembers old waves, in a memory that it would take up as it is."""

    tournament_id: str
    memory: WaveMemory
    gathered: dict[tuple[int, ...], int]
    """In how many blocks of the waves that are remembered which entrants sat, by place in the order of entry."""


def remembered(source: Source) -> list[Remembered]:
    """Return every tournament with a memory that counts, the oldest first."""
    with read(source) as session:
        ids = session.exec(select(WaveRecord.tournament_id).where(col(WaveRecord.memory).is_not(None)).distinct()).all()
        found = [(one, current_memory(session, one), _gathered(session, one)) for one in sorted(ids)]
    return [Remembered(one, memory, gathered) for one, memory, gathered in found if memory is not None]


def _gathered(session: Session, tournament_id: str) -> dict[tuple[int, ...], int]:
    rows = session.exec(select(GatheringRecord).where(GatheringRecord.tournament_id == tournament_id)).all()
    return {tuple(map(int, row.members.split(","))): row.blocks for row in rows}


def remembered_waves(source: Source, one: Remembered) -> Iterator[list[WaveBlock]]:
    """Yield the blocks of every wave that is remembered, in order, each read in a view of its own."""
    with read(source) as session:
        planned = planned_waves(session, one.tournament_id)[: one.memory.index + 1]
    for wave in planned:
        with read(source) as session:
            records = block_records(session, one.tournament_id, wave)
        yield records


def entrants_of(source: Source, tournament_id: str) -> list[EnteredVersion]:
    """Return everybody who ever entered a tournament, in the order of entry."""
    with read(source) as session:
        return entered_versions(session, tournament_id)


def _waves(session: Session, tournament_id: str, memory: WaveMemory | None) -> TournamentWaves:
    tournament = get_tournament(session, tournament_id)
    planned = planned_waves(session, tournament_id, 0 if memory is None else memory.index + 1)
    return TournamentWaves(
        tournament,
        session.get_one(PoolRecord, tournament.pool_id),
        tuple(entered_versions(session, tournament_id)),
        tuple(tuple(block_records(session, tournament_id, wave)) for wave in planned),
        memory,
    )
