"""Finds the bots, tournaments, pools and games that a viewer names; the error for an unknown one names the nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.app.policy import AppContext, Viewer, has_secrets, is_hidden
from arena.model.errors import HiddenError, RefusedError, unknown
from engine.translatable import Text
from ratings.errors import NotFoundError
from ratings.read import bots, tournaments
from ratings.read.bots import VersionRow
from ratings.read.identifying import remedy_for
from ratings.read.pool_lookup import MatchScope, find_pool
from ratings.read.tournaments import tournament_row
from ratings.store.database import Database
from ratings.store.models import TournamentRecord

if TYPE_CHECKING:
    from engine.core import Game

_SHOWN_DIGITS = 12


def whole_name(database: Database, viewer: Viewer, text: str) -> str:
    """Return `name` or `name@hash` as it is stored: an owner's own bot comes before the organiser's of that name."""
    name = text.partition("@")[0]
    if viewer.owner_name is None or "/" in name:
        return text
    own = f"{viewer.owner_name}/{name}"
    try:
        bots.bot_detail(database, own)
    except NotFoundError:
        return text
    return own + text.removeprefix(name)


def find_version(context: AppContext, text: str) -> VersionRow:
    """Return the version that the text means, with its bot.

    Raises UnknownError for an unknown bot, NotFoundError and AmbiguousError for the hash.
    """
    database, whole = context.database, whole_name(context.database, context.viewer, text)
    try:
        return bots.find_version(database, whole)
    except NotFoundError:
        name, known = whole.partition("@")[0], bots.bot_names(database)
        if name in known:
            raise
        raise unknown(
            "bot", name, known, Text("`arena bot list` shows all, `arena bot add` or `bot submit` adds one")
        ) from None


def find_tournament(context: AppContext, text: str) -> TournamentRecord:
    """Return the tournament of that name or id.

    Raises UnknownError if there is none, and AmbiguousError if there are several.
    """
    try:
        return tournaments.find_tournament(context.database, text)
    except NotFoundError:
        names = sorted(tournaments.tournament_names(context.database))
        raise unknown("tournament", text, names, remedy_for(text, Text("`arena tournament list` shows all"))) from None


def find_pool_id(context: AppContext, text: str | None) -> str:
    """Return the id of the pool that is named, or of the only one if none is.

    Raises RefusedError if there is no pool or no choice among several, NotFoundError and AmbiguousError for the text.
    """
    if text is not None:
        return find_pool(context.database, text).id
    from ratings.read.leaderboard import pools  # with the tables of ratings, which no name of a bot or tournament needs

    found = pools(context.database)
    if not found:
        raise RefusedError(Text("nothing was rated yet; `arena demo` plays some matches"))
    if len(found) > 1:
        ids = ", ".join(row.pool.pool_id[:_SHOWN_DIGITS] for row in found[:4])
        raise RefusedError(
            Text(
                "there are {count} pools ({pools}); name one by --game, --seats and --time, with --pool, or "
                "--tournament NAME",
                count=len(found),
                pools=ids,
            )
        )
    return found[0].pool.pool_id


def find_scope(context: AppContext, tournament: str | None, pool: str | None) -> MatchScope:
    """Return which matches count: those of a tournament or of a pool, the only one if neither is named.

    Raises RefusedError if both are named, and the errors of `find_tournament` and `find_pool_id`.
    """
    if tournament is not None and pool is not None:
        raise RefusedError(Text("--tournament and --pool exclude each other; give one of them"))
    if tournament is not None:
        return MatchScope(tournament_id=find_tournament(context, tournament).id)
    return MatchScope(pool_id=find_pool_id(context, pool))


def find_game(name: str) -> Game:
    """Return the installed game of that name. Raises UnknownError, with the nearest name, if there is none.

    A family of games says itself why it has none of that name: UnknownGameError.
    """
    from engine import registry  # who looks at bots does not pay for the games

    if name not in registry.names() and not registry.family_of(name):
        raise unknown("game", name, registry.names(), Text("`arena game list` shows all"))
    return registry.get(name)


def shown_scope(context: AppContext, tournament: str | None, pool: str | None) -> MatchScope:
    """Return the scope that is named, of which whole blocks count.

    Raises HiddenError for a tournament that goes on and whose blocks share their chance with one another, for there a
    whole block tells what is still to be played; and the errors of `find_scope`.
    """
    scope = find_scope(context, tournament, pool)
    if scope.tournament_id is None or context.viewer.is_organiser:
        return scope
    from arena.tournament.stored import blocks_per_seed  # all formats, which the organiser is not asked for

    row = tournament_row(context.database, scope.tournament_id)
    shares = blocks_per_seed(row.tournament, row.pool) > 1
    is_open = shares and not row.progress.is_over
    if is_hidden(context.viewer, has_secrets=has_secrets(row.pool.game), is_open=is_open):
        raise HiddenError(
            Text("{name} is counted when it is over: its blocks share their chance", name=row.tournament.name)
        )
    return scope
