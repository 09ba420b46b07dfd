"""What the bots of a tournament did wrong: by bot and cause, with a match that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Select, bindparam, func, select
from sqlmodel import Session

from ratings.read.blocks import open_beside
from ratings.store import tables
from ratings.store.sessions import Source, read
from ratings.store.tables import AnyRow

_m, _s, _f, _v, _b, _y = (
    tables.match,
    tables.match_seat,
    tables.fault,
    tables.version,
    tables.bot,
    tables.entrant_tally,
)
_ANNULLED = select(tables.annulled_block.c.block_id)
_FORFEITS = select(_y.c.version_id).where(_y.c.tournament_id == bindparam("tournament"), _y.c.forfeits > 0).limit(1)
_NAMES = select(_v.c.id, _b.c.name, _v.c.number).join(_b, _b.c.id == _v.c.bot_id)


@dataclass(frozen=True, slots=True)
class BotFaults:
    """What a version did wrong in a tournament, by one cause."""

    version_id: str
    bot: str
    number: int
    cause: str
    matches: int
    """In how many matches it did so."""
    match_id: str
    """The one of them that was planned last."""


def bot_faults(source: Source, tournament_id: str, limit: int, *, besides_open: bool = False) -> list[BotFaults]:
    """Return what bots did wrong in the matches of a tournament that count, the most frequent first, `limit` at most.

    With `besides_open`, matches are left out that share their chance with one that is not over.
    """
    which = {"tournament": tournament_id}
    with read(source) as session:
        # Whoever is at fault forfeits, and forfeits are counted already: without any, no match is looked at.
        if session.connection().execute(_FORFEITS, which).first() is None:
            return []
        query = _AMONG_CLOSED if besides_open else _AMONG_ALL
        found: Sequence[AnyRow] = session.connection().execute(query, which).all()
        found = sorted(found, key=lambda row: (-row.faulty, row.version_id, row.cause))[:limit]
        names = _names(session, {row.version_id for row in found})
        return [BotFaults(row.version_id, *names[row.version_id], row.cause, row.faulty, row.last) for row in found]


def _names(session: Session, version_ids: set[str]) -> dict[str, tuple[str, int]]:
    rows = session.connection().execute(_NAMES.where(_v.c.id.in_(version_ids)))
    return {version_id: (bot, number) for version_id, bot, number in rows}


def _counted(*, besides_open: bool) -> Select[str, str, int, str]:
    count = func.count(_m.c.id.distinct()).label("faulty")
    query = (
        select(_s.c.version_id, _f.c.cause, count, func.max(_m.c.id).label("last"))
        .select_from(_m)
        .join(_f, _f.c.match_id == _m.c.id)
        .join(_s, (_s.c.match_id == _f.c.match_id) & (_s.c.seat == _f.c.seat))
        .where(_m.c.tournament_id == bindparam("tournament"), _m.c.block_id.not_in(_ANNULLED))
    )
    if besides_open:
        one, other = tables.block.alias("one"), tables.match.alias("other")
        query = query.join(one, one.c.id == _m.c.block_id).where(~open_beside(one, other).exists())
    return query.group_by(_s.c.version_id, _f.c.cause)


_AMONG_ALL, _AMONG_CLOSED = _counted(besides_open=False), _counted(besides_open=True)
