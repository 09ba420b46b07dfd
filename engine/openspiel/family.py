"""What the registry asks of OpenSpiel's games: which there are, and the game of a name. OpenSpiel is not imported."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from engine.core import Game
from engine.folder import read_json
from engine.openspiel import library
from engine.openspiel.facts import Facts, find_out, read_facts

_FILE: Final = "catalogue.json"


@cache
def _catalogue() -> dict[str, Facts]:
    return {entry["name"]: read_facts(entry) for entry in read_json(__name__, _FILE)}


def names() -> Sequence[str]:
    """Return the names of the games that are listed, none if OpenSpiel is missing or of another version.

    A game with other parameters can be played too: `get` knows it by its name.
    """
    return tuple(_catalogue()) if library.is_usable() else ()


@cache
def get(name: str) -> Game:
    """Return the game of that name. Raises UnknownGameError with the reason and the remedy if there is none."""
    from engine.openspiel.game import OpenSpielGame  # whoever asks for names needs no game

    library.need_usable(name)
    return OpenSpielGame(_catalogue().get(name) or find_out(name))
