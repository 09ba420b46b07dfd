"""What the leak checks of a tournament found. They change no rating: it is for the organiser to decide."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select

from ratings.store.models import Bot, LeakCheck, Match, MatchSeat, Version
from ratings.store.sessions import Source, read
from ratings.store.tallies import EntrantTally

_MOST_LISTED = 500


@dataclass(frozen=True, slots=True)
class LeakRow:
    """A leak check, and the version that was checked."""

    check: LeakCheck
    bot: str
    version: Version
    owner_id: str | None
    """The owner of the bot."""
    block_id: str
    """The block of the match."""


def leak_checks(source: Source, tournament_id: str) -> list[LeakRow]:
    """Return the leak checks of a tournament in schedule order: all, or of very many those that found something."""
    with read(source) as session:
        tallies = session.exec(select(EntrantTally).where(EntrantTally.tournament_id == tournament_id)).all()
        flagged = [one.version_id for one in tallies if one.leaks or one.unstable]
        count = sum(one.equal + one.leaks + one.unstable + one.unknown for one in tallies)
        if count <= _MOST_LISTED:
            return _rows(session, _checks(tournament_id)) if count else []
        found_something = col(LeakCheck.verdict).in_(("leak", "unstable"))
        query = _checks(tournament_id).where(col(MatchSeat.version_id).in_(flagged), found_something)
        return _rows(session, query) if flagged else []


def _rows(session: Session, query: Select[LeakCheck, Bot, Version, str]) -> list[LeakRow]:
    return [
        LeakRow(check, bot.name, version, bot.owner_id, block_id)
        for check, bot, version, block_id in session.exec(query)
    ]


def _checks(tournament_id: str) -> Select[LeakCheck, Bot, Version, str]:
    return (
        select(LeakCheck, Bot, Version, Match.block_id)
        .join(Match, col(Match.id) == LeakCheck.match_id)
        .join(MatchSeat, (col(MatchSeat.match_id) == LeakCheck.match_id) & (col(MatchSeat.seat) == LeakCheck.seat))
        .join(Version, col(Version.id) == MatchSeat.version_id)
        .join(Bot, col(Bot.id) == Version.bot_id)
        .where(Match.tournament_id == tournament_id)
        .order_by(col(Match.position), col(LeakCheck.seat))
    )
