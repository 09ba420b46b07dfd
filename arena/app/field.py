"""Finds who is meant by `all` among the entrants of a tournament: every bot here that can play it."""

from __future__ import annotations

from arena.app.games import find_game
from arena.app.lookup import find_version
from arena.app.place import Place
from arena.hosting.errors import HostingError
from arena.hosting.manifest import BotDirectoryError
from arena.hosting.store import StoreError
from arena.model.errors import RefusedError
from arena.model.planning import LeftOut
from arena.model.tournaments import ALL
from arena.tournament.entrants import check_entrant
from arena.tournament.errors import RequestError
from ratings.read.bots import NamedVersion
from ratings.read.field import Candidate, Unfit, candidates
from ratings.store.ladders import plays

_WHY = {
    Unfit.DISABLED: "it is disabled",
    Unfit.OWNER_DISABLED: "its owner is disabled",
    Unfit.WITHDRAWN: "its version was withdrawn or annulled",
    Unfit.NOT_ADMITTED: "no version of it was admitted",
    Unfit.FILES_MISSING: "its files are not here; add it again",
}
_REMOTE = "it is remote; name it to play with remote bots"
_DIGITS = 16
MOST_TOLD = 100
"""How many bots that were left out are named one by one."""


def expand(place: Place, bots: tuple[str, ...], game: str) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Return the entrants with every bot that can play the game in the place of `all`, and which were left out, why.

    They come by name, each by the hash of the version that plays; a version that is named besides is entered there
    alone. Without `all` nothing changes. Raises RefusedError if nobody is left, and the errors of `find_version`.
    """
    if ALL not in bots:
        return bots, ()
    named = {find_version(place, bot).version.id for bot in bots if bot != ALL}
    entered, left_out = list[str](), list[LeftOut]()
    for one in candidates(place.database):
        if one.version.id in named:
            continue
        why = _why_not(place, one, game)
        if why is None:
            entered.append(f"{one.bot.name}@{one.version.content_hash[:_DIGITS]}")
        else:
            left_out.append(LeftOut(one.bot.name, why))
    if not entered:
        raise RefusedError(f"no bot here besides those named can play {game}; `arena bot add DIRECTORY` adds one")
    first = bots.index(ALL)
    rest = tuple(bot for bot in bots[first + 1 :] if bot != ALL)
    return (*bots[:first], *entered, *rest), _told(left_out)


def _told(left_out: list[LeftOut]) -> tuple[LeftOut, ...]:
    """Return those that are named one by one, and how many more there are."""
    more = len(left_out) - MOST_TOLD
    rest = (LeftOut(f"+{more}", "too many to be named one by one; `arena bot list` shows them"),) if more > 0 else ()
    return (*left_out[:MOST_TOLD], *rest)


def _why_not(place: Place, one: Candidate, game: str) -> str | None:
    """Return why a bot cannot play the game, in half a sentence, or `None` if it can."""
    if one.unfit is not None:
        return _WHY[one.unfit]
    if not plays(one.version.manifest, game, find_game(game).rules_version):
        return f"it does not play {game}"
    if one.bot.remote:
        return _REMOTE
    try:
        check_entrant(place.programs, NamedVersion(one.bot, one.version), game, one.bot.name)
    except (BotDirectoryError, HostingError, RequestError, StoreError) as error:
        return str(error)
    return None
