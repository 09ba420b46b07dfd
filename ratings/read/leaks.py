"""What the leak checks of a tournament found. They change no rating: it is for the organiser to decide."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import col, select

from ratings.store.models import Bot, LeakCheck, Match, MatchSeat, Version
from ratings.store.sessions import Source, read


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
    """Return all leak checks of a tournament, in schedule order."""
    with read(source) as session:
        query = (
            select(LeakCheck, Bot, Version, Match.block_id)
            .join(Match, col(Match.id) == LeakCheck.match_id)
            .join(MatchSeat, (col(MatchSeat.match_id) == LeakCheck.match_id) & (col(MatchSeat.seat) == LeakCheck.seat))
            .join(Version, col(Version.id) == MatchSeat.version_id)
            .join(Bot, col(Bot.id) == Version.bot_id)
            .where(Match.tournament_id == tournament_id)
            .order_by(col(Match.position), col(LeakCheck.seat))
        )
        return [
            LeakRow(check, bot.name, version, bot.owner_id, block_id)
            for check, bot, version, block_id in session.exec(query)
        ]
