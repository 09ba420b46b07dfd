"""A playing as plain data, and its replay. No I/O.

A `Playing` is a game under way that remembers what happened; its `record()` needs no generator to be played again:
every chance outcome stands in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from engine import registry
from engine.chance import Chance, RecordingChance, ScriptedChance, ScriptError
from engine.core import EngineError, Game, Reveal, State
from engine.value_class import value_class

UNKNOWN_ACTION: Final = -1
"""What stands for an action of another seat that a seat may not know."""


class RecordError(EngineError, ValueError):
    """The record is not a playing of its game: `ply` tells where it breaks."""

    def __init__(self, message: str, ply: int) -> None:
        super().__init__(message)
        self.ply = ply


@dataclass(frozen=True, slots=True)
class PlayRecord:
    """What happened: game and rules version, options, number of seats, action ids, chance outcomes in order.

    `chance_plies` tells for each outcome which action caused it: its ply, -1 for what was drawn before the first one.
    """

    game: str
    rules_version: str
    seats: int
    options: Mapping[str, Any]
    actions: tuple[int, ...]
    chance: tuple[tuple[int, ...], ...]
    chance_plies: tuple[int, ...] | None = None
    """None in records that do not tell."""

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON; `from_json` is the inverse."""
        return {
            "game": self.game,
            "rules_version": self.rules_version,
            "seats": self.seats,
            "options": dict(self.options),
            "actions": list(self.actions),
            "chance": [list(outcome) for outcome in self.chance],
            **({} if self.chance_plies is None else {"chance_plies": list(self.chance_plies)}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PlayRecord:
        """Return the record that `to_json` wrote. Raises RecordError."""
        try:
            return cls(
                game=str(data["game"]),
                rules_version=str(data["rules_version"]),
                seats=int(data["seats"]),
                options=dict(data["options"]),
                actions=tuple(int(action) for action in data["actions"]),
                chance=tuple(tuple(int(value) for value in outcome) for outcome in data["chance"]),
                chance_plies=tuple(int(ply) for ply in data["chance_plies"]) if "chance_plies" in data else None,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(f"not a record: {error!r}", 0) from error


@value_class
class Event:
    """One applied action and the public chance outcomes that followed it."""

    ply: int
    seat: int
    action: int
    forced: bool
    reveals: tuple[Reveal, ...]
    hidden_from: tuple[int, ...] = ()
    """The seats that may not know which action it was."""

    def seen_by(self, seat: int | None) -> Event:
        """Return the event as a seat, or a spectator (None), may see it: with `UNKNOWN_ACTION` for a hidden action."""
        is_hidden = bool(self.hidden_from) if seat is None else seat in self.hidden_from
        return replace(self, action=UNKNOWN_ACTION, hidden_from=()) if is_hidden else self


class Playing:
    """A game under way: the state, and all that happened since its start."""

    __slots__ = ("_chance", "chance_plies", "events", "game", "options", "seats", "state")

    def __init__(self, game: Game, seats: int, options: Any, chance: Chance) -> None:
        """Start a playing. Raises SeatsError if the game is not played by that many seats."""
        self.game = game
        self.seats = seats
        self.options = options
        self._chance = RecordingChance(chance)
        self.state: State = game.new_state(seats, options, self._chance)
        self.events: list[Event] = []
        self.chance_plies: list[int] = [-1] * len(self._chance.outcomes)
        """For each outcome of `chance_outcomes` the ply of the action that caused it; -1 before the first."""

    @property
    def ply(self) -> int:
        """Return the ply of the next action, which is how many were applied."""
        return len(self.events)

    @property
    def chance_outcomes(self) -> Sequence[Sequence[int]]:
        """Return all chance outcomes so far, hidden ones too."""
        return self._chance.outcomes

    def apply(self, action: int) -> Event:
        """Apply a legal action and remember it. Raises like `State.apply`, nothing changed then."""
        state = self.state
        seat = state.seat()
        forced = len(state.legal_actions()) == 1
        state.apply(action)
        event = Event(
            len(self.events),
            -1 if seat is None else seat,
            action,
            forced,
            tuple(state.revealed()),
            tuple(state.hides_action_from()),
        )
        self.chance_plies += [event.ply] * (len(self._chance.outcomes) - len(self.chance_plies))
        self.events.append(event)
        return event

    def visible_events(self, seat: int | None, since_ply: int) -> Sequence[Event]:
        """Return what `seat` (None: a spectator) may see from `since_ply` on: actions, dice and cards, no shuffle.

        `State.revealed` holds only what all may see; `State.hides_action_from` tells who may not know of an action.
        """
        return [event.seen_by(seat) for event in self.events[since_ply:]]

    def record(self) -> PlayRecord:
        """Return all that happened so far, as data."""
        return PlayRecord(
            game=self.game.name,
            rules_version=self.game.rules_version,
            seats=self.seats,
            options=self.game.options_json(self.options),
            actions=tuple(event.action for event in self.events),
            chance=tuple(tuple(outcome) for outcome in self._chance.outcomes),
            chance_plies=tuple(self.chance_plies),
        )


def replay(record: PlayRecord, game: Game | None = None) -> Playing:
    """Play a record again, every action checked; `game` None is the installed one of that name.

    Raises RecordError naming the ply at which it breaks.
    """
    game = registry.get(record.game) if game is None else game
    if record.rules_version != game.rules_version:
        raise RecordError(
            f"recorded with rules version {record.rules_version} of {game.name}; installed is {game.rules_version}", 0
        )
    script = ScriptedChance(record.chance)
    ply = 0
    try:
        playing = Playing(game, record.seats, game.parse_options(record.options), script)
        for ply, action in enumerate(record.actions):  # noqa: B007 - read by the handler below
            playing.apply(action)
    except (EngineError, ScriptError) as error:
        raise RecordError(f"ply {ply}: {error}", ply) from error
    if script.remaining:
        raise RecordError(f"{script.remaining} chance outcomes are left over", len(record.actions))
    if record.chance_plies is not None and record.chance_plies != tuple(playing.chance_plies):
        raise RecordError("the chance outcomes belong to other actions than the record says", len(record.actions))
    return playing
