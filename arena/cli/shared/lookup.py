"""Finds the bots, tournaments and pools that a command line names; the error for an unknown one names the nearest."""

from __future__ import annotations

from arena.cli.shared.errors import MisuseError, unknown
from arena.cli.shared.pools import short_pool_id
from ratings.errors import NotFoundError
from ratings.read import bots, tournaments
from ratings.read.bots import NamedVersion
from ratings.read.leaderboard import pools
from ratings.read.pools import find_pool
from ratings.read.scope import Scope
from ratings.store.database import Database
from ratings.store.models import Tournament


def find_version(database: Database, text: str) -> NamedVersion:
    """Return the version named `bot` or `bot@hash`, with its bot.

    Raises MisuseError for an unknown bot, NotFoundError and AmbiguousError for the hash.
    """
    try:
        return bots.find_version(database, text)
    except NotFoundError:
        name, known = text.partition("@")[0], bots.bot_names(database)
        if name in known:
            raise
        remedy = "`arena bot list` shows all, `arena bot add DIRECTORY` adds one"
        raise unknown("bot", name, known, remedy) from None


def find_tournament(database: Database, text: str) -> Tournament:
    """Return the tournament of that name or id.

    Raises MisuseError if there is none, and AmbiguousError if there are several.
    """
    try:
        return tournaments.find_tournament(database, text)
    except NotFoundError:
        names = sorted(tournaments.tournament_names(database))
        raise unknown("tournament", text, names, "`arena tournament list` shows all") from None


def find_pool_id(database: Database, text: str | None) -> str:
    """Return the id of the pool that `--pool` names, or of the only one if it names none.

    Raises MisuseError if there is no pool or no choice among several, NotFoundError and AmbiguousError for the text.
    """
    if text is not None:
        return find_pool(database, text).id
    found = pools(database)
    if not found:
        raise MisuseError("nothing was rated yet; `arena demo` plays some matches")
    if len(found) > 1:
        ids = ", ".join(short_pool_id(row.pool.id) for row in found[:4])
        raise MisuseError(f"there are {len(found)} pools ({ids}); name one with --pool, or --tournament NAME")
    return found[0].pool.id


def find_scope(database: Database, tournament: str | None, pool: str | None) -> Scope:
    """Return which matches count: those of a tournament or of a pool, the only one if neither is named.

    Raises MisuseError if both are named, and the errors of `find_tournament` and `find_pool_id`.
    """
    if tournament is not None and pool is not None:
        raise MisuseError("--tournament and --pool exclude each other; give one of them")
    if tournament is not None:
        return Scope(tournament_id=find_tournament(database, tournament).id)
    return Scope(pool_id=find_pool_id(database, pool))
