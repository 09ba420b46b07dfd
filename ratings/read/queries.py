"""What the book of record can be asked about tournaments and matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import func
from sqlmodel import Session, col, select

from ratings.errors import AmbiguousError, NotFoundError
from ratings.ledger.entry import Progress, progress
from ratings.store.database import Source, read
from ratings.store.models import (
    Attempt,
    Block,
    Bot,
    Entrant,
    Fault,
    LeakCheck,
    Match,
    MatchSeat,
    MatchState,
    Pool,
    RatingChange,
    Replay,
    Tournament,
    Version,
)


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """A tournament and how far it is."""

    tournament: Tournament
    pool: Pool
    progress: Progress

    @property
    def status(self) -> str:
        """`cancelled`, `finished`, `planned` (nothing played yet) or `running` (also: stopped, can be resumed)."""
        if self.tournament.cancelled_at_us is not None:
            return "cancelled"
        if self.progress.is_over:
            return "finished"
        return "running" if self.progress.planned < self.progress.total else "planned"


@dataclass(frozen=True, slots=True)
class EntrantRow:
    """How one entrant fared in one tournament."""

    version_id: str
    bot: str
    number: int
    content_hash: str
    matches: int
    wins: int
    """Matches with rank 1, shared ones too."""
    score: float
    """The part of all opponents met that was beaten, a tie counting half: 0 to 1; 0 before the first match."""
    forfeits: int


@dataclass(frozen=True, slots=True)
class SeatRow:
    """One seat of a match: who, how it ended, and what it did to the rating (None while it did nothing)."""

    seat: MatchSeat
    bot: str
    version: Version
    change: RatingChange | None


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match in a list: who sits where, as `(bot name, rank or None)` by seat."""

    match: Match
    block_index: int
    seats: tuple[tuple[str, int | None], ...]


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


def resolve_tournament(source: Source, text: str) -> Tournament:
    """The tournament of that id, beginning or end of an id (4 characters or more), or name.

    Raises NotFoundError, AmbiguousError.
    """
    with read(source) as session:
        ids = session.exec(select(Tournament.id, Tournament.name)).all()
        found = _only_one(text, "tournament", [(id_, name) for id_, name in ids], "see: arena tournament list")
        return session.exec(select(Tournament).where(Tournament.id == found)).one()


def resolve_match(source: Source, text: str) -> Match:
    """The match of that id, or beginning or end of an id (4 characters or more).

    Raises NotFoundError, AmbiguousError.
    """
    with read(source) as session:
        near = col(Match.id).startswith(text, autoescape=True) | col(Match.id).endswith(text, autoescape=True)
        ids = session.exec(select(Match.id).where(near).limit(1000)).all() if len(text) >= 4 else []
        found = _only_one(
            text, "match", [(id_, None) for id_ in ids], "see: arena tournament show TOURNAMENT --matches"
        )
        return session.exec(select(Match).where(Match.id == found)).one()


def _only_one(text: str, noun: str, candidates: Sequence[tuple[str, str | None]], remedy: str) -> str:
    exact = [id_ for id_, name in candidates if text in (id_, name)]
    near = [id_ for id_, _ in candidates if len(text) >= 4 and (id_.startswith(text) or id_.endswith(text))]
    found = exact or near
    if not found:
        raise NotFoundError(f"no {noun} {text!r}; {remedy}")
    if len(found) > 1:
        plural = "es" if noun.endswith("ch") else "s"
        what = "its id" if exact else "more digits of the id, its end differs"
        raise AmbiguousError(f"{text!r} fits {len(found)} {noun}{plural}; give {what}; {remedy}")
    return found[0]


def list_tournaments(source: Source) -> list[TournamentRow]:
    """All tournaments, the newest first; single matches too (format `match`)."""
    with read(source) as session:
        query = select(Tournament, Pool).join(Pool).order_by(col(Tournament.id).desc())
        counts: dict[str, dict[str, int]] = {}
        states = select(Match.tournament_id, Match.state, func.count()).group_by(Match.tournament_id, Match.state)
        for tournament_id, state, count in session.exec(states):
            counts.setdefault(tournament_id, {})[state] = count
        return [
            TournamentRow(
                tournament,
                pool,
                Progress(
                    **{state.value: counts.get(tournament.id, {}).get(state, 0) for state in MatchState},
                    more_waves=tournament.more_waves,
                ),
            )
            for tournament, pool in session.exec(query)
        ]


def tournament_row(source: Source, tournament_id: str) -> TournamentRow:
    """One tournament and how far it is. Raises NotFoundError."""
    with read(source) as session:
        query = select(Tournament, Pool).join(Pool).where(Tournament.id == tournament_id)
        found = session.exec(query).one_or_none()
        if found is None:
            raise NotFoundError(f"no tournament {tournament_id}; see: arena tournament list")
        return TournamentRow(found[0], found[1], progress(session, tournament_id))


def owned_entrants(source: Source, tournament_id: str) -> set[bool]:
    """Whether its bots have a registered owner: True if some have, False if some have not."""
    with read(source) as session:
        query = (
            select(Bot.owner_id)
            .join(Version, col(Version.bot_id) == Bot.id)
            .join(Entrant, col(Entrant.version_id) == Version.id)
            .where(Entrant.tournament_id == tournament_id)
        )
        return {owner is not None for owner in session.exec(query)}


