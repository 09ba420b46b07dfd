"""What a viewer may see: nothing that chance gave in a match while another match with the same chance is not over.

The matches of a block share one chance seed, and so do both blocks of a pair of a comparison. Whoever saw the dice of
one of them would know those of the others, which his bot may still have to play.
"""

from __future__ import annotations

from collections.abc import Collection

from arena.client.errors import HiddenError
from arena.client.here.place import Place
from arena.client.here.viewer import Viewer
from engine import registry
from engine.core import EngineError
from ratings.read.blocks import open_blocks
from ratings.store.models import Match

WHY_HIDDEN = (
    "shown when every match of its block is over: they share their chance, and who saw it now would know the rest"
)


def is_hidden(viewer: Viewer, *, has_secrets: bool, is_open: bool) -> bool:
    """Return whether the play of a match is withheld from a viewer.

    `has_secrets` tells whether its game throws chance or hides information, `is_open` whether a match that shares its
    chance is not over.
    """
    return has_secrets and is_open and not viewer.is_organiser


def has_secrets(game: str) -> bool:
    """Return whether a game throws chance or hides information; of a game that is not installed, that it does."""
    try:
        found = registry.get(game)
    except EngineError:
        return True
    return found.has_chance or found.has_hidden_information


def hidden_blocks(place: Place, blocks: Collection[str]) -> set[str]:
    """Return which of these blocks, named by id, are withheld from the viewer."""
    if not is_hidden(place.viewer, has_secrets=True, is_open=True):
        return set()
    found = open_blocks(place.database, blocks)
    return {
        block for block, game in found.items() if is_hidden(place.viewer, has_secrets=has_secrets(game), is_open=True)
    }


def need_shown(place: Place, match: Match) -> None:
    """Raise HiddenError while a match is withheld from the viewer."""
    if hidden_blocks(place, [match.block_id]):
        raise HiddenError(f"match {match.id} is {WHY_HIDDEN}")
