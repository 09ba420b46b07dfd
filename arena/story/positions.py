"""The positions of a match, after each ply, found from the actions and the outcomes of chance. No I/O."""

from __future__ import annotations

from arena.model.live import LiveMove, LiveStart
from arena.story.errors import StoryError
from engine import registry
from engine.abilities import Move
from engine.chance import ScriptedChance, ScriptError
from engine.core import EngineError, Game, State
from engine.text import Text


class PositionTracker:
    """Follows one match. `plies` counts those that were played, and `state` is the position behind them."""

    __slots__ = ("_chance", "game", "plies", "state")

    def __init__(self, start: LiveStart) -> None:
        """Begin with the start of a match. Raises StoryError if its game is not installed here with its rules."""
        self.game = _installed(start)
        self.plies = 0
        self._chance = ScriptedChance([outcome.values for outcome in start.chance])
        try:
            options = self.game.parse_options(start.options)
            self.state: State = self.game.new_state(len(start.bots), options, self._chance)
        except (EngineError, ScriptError) as error:
            raise StoryError(
                Text("story.match_cannot_played_again", "the match cannot be played again: {why}", why=error)
            ) from error

    def apply(self, move: LiveMove) -> Move:
        """Play the next ply and return what it did; no position that was returned before changes by it.

        Raises StoryError if the ply does not fit.
        """
        before = self.state
        if move.ply != self.plies or move.seat != before.seat():
            raise StoryError(
                Text(
                    "story.ply_seat_does_not_follow",
                    "ply {ply} of seat {seat} does not follow ply {last}",
                    ply=move.ply,
                    seat=move.seat,
                    last=self.plies - 1,
                )
            )
        self._chance.extend([outcome.values for outcome in move.chance])
        after = before.clone(self._chance)
        try:
            after.apply(move.action)
        except (EngineError, ScriptError) as error:
            raise StoryError(
                Text(
                    "story.match_cannot_played_again_ply",
                    "the match cannot be played again: ply {ply}: {why}",
                    ply=move.ply,
                    why=error,
                )
            ) from error
        self.state = after
        self.plies += 1
        return Move(before, move.action, self.game.actions.format(move.action), move.seat, after, after.revealed())


def _installed(start: LiveStart) -> Game:
    try:
        game = registry.get(start.game)
    except EngineError as error:
        raise StoryError(str(error)) from error
    if game.rules_version != start.rules_version:
        raise StoryError(
            Text(
                "story.played_version_rules_installed",
                "it was played by version {version} of the rules of {game}; installed is {installed}",
                version=start.rules_version,
                game=game.name,
                installed=game.rules_version,
            )
        )
    return game
