"""A game of OpenSpiel with one set of parameters, as a game of the arena."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final

from engine.core import ActionTable, Game, Observation, State
from engine.kit.options import no_options
from engine.openspiel.facts import Facts, load_game
from engine.openspiel.library import VERSION

if TYPE_CHECKING:
    from engine.abilities import Playable, Shown
    from engine.chance import Chance
    from engine.features import Featured
    from engine.openspiel.state import OpenSpielState

RULES_VERSION: Final = f"1+openspiel.{VERSION}"
"""The first number changes with what the arena makes of OpenSpiel's games."""


@cache
def _numbered(count: int) -> ActionTable:
    """Return a table whose notation is the id: OpenSpiel's own words differ from position to position."""
    return ActionTable([f"A{action}" for action in range(count)])


class OpenSpielGame(Game):
    """The game; OpenSpiel is loaded with the first position."""

    def __init__(self, facts: Facts) -> None:
        """Take what is known of the game."""
        self.facts = facts
        self.name = facts.name
        self.title = facts.title
        self.rules_version = RULES_VERSION
        self.seats = range(facts.seats, facts.seats + 1)
        self.actions = _numbered(facts.actions)
        self.options = no_options(facts.name)
        self.max_plies = facts.max_plies
        self.has_chance = facts.has_chance
        self.has_hidden_information = facts.is_hidden
        self._recent: tuple[list[int], Any] = [], None

    @cached_property
    def inner(self) -> Any:
        """OpenSpiel's own game of that name."""
        return load_game(self.name)

    def played(self, history: Sequence[int]) -> Any:
        """Return OpenSpiel's state after a history. Raises PositionError if it is none.

        The last one is kept: the next position that a bot reads mostly goes on from it.
        """
        from engine.openspiel.history import play_again

        known, inner = self._recent
        count = len(known)
        if inner is None or list(history[:count]) != known:
            count, inner = 0, self.inner.new_initial_state()
        inner = inner.clone()
        play_again(inner, history, count)
        self._recent = list(history), inner
        return inner.clone()

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> OpenSpielState:
        from engine.openspiel.state import begin

        del options
        self.check_seats(seats)
        return begin(self, chance)

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> OpenSpielState:
        from engine.openspiel.state import read

        return read(self, data, chance)

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        from engine.openspiel import wire

        return wire.TYPE, wire.encode(state, seat)

    def observed(self, message: bytes) -> Observation:
        from engine.openspiel import wire

        return wire.decode(self, message)

    @property
    def playable(self) -> Playable | None:
        from engine.openspiel.evaluation import playable_of

        return playable_of(self)

    @property
    def featured(self) -> Featured | None:
        from engine.openspiel.features import featured_of

        return featured_of(self)

    @property
    def shown(self) -> Shown:
        from engine.openspiel.view import shown_of

        return shown_of(self)

    def opening_plies(self, seats: int) -> int:
        """Return how many random plies start a match: one for each seat, fewer if playings may be very short."""
        del seats
        return self.facts.opening
