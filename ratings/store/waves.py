"""The waves of a tournament as they are stored, and how many of its matches are in which state. In an open session."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from sqlalchemy import Text, bindparam, cast, func, select
from sqlmodel import Session

from ratings.store import tables
from ratings.values.states import MatchState

_m, _s, _b, _e, _w = tables.match, tables.match_seat, tables.block, tables.entrant, tables.wave
_x, _t = tables.annulled_block, tables.tournament
ANNULLED = "annulled"
"""The key under which a memory tells how many blocks of its tournament were annulled when it was written."""
OWNERS_APART = "owners_apart"
"""The setting of a tournament in which bots of one owner do not meet; those planned before there was one lack it."""
_SETTINGS = select(tables.tournament.c.settings).where(tables.tournament.c.id == bindparam("tournament"))
_OWNERS = (
    select(_e.c.version_id, tables.bot.c.owner_id)
    .join(tables.version, tables.version.c.id == _e.c.version_id)
    .join(tables.bot, tables.bot.c.id == tables.version.c.bot_id)
    .where(_e.c.tournament_id == bindparam("tournament"), tables.bot.c.owner_id.is_not(None))
)
# Looked up block by block: joined, SQLite would begin with all blocks of the tournament, which may be half a million.
_TOURNAMENT_OF = select(_b.c.tournament_id).where(_b.c.id == _x.c.block_id).correlate(_x).scalar_subquery()
_COUNT_ANNULLED = select(func.count()).select_from(_x).where(bindparam("tournament") == _TOURNAMENT_OF)
_NEWEST_ANNULMENT = select(func.max(tables.annulment.c.id))
_LAST_WAVE = select(func.max(_w.c.index)).where(_w.c.tournament_id == bindparam("tournament"))
_FIRST_IN_STATE = (
    select(_b.c.index)
    .join(_m, _m.c.block_id == _b.c.id)
    .where(_m.c.tournament_id == bindparam("tournament"), _m.c.state == bindparam("state"))
    .order_by(_m.c.position)
    .limit(1)
)
_OTHERS = (MatchState.PLANNED, MatchState.LEASED, MatchState.VOID)


@dataclass(frozen=True, slots=True)
class EnteredVersion:
    """A version that takes part, and in which waves."""

    version_id: str
    joined_wave: int
    """The first wave it is planned in; above 0 for a late entrant."""
    withdrawn_wave: int | None
    """The first wave it is not planned in any more, or `None` while it takes part."""
    away: tuple[tuple[int, int], ...] = ()
    """When it had withdrawn and come back: the first wave it was not planned in, and the first it was again."""
    owner: str | None = None
    """The id of its owner where bots of one owner do not meet; otherwise, and without an owner, `None`."""


@dataclass(frozen=True, slots=True)
class PlannedWave:
    """Which blocks a wave consists of: `blocks` of them from index `first_block` on."""

    first_block: int
    blocks: int


@dataclass(frozen=True, slots=True)
class WaveMemory:
    """What the format remembers of wave `index` and all before it, as its planner wrote it."""

    index: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WaveMatch:
    """One match of a block; index = seat."""

    state: MatchState
    versions: tuple[str, ...]
    ranks: tuple[int | None, ...]
    has_forfeited: tuple[bool, ...]
    game_digest: str | None
    """`None` unless the match is finished."""
    is_annulled: bool = False
    """Whether the organiser annulled its block."""
    is_valid: bool = True
    """False if it is finished without a valid result: every seat faulted before any of them acted."""


WaveBlock = tuple[WaveMatch, ...]
"""The matches of a block; index = rotation."""


def entered_versions(session: Session, tournament_id: str) -> list[EnteredVersion]:
    """Return everybody who ever entered, in the order of their first entry."""
    entered = select(_e.c.version_id, _e.c.joined_wave, _e.c.withdrawn_wave).where(_e.c.tournament_id == tournament_id)
    stays: dict[str, list[tuple[int, int | None]]] = {}
    for version_id, joined, withdrawn in session.connection().execute(entered.order_by(_e.c.position)):
        stays.setdefault(version_id, []).append((joined, withdrawn))
    owners = _owners(session, tournament_id)
    return [_entered(version_id, spans, owners.get(version_id)) for version_id, spans in stays.items()]


def _owners(session: Session, tournament_id: str) -> dict[str, str]:
    """Return whose the versions are that take part and have an owner, if bots of one owner do not meet."""
    settings = session.connection().execute(_SETTINGS, {"tournament": tournament_id}).scalar_one_or_none()
    if not (settings or {}).get(OWNERS_APART):
        return {}
    owned = session.connection().execute(_OWNERS, {"tournament": tournament_id})
    return {row.version_id: row.owner_id for row in owned}


def _entered(version_id: str, stays: Sequence[tuple[int, int | None]], owner: str | None) -> EnteredVersion:
    """Return when a version took part, given its first wave and the first without it of each time that it did."""
    away = tuple((joined if left is None else left, joined) for (_, left), (joined, _) in pairwise(stays))
    return EnteredVersion(version_id, stays[0][0], stays[-1][1], away, owner)


def planned_waves(session: Session, tournament_id: str, start: int = 0) -> list[PlannedWave]:
    """Return the waves from index `start` on, in order."""
    query = select(_w.c.first_block, _w.c.blocks).where(_w.c.tournament_id == tournament_id, _w.c.index >= start)
    return [PlannedWave(*row) for row in session.connection().execute(query.order_by(_w.c.index))]


def count_waves(session: Session, tournament_id: str) -> int:
    """Return how many waves are planned, which is the index of the next."""
    last: int | None = session.connection().execute(_LAST_WAVE, {"tournament": tournament_id}).scalar_one()
    return 0 if last is None else last + 1


@lru_cache(maxsize=4)
def _parsed(memory: str) -> Mapping[str, Any]:
    """Return what a memory says; of a thousand entrants it is a megabyte, which every look at the table would parse."""
    found: Mapping[str, Any] = json.loads(memory)
    return found


def current_memory(session: Session, tournament_id: str) -> WaveMemory | None:
    """Return what is remembered of the most waves, or `None` if nothing is, or blocks were annulled since."""
    query = (
        select(_w.c.index, cast(_w.c.memory, Text))
        .where(_w.c.tournament_id == tournament_id, _w.c.memory.is_not(None))
        .order_by(_w.c.index.desc())
        .limit(1)
    )
    row = session.connection().execute(query).one_or_none()
    if row is None:
        return None
    memory = WaveMemory(row[0], _parsed(row[1]))
    return memory if memory.data.get(ANNULLED, 0) == count_annulled(session, tournament_id) else None


def count_annulled(session: Session, tournament_id: str) -> int:
    """Return how many blocks of a tournament were annulled."""
    return session.connection().execute(_COUNT_ANNULLED, {"tournament": tournament_id}).scalar_one()


def newest_annulment(session: Session) -> str | None:
    """Return the id of the newest annulment of all, which is found at once; `None` if nothing was annulled."""
    newest: str | None = session.connection().execute(_NEWEST_ANNULMENT).scalar_one()
    return newest


def first_open_block(session: Session, tournament_id: str) -> int | None:
    """Return the index of the first block with a match that is neither finished nor void, or `None`.

    Blocks are in the schedule in the order of their indexes, so the first open match of each state is enough.
    """
    found = [
        index
        for state in (MatchState.PLANNED, MatchState.LEASED)
        for index in session.connection()
        .execute(_FIRST_IN_STATE, {"tournament": tournament_id, "state": state})
        .scalars()
    ]
    return min(found, default=None)


def block_records(session: Session, tournament_id: str, wave: PlannedWave) -> list[WaveBlock]:
    """Return the matches of every block of a wave, by rotation."""
    query = (
        select(
            _b.c.index,
            _m.c.rotation,
            _m.c.state,
            _s.c.version_id,
            _s.c.rank,
            _s.c.forfeit,
            _m.c.game_digest,
            _x.c.block_id.is_not(None),
            _m.c.rated.is_not(False),
        )
        .join(_m, _m.c.block_id == _b.c.id)
        .join(_s, _s.c.match_id == _m.c.id)
        .outerjoin(_x, _x.c.block_id == _b.c.id)
        # Filter on both columns: the index covers the pair, and SQLite would scan the table otherwise.
        .where(_b.c.tournament_id == tournament_id, _m.c.tournament_id == tournament_id)
        .where(_b.c.index >= wave.first_block, _b.c.index < wave.first_block + wave.blocks)
        .order_by(_b.c.index, _m.c.rotation, _s.c.seat)
    )
    found: dict[int, dict[int, list[_Seat]]] = {}
    for index, rotation, *seat in session.connection().execute(query):
        found.setdefault(index, {}).setdefault(rotation, []).append(_Seat(*seat))
    return [tuple(_record(seats) for seats in matches.values()) for matches in found.values()]


class _Seat(NamedTuple):
    state: MatchState
    version: str
    rank: int | None
    forfeit: int | None
    game_digest: str | None
    is_annulled: bool
    is_valid: bool


def _record(seats: Sequence[_Seat]) -> WaveMatch:
    return WaveMatch(
        seats[0].state,
        tuple(seat.version for seat in seats),
        tuple(seat.rank for seat in seats),
        tuple(seat.forfeit is not None for seat in seats),
        seats[0].game_digest,
        seats[0].is_annulled,
        seats[0].is_valid,
    )


@dataclass(frozen=True, slots=True)
class Progress:
    """How many matches of a tournament are in which state."""

    planned: int
    leased: int
    finished: int
    void: int
    more_waves: bool = False
    """Whether further matches will be planned once there are results."""

    @property
    def total(self) -> int:
        """Return how many matches are planned so far, in whatever state."""
        return self.planned + self.leased + self.finished + self.void

    @property
    def is_over(self) -> bool:
        """Return whether nothing is left to play."""
        return self.planned == self.leased == 0 and not self.more_waves


def count_progress(session: Session, tournament_id: str) -> Progress:
    """Count the tournament's matches by state."""
    return count_each(session, [tournament_id])[tournament_id]


def count_each(session: Session, tournament_ids: Collection[str]) -> dict[str, Progress]:
    """Count the matches of several tournaments by state.

    Finished matches, of which there may be very many, are not counted: they are what is left of all.
    """
    # Places in the schedule count from 0 without a gap.
    last = select(func.max(_m.c.position)).where(_m.c.tournament_id == _t.c.id).scalar_subquery()
    others = (
        select(func.count()).where(_m.c.tournament_id == _t.c.id, _m.c.state == state).scalar_subquery()
        for state in _OTHERS
    )
    query = select(_t.c.id, _t.c.more_waves, last, *others).where(_t.c.id.in_(tournament_ids))
    found = {id_: _progress(*counts) for id_, *counts in session.connection().execute(query)}
    return {id_: found.get(id_) or _progress(False, None, 0, 0, 0) for id_ in tournament_ids}


def _progress(more_waves: bool, last: int | None, planned: int, leased: int, void: int) -> Progress:
    total = 0 if last is None else last + 1
    return Progress(planned, leased, total - planned - leased - void, void, more_waves=bool(more_waves))
