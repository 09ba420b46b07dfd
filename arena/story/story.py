"""A match told ply by ply, as it is played or from its replay.

The position is followed by applying each action with the outcomes of chance that came with it; no seed is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arena.story.clocks import Clocks
from arena.story.facts import Beginning, Ending, Ply, StoryError
from arena.story.frames import Finish, Frame
from engine import registry
from engine.abilities import Move, View
from engine.chance import ScriptedChance, ScriptError
from engine.core import AbilityError, EngineError, Game, State
from engine.picture import Picture


class Story:
    """All that can be told of a match so far. `frames[n]` is the position after n plies."""

    __slots__ = (
        "_chance",
        "_clocks",
        "_parts",
        "_state",
        "beginning",
        "draws",
        "finish",
        "frames",
        "game",
        "language",
    )

    def __init__(self, beginning: Beginning, language: str = "en", *, draws: bool = True) -> None:
        """Begin with the start of a match. While `draws` is false no picture is made.

        Raises StoryError if its game is not installed here with its rules.
        """
        self.beginning = beginning
        self.language = language
        self.game = _installed(beginning)
        self.finish: Finish | None = None
        self._chance = ScriptedChance(beginning.chance)
        self._clocks = Clocks(beginning.clock, len(beginning.names))
        self.draws = draws
        self._parts: dict[str, str] = {}
        try:
            options = self.game.parse_options(beginning.options)
            self._state = self.game.new_state(len(beginning.names), options, self._chance)
        except (EngineError, ScriptError) as error:
            raise StoryError(f"the match cannot be played again: {error}") from error
        self.frames = [self._frame(-1, None)]

    @property
    def state(self) -> State:
        """Return the position after the last ply. Do not change it."""
        return self._state

    @property
    def called(self) -> tuple[str, ...]:
        """Return how the game calls each seat."""
        name = self.game.shown.seat_name
        return tuple(name(seat, self.language) for seat in range(len(self.beginning.names)))

    def play(self, ply: Ply) -> Frame:
        """Return the frame of the next ply. Raises StoryError if it does not fit."""
        move = self._apply(ply)
        if ply.charged_us is not None:
            self._clocks.charge(ply.seat, ply.charged_us)
        told = replace(
            self._frame(ply.ply, move),
            seat=ply.seat,
            bot=self.beginning.names[ply.seat],
            action=move.notation,
            words=tuple(self.game.shown.tell(move, self.language)),
            chance=tuple(move.chance),
            by=ply.by,
            elapsed_us=ply.elapsed_us,
            charged_us=ply.charged_us,
            note=ply.note,
        )
        self.frames.append(told)
        return told

    def end(self, ending: Ending) -> Finish:
        """Return how it ended, and note faults with the plies at which they happened."""
        scoring = tuple(self.game.shown.scoring(self._state, self.language)) if ending.by_rules else ()
        self.finish = Finish(ending, scoring)
        last = len(self.frames) - 1
        for fault in ending.faults:
            place = min(max(fault.ply, 0) + 1, last)
            self.frames[place] = replace(self.frames[place], faults=(*self.frames[place].faults, fault))
        return self.finish

    def _apply(self, ply: Ply) -> Move:
        before = self._state
        if ply.ply != len(self.frames) - 1 or ply.seat != before.seat() or self.finish is not None:
            raise StoryError(f"ply {ply.ply} of seat {ply.seat} does not follow ply {len(self.frames) - 2}")
        self._chance.extend(ply.chance)
        after = before.clone(self._chance)
        try:
            after.apply(ply.action)
        except (EngineError, ScriptError) as error:
            raise StoryError(f"the match cannot be played again: ply {ply.ply}: {error}") from error
        self._state = after
        return Move(before, ply.action, self.game.actions.format(ply.action), ply.seat, after, after.revealed())

    def _frame(self, ply: int, move: Move | None) -> Frame:
        state, playable = self._state, self.game.playable
        picture = self._picture(move) if self.draws else None
        is_text = self.draws and picture is None
        return Frame(
            ply,
            state.seat(),
            remaining_us=self._clocks.left_us,
            turn=None if playable is None else playable.turns_played(state),
            values=None if playable is None else tuple(playable.evaluate_all(state)),
            picture=picture,
            text=self.game.shown.text(state, None, self.language) if is_text else "",
        )

    def _picture(self, move: Move | None) -> Picture | None:
        view = View(self.language, None, self.beginning.names, move)
        try:
            drawn = self.game.shown.picture(self._state, view)
        except AbilityError:
            return None
        return replace(drawn, parts=tuple(self._parts.setdefault(part, part) for part in drawn.parts))


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


def tell(beginning: Beginning, plies: Sequence[Ply], ending: Ending | None, language: str, *, draws: bool) -> Story:
    """Return the story of plies that are known already. Raises StoryError."""
    story = Story(beginning, language, draws=draws)
    for ply in plies:
        story.play(ply)
    if ending is not None:
        story.end(ending)
    return story
