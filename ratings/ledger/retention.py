"""Removes what is too old or too much: told first, then done in small pieces, so that no writer waits long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, delete, func, select, update
from sqlmodel import Session

from engine.translatable import Text
from ratings.errors import NotFoundError
from ratings.ledger.accounts import add_notice
from ratings.store import tables
from ratings.store.database import Database
from ratings.store.identifiers import new_id, now_us
from ratings.store.models import with_text
from ratings.store.retention_conditions import first_id, removable_files, removable_log, removable_replay
from ratings.store.service import RemovalRecord
from ratings.store.sessions import read, save, write
from ratings.values.states import RemovalKind

PIECE = 200
_m, _v, _s = tables.match, tables.version, tables.match_seat


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a removal that is done."""

    items: int
    last: str | None
    """After which id the next piece begins; `None` if this was the last one."""


class RetentionLedger:
    """Announces and carries out removals. Each method is one transaction: all of it happens, or nothing.

    Besides the errors named, each may raise a DatabaseError.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def announce(
        self,
        kind: RemovalKind,
        *,
        before_us: int,
        why: str,
        due_at_us: int,
        notices: Iterable[tuple[str | None, str]],
        at_us: int | None = None,
    ) -> RemovalRecord:
        """Write what will be removed and when, with what owners are told of it: (owner or everybody, sentence)."""
        removal = RemovalRecord(
            id=new_id(),
            kind=kind,
            before_us=before_us,
            **with_text("why", why),
            announced_at_us=now_us() if at_us is None else at_us,
            due_at_us=due_at_us,
        )
        with write(self._database) as session:
            save(session, removal)
            for owner_id, sentence in notices:
                add_notice(session, owner_id, f"removal of {kind.value}", sentence)
        return removal

    def remove_piece(self, removal_id: str, after: str = "", at_us: int | None = None) -> Piece:
        """Remove a few of what an announcement names, those with ids above `after`, and return how many that were.

        What may go is looked for before anybody has to wait, and looked at again when it goes. After the last piece
        the removal is done. Raises NotFoundError.
        """
        instant = now_us() if at_us is None else at_us
        with read(self._database) as session:
            removal = _get(session, removal_id)
            found = session.connection().execute(_candidates(removal, after)).scalars().all()
        last = found[-1] if len(found) == PIECE else None
        with write(self._database) as session:
            removal = _get(session, removal_id)
            items = _remove(session.connection(), removal, found, instant)
            removal.items += items
            if last is None and removal.done_at_us is None:
                removal.done_at_us = instant
            session.add(removal)
        return Piece(items, last)

    def give_up(self, removal_id: str, at_us: int | None = None) -> None:
        """End a removal that nobody wants any more, with what it removed so far. Raises NotFoundError."""
        with write(self._database) as session:
            removal = _get(session, removal_id)
            removal.done_at_us = now_us() if at_us is None else at_us
            session.add(removal)


def _get(session: Session, removal_id: str) -> RemovalRecord:
    removal = session.get(RemovalRecord, removal_id)
    if removal is None:
        raise NotFoundError(Text("no removal {removal}; see: arena home retention", removal=removal_id))
    return removal


def _candidates(removal: RemovalRecord, after: str) -> Select[Any]:
    """Select a piece of the ids of the matches, or versions, of which something may go."""
    if removal.kind is RemovalKind.ARCHIVES:
        query = select(_v.c.id).where(_v.c.id > after, removable_files(removal.before_us)).order_by(_v.c.id)
        return query.limit(PIECE)
    if removal.kind is RemovalKind.LOGS:
        table, may_go = tables.seat_log, removable_log(removal.before_us)
    else:
        table, may_go = tables.replay, removable_replay(removal.before_us)
    return (
        select(table.c.match_id)
        .distinct()
        .join(_m, _m.c.id == table.c.match_id)
        .where(table.c.match_id > after, table.c.match_id < first_id(removal.before_us), may_go)
        .order_by(table.c.match_id)
        .limit(PIECE)
    )


def _remove(connection: Connection, removal: RemovalRecord, ids: Sequence[str], at_us: int) -> int:
    """Remove what may still go, now that nobody else writes, and return of how many matches, or versions."""
    if removal.kind is RemovalKind.ARCHIVES:  # whoever keeps the store collects the files
        may_go = removable_files(removal.before_us)
        gone = update(_v).where(_v.c.id.in_(ids), may_go).values(files_removed_at_us=at_us)
        return connection.execute(gone).rowcount
    if removal.kind is RemovalKind.LOGS:
        table, may_go, column = tables.seat_log, removable_log(removal.before_us), _m.c.logs_removed_at_us
    else:
        table, may_go, column = tables.replay, removable_replay(removal.before_us), _m.c.replay_removed_at_us
    matches = connection.execute(select(_m.c.id).where(_m.c.id.in_(ids), may_go)).scalars().all()
    if removal.kind is RemovalKind.REPLAYS:
        _uncount_notes(connection, matches)
    connection.execute(delete(table).where(table.c.match_id.in_(matches)))
    connection.execute(update(_m).where(_m.c.id.in_(matches)).values({column: at_us}))
    return len(matches)


def _uncount_notes(connection: Connection, matches: Sequence[str]) -> None:
    """Give owners back the room that the notes in the replays of these matches took."""
    size = func.sum(_s.c.note_bytes)
    owned = (
        select(tables.bot.c.owner_id, size)
        .select_from(_s)
        .join(_v, _v.c.id == _s.c.version_id)
        .join(tables.bot, tables.bot.c.id == _v.c.bot_id)
        .where(_s.c.match_id.in_(matches), _s.c.note_bytes.is_not(None), tables.bot.c.owner_id.is_not(None))
        .group_by(tables.bot.c.owner_id)
        .order_by(tables.bot.c.owner_id)  # as whoever records results takes them
    )
    owner = tables.owner
    for owner_id, freed in connection.execute(owned).all():
        left = func.coalesce(owner.c.note_bytes, 0) - int(freed)
        connection.execute(update(owner).where(owner.c.id == owner_id).values(note_bytes=left))
