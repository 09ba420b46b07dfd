"""A match told ply by ply, as it is played or from its replay.

The position is followed by applying each action with the outcomes of chance that came with it; no seed is needed.
"""

from __future__ import annotations

from dataclasses import replace

from arena.model.live import LiveEnd, LiveMove, LiveStart, MatchEvent
from arena.story.clocks import Clocks
from arena.story.errors import StoryError
from arena.story.frames import Finish, Frame
from arena.story.positions import PositionTracker
from arena.story.public_positions import PublicPositions
from engine.abilities import Move, View
from engine.core import AbilityError, State
from engine.picture import Picture
from engine.text import Text


class Story:
    """All that can be told of a match so far. `frames[n]` is the position after n plies."""

    __slots__ = (
        "_clocks",
        "_parts",
        "_public",
        "_tracker",
        "draws",
        "evaluates",
        "finish",
        "frames",
        "game",
        "language",
        "start",
    )

    def __init__(
        self,
        start: LiveStart,
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
        self.start = start
        self.language = language
        self._tracker = PositionTracker(start)
        self.game = self._tracker.game
        self._public = PublicPositions(self.game, len(start.bots)) if hides else None
        self.finish: Finish | None = None
        self._clocks = Clocks(start.clock, len(start.bots))
        self.draws = draws
        self.evaluates = evaluates
        self._parts: dict[str, str] = {}
        self.frames = [self._frame(-1, None)]

    @property
    def state(self) -> State:
        """Return the position after the last ply, without what is hidden if that is not told. Do not change it."""
        state = self._tracker.state
        return state if self._public is None else self._public.of(state)

    @property
    def called(self) -> tuple[str, ...]:
        """Return how the game calls each seat."""
        name = self.game.shown.seat_name
        return tuple(name(seat, self.language) for seat in range(len(self.start.bots)))

    def play(self, played: LiveMove) -> Frame:
        """Return the frame of the next ply. Raises StoryError if it does not fit."""
        if self.finish is not None:
            raise StoryError(
                Text(
                    "story.ply_seat_does_not_follow",
                    "ply {ply} of seat {seat} does not follow ply {last}",
                    ply=played.ply,
                    seat=played.seat,
                    last=len(self.frames) - 2,
                )
            )
        move = self._tracker.apply(played)
        if self._public is not None:
            move = self._public.of_move(move)
        if played.charged_us is not None:
            self._clocks.charge(played.seat, played.charged_us)
        told = replace(
            self._frame(played.ply, move),
            seat=played.seat,
            bot=self.start.bots[played.seat],
            action=move.notation,
            words=tuple(self.game.shown.tell(move, self.language)),
            chance=tuple(move.chance),
            by=played.by,
            elapsed_us=played.elapsed_us,
            charged_us=played.charged_us,
            note=played.note or "",
        )
        self.frames.append(told)
        return told

    def end(self, end: LiveEnd) -> Finish:
        """Return how it ended, and note faults with the plies at which they happened."""
        scoring = tuple(self.game.shown.scoring(self.state, self.language)) if end.by_rules else ()
        self.finish = Finish(end, scoring)
        last = len(self.frames) - 1
        for fault in end.faults:
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
        view = View(self.language, None, self.start.bots, move)
        try:
            drawn = self.game.shown.picture(self.state, view)
        except AbilityError:
            return None
        return replace(drawn, parts=tuple(self._parts.setdefault(part, part) for part in drawn.parts))


def follow(
    story: Story | None, event: MatchEvent, language: str = "en", *, draws: bool = True, hides: bool = False
) -> Story:
    """Return the story with one more event; the first, a start, begins it, and the others change `story` itself.

    `draws` and `hides` are those of the story that begins. Raises StoryError if the match cannot be followed here, or
    the event does not follow the last.
    """
    if event.start is not None:
        return Story(event.start, language, draws=draws, hides=hides)
    if story is None:
        raise StoryError(Text("story.match_told_start", "a match is told from its start on"))
    if event.move is not None:
        story.play(event.move)
    elif event.end is not None:
        story.end(event.end)
    return story
