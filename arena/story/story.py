"""A match told ply by ply, as it is played or from its replay: its frames, its positions, and what all seats may see.

The position is followed by applying each action with the outcomes of chance that came with it; no seed is needed.
No I/O.

A story is told from the events of a match as whoever watches it gets them (`arena.model.live`), the same for a match
under way and for a replay. Where a position is drawn from hidden chance, such as the order of a pile, their outcomes
hold it, and a story needs it; both are shown only to those who may see them. A story passes on what is public alone:
what chance revealed (`State.revealed`), and pictures, words and values that no game makes from what is hidden.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from arena.match.time_control import TimeControl
from arena.model.live import LiveEnd, LiveMove, LiveStart, MatchEvent
from arena.model.matches import FaultFact
from arena.story.errors import StoryError
from engine import registry
from engine.abilities import Move, ScoringStep, View
from engine.chance import ScriptedChance, ScriptError
from engine.core import AbilityError, EngineError, Game, Reveal, State
from engine.picture import Picture
from engine.translatable import Text


@dataclass(frozen=True, slots=True)
class Frame:
    """A position, and the ply that led to it. The first frame is the start, which no ply led to."""

    ply: int
    """-1 for the start."""
    decider: int | None
    """The seat that decides next; None at the end of the game."""
    seat: int | None = None
    """Who acted; None for the start, as all that follows is empty then."""
    bot: str = ""
    action: str = ""
    """In the notation of the game."""
    words: tuple[str, ...] = ()
    """What happened, in whole sentences, chance included."""
    chance: tuple[Reveal, ...] = ()
    """What all could see of chance: dice, cards."""
    by: str = ""
    """Who chose the action: "bot", "forced" (there was no other), "opening", "caretaker"."""
    elapsed_us: int | None = None
    charged_us: int | None = None
    note: str = ""
    remaining_us: tuple[int, ...] | None = None
    """What is left in each seat's bank after the ply; None if the match has none."""
    faults: tuple[FaultFact, ...] = ()
    """What went wrong right before the ply, or behind the last one."""
    turn: int | None = None
    """How many turns are over; None where the game counts none."""
    values: tuple[float, ...] | None = None
    """How good the position is for each seat, from 0 to 1; None where the game cannot tell."""
    picture: Picture | None = None
    """None if none was asked for, or the game draws none."""
    text: str = ""
    """The position as text, if a picture was asked for and the game draws none."""


@dataclass(frozen=True, slots=True)
class Finish:
    """How a match ended, and how it was scored."""

    end: LiveEnd
    scoring: tuple[ScoringStep, ...]
    """Empty unless the game came to its own end and has a final scoring."""


class Story:
    """A match so far, as it is shown. `frames[n]` is the position after n plies."""

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
        self, start: LiveStart, language: str = "en", *, draws: bool = True, evaluates: bool = True, hides: bool = False
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
            words=tuple(self.game.shown.describe(move, self.language)),
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
        raise StoryError(Text("a match is told from its start on"))
    if event.move is not None:
        story.play(event.move)
    elif event.end is not None:
        story.end(event.end)
    return story


class PositionTracker:
    """The position of one match, found from its actions: `state` is that after `plies` of them."""

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
            raise StoryError(Text("the match cannot be played again: {why}", why=error)) from error

    def apply(self, move: LiveMove) -> Move:
        """Play the next ply and return what it did; no position that was returned before changes by it.

        Raises StoryError if the ply does not fit.
        """
        before = self.state
        if move.ply != self.plies or move.seat != before.seat():
            raise StoryError(
                Text(
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
                Text("the match cannot be played again: ply {ply}: {why}", ply=move.ply, why=error)
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
                "it was played by version {version} of the rules of {game}; installed is {installed}",
                version=start.rules_version,
                game=game.name,
                installed=game.rules_version,
            )
        )
    return game


class PublicPositions:
    """Shows the positions of one match without what is hidden, as the referee would send them to any seat."""

    __slots__ = ("_game", "_last", "_seats")

    def __init__(self, game: Game, seats: int) -> None:
        self._game = game
        self._seats = seats
        self._last: tuple[State, State] | None = None

    def of(self, state: State) -> State:
        """Return what all seats see of a position. Raises StoryError where they see different things."""
        if not self._game.has_hidden_information:
            return state
        if self._last is None or self._last[0] is not state:
            sent = {self._game.encode_observation(state, seat)[1] for seat in range(self._seats)}
            if len(sent) > 1:
                raise StoryError(
                    Text(
                        "{game} shows each seat something else; the match is shown when it is over",
                        game=self._game.name,
                    )
                )
            self._last = state, self._game.observed(sent.pop()).state
        return self._last[1]

    def of_move(self, move: Move) -> Move:
        """Return a move as all seats see it. Raises StoryError where they see different things."""
        before, after = self.of(move.before), self.of(move.after)
        return replace(move, before=before, after=after)


class Clocks:
    """What is left in the banks of all seats: the same sums as `arena.match.match.Match` makes."""

    __slots__ = ("_control", "_left_us")

    def __init__(self, clock: Mapping[str, Any], seats: int) -> None:
        self._control = TimeControl.from_json(clock)
        self._left_us = [self._control.bank_us] * seats

    def charge(self, seat: int, charged_us: int) -> None:
        """Take the charge of an answer from a bank, and add its increment."""
        self._left_us[seat] = max(self._left_us[seat] - charged_us, 0) + self._control.increment_us

    @property
    def left_us(self) -> tuple[int, ...] | None:
        """Return what is left, seat by seat; None if no decision draws on a bank."""
        return tuple(self._left_us) if self._control.has_bank else None
