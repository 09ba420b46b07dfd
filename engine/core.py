"""What a game must give to everything that plays it. Standard library only, no I/O.

A `Game` is the rules; a `State` is one position of one playing. Actions are small integers from the game's fixed
`ActionTable`. What a game may give besides is in `engine.abilities`; `engine.errors` may be imported from here, too.
"""

from __future__ import annotations

from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self

from engine.chance import Chance
from engine.errors import (
    AbilityError,
    EngineError,
    GameOverError,
    IllegalActionError,
    InvariantError,
    NotationError,
    OptionsError,
    PositionError,
    SeatsError,
    UnknownGameError,
)
from engine.mypyc_support import mypyc_attr, refuse_unfinished
from engine.translatable import Text

__all__ = [
    "AbilityError",
    "EngineError",
    "GameOverError",
    "IllegalActionError",
    "InvariantError",
    "NotationError",
    "OptionsError",
    "PositionError",
    "SeatsError",
    "UnknownGameError",
]

if TYPE_CHECKING:
    from engine.abilities import Playable, Shown, Tools
    from engine.features import Featured


@mypyc_attr(native_class=False)
@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game by its rules.

    `ranks[seat]` is 1 + the number of strictly better seats (1, 1, 3 for a tie at the top). `details` is what the
    game adds (scores, why it ended), ready for JSON; its keys are documented by the game.
    """

    ranks: tuple[int, ...]
    details: Mapping[str, Any] = field(default_factory=dict)


@mypyc_attr(native_class=False)
@dataclass(frozen=True, slots=True)
class Reveal:
    """One public outcome of chance: a kind of the game's own (`"d6"`, `"card"`) and its values."""

    kind: str
    values: tuple[int, ...]


@mypyc_attr(allow_interpreted_subclasses=True)
class ActionTable:
    """The fixed numbering of a game's actions: id <-> notation, `names[id]` being the only spelling of an id."""

    __slots__ = ("_ids", "names")

    def __init__(self, names: Sequence[str]) -> None:
        """Number `names` from 0. Raises ValueError if two are equal or one is not printable ASCII."""
        self.names: tuple[str, ...] = tuple(names)
        self._ids = {name: index for index, name in enumerate(self.names)}
        if len(self._ids) != len(self.names):
            raise ValueError("two actions share one notation")
        if not all(name.isascii() and name.isprintable() and name for name in self.names):
            raise ValueError("notation is printable ASCII")

    def __len__(self) -> int:
        return len(self.names)

    def format(self, action: int) -> str:
        """Return the notation of an action id. Raises NotationError outside 0..len-1."""
        if not 0 <= action < len(self.names):
            raise NotationError(
                Text("no action has the id {action}; ids are 0..{last}", action=action, last=len(self.names) - 1)
            )
        return self.names[action]

    def parse(self, text: str) -> int:
        """Return the id of a notation that is spelled exactly as `format` writes it. Raises NotationError."""
        action = self._ids.get(text)
        if action is None:
            raise NotationError(
                Text("no action is written {text}", text=repr(text if len(text) <= 40 else text[:40] + "..."))
            )
        return action


class OptionTable(Protocol):
    """The options of a game; `engine.kit.options` makes one from declarations."""

    def parse(self, values: Mapping[str, Any]) -> Any:
        """Return validated options, a frozen dataclass; values may be texts. Raises OptionsError naming the option."""

    def to_json(self, options: Any) -> dict[str, Any]:
        """Return every option with its value, ready for JSON; `parse` is the inverse."""

    def schema(self) -> dict[str, Any]:
        """Return a JSON Schema object: every option with its values, default and description."""


