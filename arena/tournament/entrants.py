"""Checks whether a version can play a game: a hosted one by its program, a remote one by its word."""

from __future__ import annotations

from arena.tournament.errors import RequestError
from arena.tournament.programs import Programs, check_plays
from engine import registry
from engine.text import Text
from ratings.read.bots import VersionRow
from ratings.store.ladders import plays


def check_entrant(programs: Programs, found: VersionRow, game: str, text: str) -> None:
    """Raise RequestError, which calls the bot `text`, unless it plays the game.

    Raises the errors of `Programs.find` for a hosted one that cannot be started.
    """
    if not found.bot.remote:
        check_plays(programs.find(found.version.content_hash), game, text)
    elif not plays(found.version.manifest, game, registry.get(game).rules_version):
        games = ", ".join(found.version.manifest["games"])
        raise RequestError(
            Text(
                "tournaments.does_not_play_when_joined",
                "{bot} does not play {game}; when it joined, it named: {games}",
                bot=text,
                game=game,
                games=games,
            )
        )
