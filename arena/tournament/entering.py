"""Who joins a tournament that has begun, and who leaves it. Errors are those of `creation`, and nothing was written."""

from __future__ import annotations

from collections.abc import Sequence

from arena.hosting.manifest import BotManifest
from arena.hosting.store import VersionStore
from arena.tournament.errors import NotPlayableError, OrderError
from arena.tournament.formats import catalog
from ratings.ledger import waves
from ratings.ledger.bots import resolve_version
from ratings.ledger.entry import progress
from ratings.store.database import Session
from ratings.store.models import Bot, Pool, Tournament, Version


def join(session: Session, store: VersionStore, tournament: Tournament, text: str) -> tuple[Version, int]:
    """Enter `bot` or `bot@hash` late: the version, and the wave (from 0) from which on it is planned.

    Raises OrderError where the format or the game does not allow it, NotPlayableError when the tournament is over.
    """
    form = catalog.from_settings(tournament.format, 2, tournament.settings)
    if form is None or not form.takes_late_entrants:
        raise OrderError(
            f"{tournament.name!r} is a {tournament.format}, all of whose entrants are there from the start; only "
            f"{' and '.join(catalog.LATE_ENTRY)} take late ones, plan a new tournament"
        )
    _check_open(session, tournament)
    version = resolve_version(session, text)
    pool, bot = session.get_one(Pool, tournament.pool_id), session.get_one(Bot, version.bot_id)
    manifest = BotManifest.from_json(version.manifest)
    if not manifest.plays(pool.game):
        raise OrderError(f"{text} does not play {pool.game}; its bot.toml names: {', '.join(manifest.games)}")
    if bot.disabled_at_us is not None:
        raise OrderError(f"bot {bot.name!r} is disabled; let it in again: arena bot disable {bot.name} --undo")
    store.get(version.content_hash)
    if any(entrant.version_id == version.id for entrant in waves.entrants(session, tournament.id)):
        raise OrderError(f"{text} has entered {tournament.name!r} already, and who withdrew does not come back")
    return version, waves.join(session, tournament.id, version.id)


def withdraw(session: Session, tournament: Tournament, text: str) -> tuple[Version, int]:
    """Take `bot` or `bot@hash` out: the version, and how many matches will not be played for that.

    Raises OrderError if it is not entered, or several of its versions are; NotPlayableError for what is over.
    """
    if catalog.from_settings(tournament.format, 2, tournament.settings) is None:
        raise OrderError(f"{tournament.name!r} is a single match; `arena tournament cancel` gives it up")
    _check_open(session, tournament)
    version = _entered(session, tournament, text)
    void = waves.withdraw(session, tournament.id, version.id, f"{text} withdrew")
    session.refresh(version)
    return version, void


def _check_open(session: Session, tournament: Tournament) -> None:
    if tournament.cancelled_at_us is not None:
        raise NotPlayableError(f"tournament {tournament.name!r} was cancelled; nobody can join or leave it")
    if progress(session, tournament.id).is_over:
        raise NotPlayableError(f"tournament {tournament.name!r} is finished; nobody can join or leave it")


def _entered(session: Session, tournament: Tournament, text: str) -> Version:
    """The entrant meant: named without a hash, the version that plays here, not the newest."""
    name, _, digits = text.partition("@")
    rows = waves.entrants(session, tournament.id)
    own = [
        (row, version) for row in rows if _is_named(session, version := session.get_one(Version, row.version_id), name)
    ]
    found = [(row, version) for row, version in own if version.content_hash.startswith(digits)]
    playing = [version for row, version in found if row.withdrawn_wave is None]
    if not found:
        raise OrderError(f"{text} is not entered in {tournament.name!r}; `arena tournament show` lists its entrants")
    if not playing:
        raise OrderError(f"{text} has withdrawn from {tournament.name!r} already")
    if len(playing) > 1:
        raise OrderError(f"{len(playing)} versions of {name} play in {tournament.name!r}; {_choices(name, playing)}")
    return playing[0]


def _is_named(session: Session, version: Version, name: str) -> bool:
    return session.get_one(Bot, version.bot_id).name == name


def _choices(name: str, versions: Sequence[Version]) -> str:
    return f"name one: {', '.join(f'{name}@{version.content_hash[:8]}' for version in versions)}"
