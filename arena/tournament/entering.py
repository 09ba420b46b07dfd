"""Lets bots join a tournament that has begun, and leave one. After an error nothing was written."""

from __future__ import annotations

from collections.abc import Sequence

from arena.tournament.entrants import check_entrant
from arena.tournament.errors import NotPlayableError, RequestError
from arena.tournament.formats import catalog, seeds
from arena.tournament.programs import Programs
from arena.tournament.stored import format_of
from ratings.ledger.ledger import Ledger
from ratings.read import tournaments
from ratings.read.bots import NamedVersion, all_versions, find_version
from ratings.read.tournaments import TournamentRow
from ratings.read.waves import entrants_of
from ratings.store.database import Database
from ratings.store.models import Tournament, Version


def join(database: Database, programs: Programs, tournament: Tournament, text: str) -> tuple[Version, int]:
    """Enter `bot` or `bot@hash` late; return the version, and the wave (from 0) from which on it is planned.

    Raises RequestError where the format or the game does not allow it, NotPlayableError if the tournament is over.
    """
    row = tournaments.tournament_row(database, tournament.id)
    form = format_of(row.tournament, row.pool)
    if form is None or not form.traits.takes_late_entrants:
        raise RequestError(
            f"{tournament.name!r} is a {tournament.format}, all of whose entrants are there from the start; only "
            f"{' and '.join(catalog.late_entry())} take late ones, plan a new tournament"
        )
    _check_open(row)
    found = find_version(database, text)
    _check_entry(programs, row, found, text)
    _check_seed(row.tournament, found, text)
    if any(entrant.version_id == found.version.id for entrant in entrants_of(database, tournament.id)):
        raise RequestError(f"{text} has entered {tournament.name!r} already, and who withdrew does not come back")
    return found.version, Ledger(database).join(tournament.id, found.version.id)


def _check_entry(programs: Programs, row: TournamentRow, found: NamedVersion, text: str) -> None:
    """Raise RequestError unless the version may play in the tournament."""
    check_entrant(programs, found, row.pool.game, text)
    if found.bot.disabled_at_us is not None:
        name = found.bot.name
        raise RequestError(f"bot {name!r} is disabled; let it in again: arena bot disable {name} --undo")


def _check_seed(tournament: Tournament, found: NamedVersion, text: str) -> None:
    """Raise RequestError if the bot could find all dice of the tournament by trying seeds."""
    seed = tournament.settings.get("seed")
    if found.bot.owner_id is None or not isinstance(seed, int):
        return
    if tournament.secret == seeds.secret_from_seed(seed).hex():
        raise RequestError(
            f"{text} has an owner, and seed {seed} of {tournament.name!r} is one that a bot can guess; plan a "
            "tournament with it from the start, or leave the seed out"
        )


def withdraw(database: Database, tournament: Tournament, text: str) -> tuple[Version, int]:
    """Take `bot` or `bot@hash` out; return the version, and how many matches will not be played for that.

    Raises RequestError if it is not entered, or several of its versions are; NotPlayableError for what is over.
    """
    row = tournaments.tournament_row(database, tournament.id)
    if format_of(row.tournament, row.pool) is None:
        raise RequestError(f"{tournament.name!r} is a single match; `arena tournament cancel` gives it up")
    _check_open(row)
    version = _find_playing(database, tournament, text)
    return version, Ledger(database).withdraw(tournament.id, version.id, f"{text} withdrew")


def _check_open(row: TournamentRow) -> None:
    if row.tournament.cancelled_at_us is not None:
        raise NotPlayableError(f"tournament {row.tournament.name!r} was cancelled; nobody can join or leave it")
    if row.progress.is_over:
        raise NotPlayableError(f"tournament {row.tournament.name!r} is finished; nobody can join or leave it")


def _find_playing(database: Database, tournament: Tournament, text: str) -> Version:
    """Return the entrant that is meant: named without a hash, the version that plays here, not the newest."""
    name, _, digits = text.partition("@")
    named = {one.version.id: one.version for one in all_versions(database) if one.bot.name == name}
    entered = [entrant for entrant in entrants_of(database, tournament.id) if entrant.version_id in named]
    found = [entrant for entrant in entered if named[entrant.version_id].content_hash.startswith(digits)]
    playing = [named[entrant.version_id] for entrant in found if entrant.withdrawn_wave is None]
    if not found:
        raise RequestError(f"{text} is not entered in {tournament.name!r}; `arena tournament show` lists its entrants")
    if not playing:
        raise RequestError(f"{text} has withdrawn from {tournament.name!r} already")
    if len(playing) > 1:
        raise RequestError(f"{len(playing)} versions of {name} play in {tournament.name!r}; {_choices(name, playing)}")
    return playing[0]


def _choices(name: str, versions: Sequence[Version]) -> str:
    return f"name one: {', '.join(f'{name}@{version.content_hash[:8]}' for version in versions)}"
