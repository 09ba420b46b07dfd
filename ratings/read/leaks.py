"""What the leak checks of a tournament found. They change no rating: it is for the organiser to decide."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, func
from sqlalchemy import select as select_any
from sqlmodel import col, select
from sqlmodel.sql.expression import Select

from ratings.store.models import Bot, LeakCheck, Match, MatchSeat, Version
from ratings.store.sessions import Source, read
from ratings.store.tallies import EntrantTally


@dataclass(frozen=True, slots=True)
class LeakRow:
    """A leak check, and the version that was checked."""

    check: LeakCheck
    bot: str
    version: Version


def leak_checks(source: Source, tournament_id: str) -> list[LeakRow]:
    """Return all leak checks of a tournament, in schedule order."""
    with read(source) as session:
        return [LeakRow(*row) for row in session.exec(_checks(tournament_id))]


def flagged_checks(source: Source, tournament_id: str) -> list[LeakRow]:
    """Return the leak checks of a tournament that found something, in schedule order."""
    flagged = select(EntrantTally.version_id).where(
        EntrantTally.tournament_id == tournament_id, col(EntrantTally.leaks) + col(EntrantTally.unstable) > 0
    )
    with read(source) as session:
        versions = session.exec(flagged).all()
        if not versions:
            return []
        of_these = col(MatchSeat.version_id).in_(versions)
        return [LeakRow(*row) for row in session.exec(_checks(tournament_id).where(of_these, _found_something()))]


def count_leak_checks(source: Source, tournament_id: str) -> dict[str, int]:
    """Return how many leak checks of a tournament came to which verdict; verdicts without any are left out."""
    columns = {"equal": EntrantTally.equal, "leak": EntrantTally.leaks, "unstable": EntrantTally.unstable}
    counts = [func.sum(column) for column in (*columns.values(), EntrantTally.unknown)]
    with read(source) as session:
        query = select_any(*counts).where(col(EntrantTally.tournament_id) == tournament_id)
        row = session.connection().execute(query).one()
    return {verdict: count for verdict, count in zip((*columns, "unknown"), row, strict=True) if count}


def _found_something() -> ColumnElement[bool]:
    return col(LeakCheck.verdict).in_(("leak", "unstable"))


def _checks(tournament_id: str) -> Select[LeakCheck, str, Version]:
    return (
        select(LeakCheck, Bot.name, Version)
        .join(Match, col(Match.id) == LeakCheck.match_id)
        .join(MatchSeat, (col(MatchSeat.match_id) == LeakCheck.match_id) & (col(MatchSeat.seat) == LeakCheck.seat))
        .join(Version, col(Version.id) == MatchSeat.version_id)
        .join(Bot, col(Bot.id) == Version.bot_id)
        .where(Match.tournament_id == tournament_id)
        .order_by(col(Match.position), col(LeakCheck.seat))
    )
