"""What the bots of a tournament did wrong: by bot and cause, with a match that shows it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Select, bindparam, func, select
from sqlmodel import Session

from ratings.read.blocks import open_beside
from ratings.store import tables
from ratings.store.sessions import Source, read
from ratings.store.tables import AnyRow
from ratings.values.tournaments import BotFaults

_m, _f, _v, _b, _x = tables.match, tables.fault, tables.version, tables.bot, tables.annulled_block
_NAMES = select(_v.c.id, _b.c.name, _v.c.number).join(_b, _b.c.id == _v.c.bot_id)


def bot_faults(source: Source, tournament_id: str, limit: int, *, besides_open: bool = False) -> tuple[BotFaults, ...]:
    """Return what bots did wrong in the matches of a tournament that count, the most frequent first, `limit` at most.

    With `besides_open`, matches are left out that share their chance with one that is not over.
    """
    which = {"tournament": tournament_id}
    with read(source) as session:
        query = _AMONG_CLOSED if besides_open else _AMONG_ALL
        found: Sequence[AnyRow] = session.connection().execute(query, which).all()
        found = sorted(found, key=lambda row: (-row.faulty, row.version_id, row.cause))[:limit]
        names = _names(session, {row.version_id for row in found})
        return tuple(BotFaults(*names[row.version_id], row.cause, row.faulty, row.last) for row in found)


def _names(session: Session, version_ids: set[str]) -> dict[str, tuple[str, int]]:
    rows = session.connection().execute(_NAMES.where(_v.c.id.in_(version_ids)))
    return {version_id: (bot, number) for version_id, bot, number in rows}


def _counted(*, besides_open: bool) -> Select[str, str, int, str]:
    count = func.count(_f.c.match_id.distinct()).label("faulty")
    query = select(_f.c.version_id, _f.c.cause, count, func.max(_f.c.match_id).label("last")).where(
        _f.c.tournament_id == bindparam("tournament"), _f.c.match_id.not_in(_annulled())
    )
    if besides_open:
        one, other = tables.block.alias("one"), tables.match.alias("other")
        query = query.join(_m, _m.c.id == _f.c.match_id).join(one, one.c.id == _m.c.block_id)
        query = query.where(~open_beside(one, other).exists())
    return query.group_by(_f.c.version_id, _f.c.cause)


def _annulled() -> Select[str]:
    """Return the query for the matches of a tournament that were annulled."""
    block, match = tables.block, tables.match.alias("annulled")
    return (
        select(match.c.id)
        .select_from(_x)
        .join(block, block.c.id == _x.c.block_id)
        # Both columns: the index covers the pair, and a database would read every match otherwise.
        .join(match, (match.c.tournament_id == block.c.tournament_id) & (match.c.block_id == block.c.id))
        .where(block.c.tournament_id == bindparam("tournament"))
    )


_AMONG_ALL, _AMONG_CLOSED = _counted(besides_open=False), _counted(besides_open=True)