@mypyc_attr(allow_interpreted_subclasses=True)
class State(metaclass=ABCMeta):
    """A position: mutable, compact, cheap to clone. Searches clone it and apply to the clone."""

    __slots__ = ()

    @classmethod
    def __init_subclass__(cls, **meanings: Any) -> None:
        super().__init_subclass__(**meanings)
        refuse_unfinished(cls, State)

    @abstractmethod
    def seat(self) -> int | None:
        """Return the seat that must decide, or None when the game is over."""
        raise NotImplementedError

    @abstractmethod
    def legal_actions(self) -> Sequence[int]:
        """Return the legal ids, ascending and distinct; empty only after the end. Do not change what is returned."""
        raise NotImplementedError

    @abstractmethod
    def is_legal(self, action: int) -> bool:
        """Tell whether `action` (any int) may be applied now; cheaper than searching `legal_actions`."""
        raise NotImplementedError

    @abstractmethod
    def apply_unchecked(self, action: int) -> None:
        """Advance by a legal action, without a check. An illegal one leaves the state undefined."""
        raise NotImplementedError

    def apply(self, action: int) -> None:
        """Advance by an action. Raises GameOverError or IllegalActionError and then leaves the state untouched."""
        if not self.is_legal(action):
            if self.seat() is None:
                raise GameOverError(f"action {action} after the end of the game")
            raise IllegalActionError(f"action {action} is not legal here; legal are {list(self.legal_actions())}")
        self.apply_unchecked(action)

    @abstractmethod
    def clone(self, chance: Chance | None = None) -> Self:
        """Return an independent copy that draws from `chance` or a stream of its own, never from the original's."""
        raise NotImplementedError

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Return the result by the rules, or None before the end."""
        raise NotImplementedError

    @abstractmethod
    def caretaker_action(self) -> int:
        """Return the legal action by which a forfeited seat is played on (the game's caretaker rule)."""
        raise NotImplementedError

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the complete position as JSON, hidden parts included; `Game.state_from_json` is the inverse."""
        raise NotImplementedError

    def observation_json(self, seat: int) -> dict[str, Any]:
        """Return what `seat` may see of the position, as JSON: all of it unless the game hides something."""
        del seat
        return self.to_json()

    def revealed(self) -> Sequence[Reveal]:
        """Return the public chance outcomes of the last applied action, in order."""
        return ()

    def hides_action_from(self) -> Sequence[int]:
        """Return the seats that may not know which action was applied last: none unless the game hides actions."""
        return ()

    def __eq__(self, other: object) -> bool:
        """Tell whether both are the same position under the same options, hidden parts included.

        Having this and no `__hash__`, positions, which change, cannot be hashed.
        """
        return isinstance(other, State) and type(self) is type(other) and self.to_json() == other.to_json()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.to_json()}>"


@mypyc_attr(native_class=False)
@dataclass(frozen=True, slots=True)
class Observation:
    """What one seat saw of a position, as it was read from the wire.

    `state` looks to `seat` like what was sent, with what is hidden in a fixed order. Do not change it; copies to search
    in are given by `engine.abilities.Playable.determinize`.
    """

    state: State
    seat: int

    def to_json(self) -> dict[str, Any]:
        """Return what `State.observation_json` of the position that was sent would."""
        return self.state.observation_json(self.seat)


@mypyc_attr(native_class=False)
class Game(ABC):
    """The rules of a game. One instance a game, found by `engine.registry`; its module's docstring is the manual."""

    name: str
    """Folder name, id on the wire and on the command line."""
    title: str
    """Name for people, in English."""
    rules_version: str
    """Changes with behaviour, never with refactoring; stands in every record."""
    seats: range
    """The numbers of seats it can be played with."""
    actions: ActionTable
    options: OptionTable
    """What can be chosen for a match; `engine.kit.options.NO_OPTIONS` if nothing can."""
    max_plies: int
    """No playing has more plies than this."""
    has_chance: bool = False
    """Whether dice, cards or draws take part."""
    has_hidden_information: bool = False
    """Whether some seat may not see some part of the position."""

    @abstractmethod
    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> State:
        """Return the initial position. `options` None means the defaults; `chance` None an unseeded stream.

        Raises SeatsError if the game is not played by that many.
        """

    @abstractmethod
    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> State:
        """Return the position that `State.to_json` described. Raises PositionError naming the key that is wrong."""

    @abstractmethod
    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        """Return what `seat` may see, for the wire: full protobuf message name and serialized message."""

    @abstractmethod
    def observed(self, message: bytes) -> Observation:
        """Return what the bytes of `encode_observation` show. Raises PositionError if they show no position."""

    @property  # What a game may give besides is loaded when asked for: a search imports no drawing, for example.
    def playable(self) -> Playable | None:
        """Return how bots that know nothing else of the game search it; None if only its own bots play it."""
        return None

    @property
    def featured(self) -> Featured | None:
        """Return how programs that learn see positions, as numbers; None if it does not say."""
        return None

    @property
    def shown(self) -> Shown:
        """Return how people see positions and actions: by default as JSON and notation, without a picture."""
        from engine.abilities import plainly_shown

        return plainly_shown(self.actions)

    @property
    def tools(self) -> Tools:
        """Return extra commands of this game by name; each takes its arguments and returns an exit code."""
        return {}

    def stale_files(self) -> Sequence[str]:
        """Return what is out of date among the files made from the game's declarations, each with its remedy."""
        return ()

    def begin_at(self, position: str | Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[int]] | None:
        """Return options and actions with which a match comes to a position; None if the game cannot set it up.

        The position is a text that people write, or JSON. Raises PositionError if it is wrong.
        """
        del position
        return None

    def asked_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options as JSON without those that `begin_at` alone sets: matches of one pool share them."""
        asked = self.options_schema()["properties"]
        return {name: value for name, value in options.items() if name in asked}

    def for_match(self, options: Mapping[str, Any]) -> Game:
        """Return what reads the observations of a match with these options as JSON: mostly the game itself."""
        del options
        return self

    def opening_plies(self, seats: int) -> int:
        """Return how many uniformly random plies start a match by default: about one round of turns; 0 with chance."""
        return 0 if self.has_chance else seats

    def parse_options(self, values: Mapping[str, Any]) -> Any:
        """Return validated options, defaults filled in. Values may be texts. Raises OptionsError."""
        return self.options.parse(values)

    def options_json(self, options: Any) -> dict[str, Any]:
        """Return all options with their values, JSON-ready; `parse_options` is the inverse."""
        return self.options.to_json(options)

    def options_schema(self) -> dict[str, Any]:
        """Return a JSON Schema object: every option with its values, default and description."""
        return self.options.schema()

    @property
    def only_seats(self) -> int | None:
        """The number of seats of every match, or `None` if there is a choice."""
        return self.seats[0] if len(self.seats) == 1 else None

    def need_only_seats(self) -> int:
        """Return the number of seats of every match. Raises SeatsError if there is a choice."""
        if self.only_seats is None:
            raise SeatsError(
                Text(
                    "{name} is played by {least} to {most} seats, so the number must be given",
                    name=self.name,
                    least=self.seats[0],
                    most=self.seats[-1],
                )
            )
        return self.only_seats

    def check_seats(self, seats: int) -> None:
        """Raise SeatsError unless the game is played by that many seats."""
        if seats not in self.seats:
            raise SeatsError(
                Text("{name} is always played by {only} seats, not {seats}", name=self.name, only=only, seats=seats)
                if (only := self.only_seats) is not None
                else Text(
                    "{name} is played by {least} to {most} seats, not {seats}",
                    name=self.name,
                    least=self.seats[0],
                    most=self.seats[-1],
                    seats=seats,
                )
            )
