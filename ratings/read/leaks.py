"""What the leak checks of a tournament found. They change no rating: it is for the organiser to decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Select, select
from sqlmodel import Session, col
from sqlmodel import select as select_models

from ratings.read.paging import Order, cut, each, one_page
from ratings.store import tables
from ratings.store.models import BotRecord, LeakCheckRecord, MatchRecord, MatchSeatRecord, VersionRecord
from ratings.store.sessions import Source, read
from ratings.store.tallies import EntrantTallyRecord
from ratings.values.page import DEFAULT_LIMIT, Page

_MOST_LISTED = 500
_FOUND_SOMETHING = ("leak", "unstable")
_c, _m, _s = tables.leak_check, tables.match, tables.match_seat
_ORDER = Order("leak checks", (_c.c.match_id, _c.c.seat), (str, int), is_descending=False)


@dataclass(frozen=True, slots=True)
class LeakRow:
    """A leak check, and the version that was checked."""

    check: LeakCheckRecord
    bot: str
    version: VersionRecord
    owner_id: str | None
    """The owner of the bot."""


def leak_checks(
    source: Source, tournament_id: str, *, limit: int | None = DEFAULT_LIMIT, after: str | None = None
) -> Page[LeakRow]:
    """Return the leak checks of a tournament, those of the matches planned first first.

    All are listed, or of very many those that found something. Raises PageError.
    """
    with read(source) as session:
        wanted = one_page(_wanted(session, tournament_id), _ORDER, limit, after)
        keys = [(match_id, seat) for match_id, seat in session.connection().execute(wanted)]
        page = cut(keys, _ORDER, limit, lambda key: key)
        rows = {(row.check.match_id, row.check.seat): row for row in _rows(session, page.items)}
        return each(page, lambda key: rows[key])


def _wanted(session: Session, tournament_id: str) -> Select[str, int]:
    """Return the query for match and seat of the checks that are listed.

    The other tables are only looked up: as joins they would have SQLite begin with all matches of the tournament.
    """
    tallies = session.exec(
        select_models(EntrantTallyRecord).where(EntrantTallyRecord.tournament_id == tournament_id)
    ).all()
    of_tournament = select(_m.c.id).where(_m.c.id == _c.c.match_id, _m.c.tournament_id == tournament_id).exists()
    query = select(_c.c.match_id, _c.c.seat).where(of_tournament)
    if sum(one.equal + one.leaks + one.unstable + one.unknown for one in tallies) <= _MOST_LISTED:
        return query
    flagged = [one.version_id for one in tallies if one.leaks or one.unstable]
    by_flagged = select(_s.c.seat).where(
        _s.c.match_id == _c.c.match_id, _s.c.seat == _c.c.seat, _s.c.version_id.in_(flagged)
    )
    return query.where(_c.c.verdict.in_(_FOUND_SOMETHING), by_flagged.exists())


def _rows(session: Session, keys: Sequence[tuple[str, int]]) -> list[LeakRow]:
    query = (
        select_models(LeakCheckRecord, BotRecord, VersionRecord)
        .join(MatchRecord, col(MatchRecord.id) == LeakCheckRecord.match_id)
        .join(
            MatchSeatRecord,
            (col(MatchSeatRecord.match_id) == LeakCheckRecord.match_id)
            & (col(MatchSeatRecord.seat) == LeakCheckRecord.seat),
        )
        .join(VersionRecord, col(VersionRecord.id) == MatchSeatRecord.version_id)
        .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
        .where(col(LeakCheckRecord.match_id).in_([match_id for match_id, _ in keys]))
    )
    return [LeakRow(check, bot.name, version, bot.owner_id) for check, bot, version in session.exec(query)]
