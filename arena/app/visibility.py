"""What a viewer may see: nothing that chance gave in a match while another match with the same chance is not over.

The matches of a block share one chance seed, and so do both blocks of a pair of a comparison. Whoever saw the dice of
one of them would know those of the others, which his bot may still have to play. A match that goes on may be watched
when all the others are over; what no seat may know of it, such as the order of a pile, stays hidden to its end.
"""

from __future__ import annotations

from collections.abc import Collection

from arena.app.place import Place
from arena.app.viewer import Viewer
from arena.model.errors import HiddenError
from engine import registry
from engine.core import EngineError
from ratings.read.blocks import awaited_matches
from ratings.store.models import Match
from ratings.store.states import MatchState

WHY_HIDDEN = (
    "shown when every other match of its block is over: they share their chance, and who saw it now would know the rest"
)
WHY_UNTOLD = "told move by move when it is over: its events hold what no seat may know yet; the pages show it meanwhile"


def is_hidden(viewer: Viewer, *, has_secrets: bool, is_open: bool) -> bool:
    """Return whether the play of a match is withheld from a viewer.

    `has_secrets` tells whether its game throws chance or hides information, `is_open` whether another match that shares
    its chance is not over.
    """
    return has_secrets and is_open and not viewer.is_organiser


def shows_note(*, is_own: bool, is_over: bool) -> bool:
    """Return whether a viewer is shown what a bot noted: of his own bot at once, of others when the match is over."""
    return is_own or is_over


def has_secrets(game: str) -> bool:
    """Return whether a game throws chance or hides information; of a game that is not installed, that it does."""
    try:
        found = registry.get(game)
    except EngineError:
        return True
    return found.has_chance or found.has_hidden_information


def hides_parts(game: str) -> bool:
    """Return whether some seat may not see some part of a position; of a game that is not installed, that it does."""
    try:
        return registry.get(game).has_hidden_information
    except EngineError:
        return True


def hidden_matches(place: Place, matches: Collection[str]) -> set[str]:
    """Return which of these matches, named by id, are withheld from the viewer."""
    if not is_hidden(place.viewer, has_secrets=True, is_open=True):
        return set()
    found = awaited_matches(place.database, matches)
    return {
        match for match, game in found.items() if is_hidden(place.viewer, has_secrets=has_secrets(game), is_open=True)
    }


def need_shown(place: Place, match: Match) -> None:
    """Raise HiddenError while a match is withheld from the viewer."""
    if hidden_matches(place, [match.id]):
        raise HiddenError(f"match {match.id} is {WHY_HIDDEN}")


def need_told(place: Place, match: Match, game: str) -> None:
    """Raise HiddenError while the viewer may not have the events of a match, which hold all that happens in it."""
    is_over = match.state is MatchState.FINISHED
    if not is_over and not place.viewer.is_organiser and hides_parts(game):
        raise HiddenError(f"match {match.id} is {WHY_UNTOLD}")
