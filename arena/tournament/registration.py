"""The entrants of a tournament: whether a version can take part, joining late, and leaving. No half-done writes."""

from __future__ import annotations

from collections.abc import Sequence

from arena.tournament.errors import NotPlayableError, RequestError
from arena.tournament.formats import catalog
from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Entrant, Format
from arena.tournament.formats.roundrobin import Gauntlet
from arena.tournament.formats.table_grouping import check_all_apart, check_apart, check_opponents
from arena.tournament.match_specs import Programs, check_plays
from arena.tournament.stored import format_of
from engine import registry
from engine.translatable import Text
from ratings.ledger.ledger import Ledger
from ratings.read import tournaments
from ratings.read.bots import VersionRow, all_versions, find_version
from ratings.read.tournaments import TournamentRow, entrants_of
from ratings.store.database import Database
from ratings.store.models import TournamentRecord, VersionRecord
from ratings.values.pools import games_of, plays


def join(database: Database, programs: Programs, tournament: TournamentRecord, text: str) -> tuple[VersionRecord, int]:
    """Enter `bot` or `bot@hash` late; return the version, and the wave (from 0) from which on it is planned.

    Raises RequestError where the format or the game does not allow it, NotPlayableError if the tournament is over.
    """
    row = tournaments.tournament_row(database, tournament.id)
    form = format_of(row.tournament, row.pool)
    if form is None or not form.traits.takes_late_entrants:
        raise RequestError(
            Text(
                "{name} is a {format}, all of whose entrants are there from the start; only {late} take late "
                "ones, plan a new tournament",
                name=repr(tournament.name),
                format=tournament.format,
                late=" and ".join(catalog.late_entry()),
            )
        )
    _check_open(row)
    found = find_version(database, text)
    check_entrant(programs, found, row.pool.game, text)
    if found.bot.disabled_at_us is not None:
        name = found.bot.name
        raise RequestError(
            Text("bot {bot} is disabled; let it in again: arena bot disable {name} --undo", bot=repr(name), name=name)
        )
    seed = row.tournament.settings.get("seed")
    if (
        found.bot.owner_id is not None
        and isinstance(seed, int)
        and row.tournament.secret == seeds.secret_from_seed(seed).hex()
    ):
        raise RequestError(
            Text(
                "{bot} has an owner, and seed {seed} of {name} is one that a bot can guess; plan a tournament "
                "with it from the start, or leave the seed out",
                bot=text,
                seed=seed,
                name=repr(tournament.name),
            )
        )
    if any(entrant.version_id == found.version.id for entrant in entrants_of(database, tournament.id)):
        raise RequestError(
            Text(
                "{bot} has entered {name} already, and who withdrew does not come back",
                bot=text,
                name=repr(tournament.name),
            )
        )
    return found.version, Ledger(database).join(tournament.id, found.version.id)


def withdraw(database: Database, tournament: TournamentRecord, text: str) -> tuple[VersionRecord, int]:
    """Take `bot` or `bot@hash` out; return the version, and how many matches will not be played for that.

    Raises RequestError if it is not entered, or several of its versions are; NotPlayableError for what is over.
    """
    row = tournaments.tournament_row(database, tournament.id)
    if format_of(row.tournament, row.pool) is None:
        raise RequestError(
            Text("{name} is a single match; `arena tournament cancel` gives it up", name=repr(tournament.name))
        )
    _check_open(row)
    name, _, digits = text.partition("@")
    named = {one.version.id: one.version for one in all_versions(database) if one.bot.name == name}
    entered = [entrant for entrant in entrants_of(database, tournament.id) if entrant.version_id in named]
    found = [entrant for entrant in entered if named[entrant.version_id].content_hash.startswith(digits)]
    playing = [named[entrant.version_id] for entrant in found if entrant.withdrawn_wave is None]
    if not found:
        raise RequestError(
            Text(
                "{bot} is not entered in {name}; `arena tournament show` lists its entrants",
                bot=text,
                name=repr(tournament.name),
            )
        )
    if not playing:
        raise RequestError(Text("{bot} has withdrawn from {name} already", bot=text, name=repr(tournament.name)))
    if len(playing) > 1:
        raise RequestError(
            Text(
                "{count} versions of {bot} play in {name}; {remedy}",
                count=len(playing),
                bot=name,
                name=repr(tournament.name),
                remedy=f"name one: {', '.join(f'{name}@{version.content_hash[:8]}' for version in playing)}",
            )
        )
    version = playing[0]
    return version, Ledger(database).withdraw(tournament.id, version.id, Text("{name} withdrew", name=text))


def _check_open(row: TournamentRow) -> None:
    if row.tournament.cancelled_at_us is not None:
        raise NotPlayableError(
            Text("tournament {name} was cancelled; nobody can join or leave it", name=repr(row.tournament.name))
        )
    if row.progress.is_over:
        raise NotPlayableError(
            Text("tournament {name} is finished; nobody can join or leave it", name=repr(row.tournament.name))
        )


def check_entrant(programs: Programs, found: VersionRow, game: str, text: str) -> None:
    """Raise RequestError, which calls the bot `text`, unless it plays the game.

    Raises the errors of `Programs.find` for a hosted one that cannot be started.
    """
    if not found.bot.remote:
        check_plays(programs.find(found.version.content_hash), game, text)
    elif not plays(found.version.manifest, game, registry.get(game).rules_version):
        games = ", ".join(games_of(found.version.manifest))
        raise RequestError(
            Text("{bot} does not play {game}; when it joined, it named: {games}", bot=text, game=game, games=games)
        )


def check_owners(form: Format, found: Sequence[VersionRow]) -> None:
    """Raise ScheduleError, with the remedy, if the bots are of too few owners for a tournament of that format."""
    entrants, names = _entrants(found), _names(found)
    if isinstance(form, Compare):
        check_all_apart(entrants, names)
    elif isinstance(form, Gauntlet):
        check_opponents(form.seats, entrants[0], entrants[1:], names)
    else:
        check_apart(form.seats, entrants)


def check_all(found: Sequence[VersionRow]) -> None:
    """Raise ScheduleError if two of the bots, who are to meet, are of one owner."""
    check_all_apart(_entrants(found), _names(found))


def _entrants(found: Sequence[VersionRow]) -> list[Entrant]:
    return [Entrant(one.version.id, owner=one.bot.owner_id) for one in found]


def _names(found: Sequence[VersionRow]) -> dict[str, str]:
    return {one.version.id: one.bot.name for one in found}
