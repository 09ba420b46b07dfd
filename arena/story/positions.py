"""The positions of a match, after each ply, found from the actions and the outcomes of chance. No I/O."""

from __future__ import annotations

from arena.story.facts import Beginning, PlayedPly, StoryError
from engine import registry
from engine.abilities import Move
from engine.chance import ScriptedChance, ScriptError
from engine.core import EngineError, Game, State


class PositionTracker:
    """Follows one match. `plies` counts those that were played, and `state` is the position behind them."""

    __slots__ = ("_chance", "game", "plies", "state")

    def __init__(self, beginning: Beginning) -> None:
        """Begin with the start of a match. Raises StoryError if its game is not installed here with its rules."""
        self.game = _installed(beginning)
        self.plies = 0
        self._chance = ScriptedChance(beginning.chance)
        try:
            options = self.game.parse_options(beginning.options)
            self.state: State = self.game.new_state(len(beginning.names), options, self._chance)
        except (EngineError, ScriptError) as error:
            raise StoryError(f"the match cannot be played again: {error}") from error

    def apply(self, ply: PlayedPly) -> Move:
        """Play the next ply and return what it did; no position that was returned before changes by it.

        Raises StoryError if the ply does not fit.
        """
        before = self.state
        if ply.ply != self.plies or ply.seat != before.seat():
            raise StoryError(f"ply {ply.ply} of seat {ply.seat} does not follow ply {self.plies - 1}")
        self._chance.extend(ply.chance)
        after = before.clone(self._chance)
        try:
            after.apply(ply.action)
        except (EngineError, ScriptError) as error:
            raise StoryError(f"the match cannot be played again: ply {ply.ply}: {error}") from error
        self.state = after
        self.plies += 1
        return Move(before, ply.action, self.game.actions.format(ply.action), ply.seat, after, after.revealed())


def _installed(beginning: Beginning) -> Game:
    try:
        game = registry.get(beginning.game)
    except EngineError as error:
        raise StoryError(str(error)) from error
    if game.rules_version != beginning.rules_version:
        raise StoryError(
            f"it was played by version {beginning.rules_version} of the rules of {game.name}; "
            f"installed is {game.rules_version}"
        )
    return game
