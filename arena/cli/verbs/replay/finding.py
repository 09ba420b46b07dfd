"""Finds the replay that a command is about: in a file, or in an arena."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.shared.connect import connect
from arena.cli.shared.errors import CliError
from arena.cli.shared.matches import short_match_id
from arena.cli.shared.suggestions import program
from arena.match.replay import ReplayError, load, with_texts
from arena.model.matches import Replay
from engine import registry
from engine.text import Text

ReplayName = Annotated[
    str,
    typer.Argument(
        metavar="MATCH",
    ),
]


def find_document(match: str, db: str) -> dict[str, Any]:
    """Return the replay document that lies in a file, as `arena bot test` leaves it, or of a match with such an id.

    Raise CliError if it cannot be read, or its game is not installed here.
    """
    file = Path(match)
    if file.is_file():
        return _read(Replay(file.stem, file.read_bytes()))
    with connect(db) as connection:
        replay = connection.arena.replays.get_replay(match)
        document = _read(replay)
        if not document["result"]["faults"]:
            return document
        return with_texts(document, connection.arena.matches.get_match(replay.match_id).faults)


def _read(replay: Replay) -> dict[str, Any]:
    match = short_match_id(replay.match_id)
    try:
        document = load(replay.data)
    except ReplayError as error:
        raise CliError(
            Text(
                "app.replay_match_cannot_read",
                "the replay of match {match} cannot be read: {why}",
                match=match,
                why=error,
            )
        ) from error
    if document["game"] not in registry.names() and not registry.family_of(document["game"]):
        raise CliError(
            Text(
                "command.match_one_game_not_installed",
                "the match is one of {game}, a game that is not installed here; install its package, or "
                "`{program} match show {match}` shows the result",
                game=repr(document["game"]),
                program=program(),
                match=match,
            )
        )
    return document
