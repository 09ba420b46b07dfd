"""The course of a match: its position after each ply, found from the actions and the outcomes of chance. No I/O."""

from __future__ import annotations

from arena.story.facts import Beginning, Ply, StoryError
from engine import registry
from engine.abilities import Move
from engine.chance import ScriptedChance, ScriptError
from engine.core import EngineError, Game, State
from engine.text import Text


class Course:
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
            raise StoryError(
                Text("story.match_cannot_played_again", "the match cannot be played again: {why}", why=error)
            ) from error

    def apply(self, ply: Ply) -> Move:
        """Play the next ply and return what it did; no position that was returned before changes by it.

        Raises StoryError if the ply does not fit.
        """
        before = self.state
        if ply.ply != self.plies or ply.seat != before.seat():
            raise StoryError(
                Text(
                    "story.ply_seat_does_not_follow",
                    "ply {ply} of seat {seat} does not follow ply {last}",
                    ply=ply.ply,
                    seat=ply.seat,
                    last=self.plies - 1,
                )
            )
        self._chance.extend(ply.chance)
        after = before.clone(self._chance)
        try:
            after.apply(ply.action)
        except (EngineError, ScriptError) as error:
            raise StoryError(
                Text(
                    "story.match_cannot_played_again_ply",
                    "the match cannot be played again: ply {ply}: {why}",
                    ply=ply.ply,
                    why=error,
                )
            ) from error
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
            Text(
                "story.played_version_rules_installed",
                "it was played by version {version} of the rules of {game}; installed is {installed}",
                version=beginning.rules_version,
                game=game.name,
                installed=game.rules_version,
            )
        )
    return game