def standings(source: Source, tournament_id: str) -> list[EntrantRow]:
    """How the entrants fare, best score first, then the order of entry; matches of result `rated` or not."""
    with read(source) as session:
        entrants = session.exec(
            select(Entrant, Version, Bot.name)
            .join(Version, col(Version.id) == Entrant.version_id)
            .join(Bot, col(Bot.id) == Version.bot_id)
            .where(Entrant.tournament_id == tournament_id)
            .order_by(col(Entrant.position))
        ).all()
        tally = _tally(session, tournament_id)
        rows = [
            EntrantRow(version.id, bot, version.number, version.content_hash, *tally.get(version.id, (0, 0, 0.0, 0)))
            for _, version, bot in entrants
        ]
        return sorted(rows, key=lambda row: -row.score)


def _tally(session: Session, tournament_id: str) -> dict[str, tuple[int, int, float, int]]:
    """Version id -> matches, wins, score, forfeits."""
    query = (
        select(MatchSeat.match_id, MatchSeat.version_id, MatchSeat.rank, MatchSeat.forfeit)
        .join(Match, col(Match.id) == MatchSeat.match_id)
        .where(Match.tournament_id == tournament_id, Match.state == MatchState.FINISHED)
    )
    by_match: dict[str, list[tuple[str, int, int | None]]] = {}
    for match_id, version_id, rank, forfeit in session.exec(query):
        by_match.setdefault(match_id, []).append((version_id, rank or 0, forfeit))
    sums: dict[str, list[int]] = {}
    for seats in by_match.values():
        for version_id, rank, forfeit in seats:
            points = sum((other > rank) * 2 + (other == rank) for _, other, _ in seats) - 1
            one = (1, rank == 1, points, len(seats) - 1, forfeit is not None)
            sums[version_id] = [a + b for a, b in zip(sums.get(version_id, [0] * 5), one, strict=True)]
    return {
        version_id: (matches, wins, points / (2 * opponents), forfeits)
        for version_id, (matches, wins, points, opponents, forfeits) in sums.items()
    }


def list_matches(source: Source, tournament_id: str, *, state: MatchState | None = None) -> list[MatchRow]:
    """The matches of a tournament in schedule order, all or those in one state."""
    with read(source) as session:
        wanted = (
            select(Match, Block.index)
            .join(Block, col(Block.id) == Match.block_id)
            .where(Match.tournament_id == tournament_id)
            .order_by(col(Match.position))
        )
        seats: dict[str, list[tuple[str, int | None]]] = {}
        sitting = (
            select(MatchSeat.match_id, Bot.name, MatchSeat.rank)
            .join(Match, col(Match.id) == MatchSeat.match_id)
            .join(Version, col(Version.id) == MatchSeat.version_id)
            .join(Bot, col(Bot.id) == Version.bot_id)
            .where(Match.tournament_id == tournament_id)
            .order_by(MatchSeat.match_id, col(MatchSeat.seat))
        )
        for match_id, bot, rank in session.exec(sitting):
            seats.setdefault(match_id, []).append((bot, rank))
        if state is not None:
            wanted = wanted.where(Match.state == state)
        return [MatchRow(match, index, tuple(seats[match.id])) for match, index in session.exec(wanted)]


def match_detail(source: Source, match_id: str) -> MatchDetail:
    """All that is known of a match but its replay. Raises NotFoundError."""
    with read(source) as session:
        found = session.exec(
            select(Match, Tournament, Pool, Block)
            .join(Tournament, col(Tournament.id) == Match.tournament_id)
            .join(Pool, col(Pool.id) == Tournament.pool_id)
            .join(Block, col(Block.id) == Match.block_id)
            .where(Match.id == match_id)
        ).one_or_none()
        if found is None:
            raise NotFoundError(f"no match {match_id}; see: arena tournament show TOURNAMENT --matches")
        faults = session.exec(select(Fault).where(Fault.match_id == match_id).order_by(col(Fault.number))).all()
        attempts = session.exec(select(Attempt).where(Attempt.match_id == match_id).order_by(col(Attempt.number))).all()
        checks = session.exec(
            select(LeakCheck).where(LeakCheck.match_id == match_id).order_by(col(LeakCheck.seat))
        ).all()
        return MatchDetail(*found, _seats(session, match_id), faults, attempts, checks)


def _seats(session: Session, match_id: str) -> tuple[SeatRow, ...]:
    query = (
        select(MatchSeat, Bot.name, Version, RatingChange)
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
    return tuple(SeatRow(*row) for row in session.exec(query))


def replay_of(source: Source, match_id: str) -> bytes:
    """The replay document of a finished match. Raises NotFoundError."""
    with read(source) as session:
        replay = session.get(Replay, match_id)
        if replay is None:
            match = session.get(Match, match_id)
            why = f"match {match_id} is {match.state}" if match else f"no match {match_id}"
            raise NotFoundError(f"{why}; only finished matches have a replay")
        return replay.data


def replays(
    source: Source, tournament_id: str | None = None, match_id: str | None = None
) -> Iterator[tuple[Match, bytes | None]]:
    """Every finished match with its replay, in schedule order within a tournament; few in memory at once.

    All, or those of one tournament, or one match. None stands for a replay that is missing.
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
