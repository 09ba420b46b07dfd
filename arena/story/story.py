"""A match told ply by ply, as it is played or from its replay.

The position is followed by applying each action with the outcomes of chance that came with it; no seed is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arena.story.clocks import Clocks
from arena.story.course import Course
from arena.story.facts import Beginning, Ending, Ply, StoryError
from arena.story.frames import Finish, Frame
from arena.story.seen import SeenByAll
from engine.abilities import Move, View
from engine.core import AbilityError, State
from engine.picture import Picture
from engine.text import Text


class Story:
    """All that can be told of a match so far. `frames[n]` is the position after n plies."""

    __slots__ = (
        "_clocks",
        "_course",
        "_parts",
        "_seen",
        "beginning",
        "draws",
        "evaluates",
        "finish",
        "frames",
        "game",
        "language",
    )

    def __init__(
        self,
        beginning: Beginning,
        language: str = "en",
        *,
        draws: bool = True,
        evaluates: bool = True,
        hides: bool = False,
    ) -> None:
        """Begin with the start of a match. While `draws` is false no picture is made.

        While `evaluates` is false neither the turn nor the value of a position is told.

        With `hides` everything is told of what all seats see, whatever the game would make of the whole position.
        Raises StoryError if its game is not installed here with its rules, or cannot be told so.
        """
        self.beginning = beginning
        self.language = language
        self._course = Course(beginning)
        self.game = self._course.game
        self._seen = SeenByAll(self.game, len(beginning.names)) if hides else None
        self.finish: Finish | None = None
        self._clocks = Clocks(beginning.clock, len(beginning.names))
        self.draws = draws
        self.evaluates = evaluates
        self._parts: dict[str, str] = {}
        self.frames = [self._frame(-1, None)]

    @property
    def state(self) -> State:
        """Return the position after the last ply, without what is hidden if that is not told. Do not change it."""
        state = self._course.state
        return state if self._seen is None else self._seen.of(state)

    @property
    def called(self) -> tuple[str, ...]:
        """Return how the game calls each seat."""
        name = self.game.shown.seat_name
        return tuple(name(seat, self.language) for seat in range(len(self.beginning.names)))

    def play(self, ply: Ply) -> Frame:
        """Return the frame of the next ply. Raises StoryError if it does not fit."""
        if self.finish is not None:
            raise StoryError(
                Text(
                    "story.ply_seat_does_not_follow",
                    "ply {ply} of seat {seat} does not follow ply {last}",
                    ply=ply.ply,
                    seat=ply.seat,
                    last=len(self.frames) - 2,
                )
            )
        move = self._course.apply(ply)
        if self._seen is not None:
            move = self._seen.of_move(move)
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
        scoring = tuple(self.game.shown.scoring(self.state, self.language)) if ending.by_rules else ()
        self.finish = Finish(ending, scoring)
        last = len(self.frames) - 1
        for fault in ending.faults:
            place = min(max(fault.ply, 0) + 1, last)
            self.frames[place] = replace(self.frames[place], faults=(*self.frames[place].faults, fault))
        return self.finish

    def _frame(self, ply: int, move: Move | None) -> Frame:
        state, playable = self.state, self.game.playable if self.evaluates else None
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
            drawn = self.game.shown.picture(self.state, view)
        except AbilityError:
            return None
        return replace(drawn, parts=tuple(self._parts.setdefault(part, part) for part in drawn.parts))


def tell(
    beginning: Beginning, plies: Sequence[Ply], ending: Ending | None, language: str, *, draws: bool, evaluates: bool
) -> Story:
    """Return the story of plies that are known already. Raises StoryError."""
    story = Story(beginning, language, draws=draws, evaluates=evaluates)
    for ply in plies:
        story.play(ply)
    if ending is not None:
        story.end(ending)
    return story
