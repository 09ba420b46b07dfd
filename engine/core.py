"""The whole contract between a game and everything that plays it. Standard library only, no I/O.

A `Game` is the rules; a `State` is one position of one playing. Actions are small integers from the game's fixed
`ActionTable`. Errors:

    EngineError
    ├── IllegalActionError    an action that the position does not allow; the state is untouched
    ├── GameOverError         an action after the end
    ├── NotationError         a text that names no action
    ├── OptionsError          unknown option, or a value it does not take
    ├── SeatsError            a number of seats the game does not have
    ├── PositionError         JSON that describes no position of this game
    ├── InvariantError        a position that no play can come to: a bug of the rules
    └── UnknownGameError      no such game is installed
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Self

from engine.chance import Chance


class EngineError(Exception):
    """The root of everything this package raises on purpose."""


class IllegalActionError(EngineError, ValueError):
    """The action is not legal in this position."""


class GameOverError(EngineError, ValueError):
    """The game has ended; nobody may act."""


class NotationError(EngineError, ValueError):
    """The text is not the notation of any action."""


class OptionsError(EngineError, ValueError):
    """An unknown option, or a value the option does not take."""


class SeatsError(EngineError, ValueError):
    """The game is not played by that many seats."""


class PositionError(EngineError, ValueError):
    """The JSON does not describe a position of this game."""


class InvariantError(EngineError, AssertionError):
    """A position breaks what holds in all play: a bug of the rules, not of a bot."""


class UnknownGameError(EngineError, LookupError):
    """No game of that name is installed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game by its rules.

    `ranks[seat]` is 1 + the number of strictly better seats (1, 1, 3 for a tie at the top). `details` is what the
    game adds (scores, why it ended), ready for JSON; its keys are documented by the game.
    """

    ranks: tuple[int, ...]
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reveal:
    """One public outcome of chance: a kind of the game's own (`"d6"`, `"card"`) and its values."""

    kind: str
    values: tuple[int, ...]


class ActionTable:
    """The fixed numbering of a game's actions: id <-> notation, `names[id]` being the only spelling of an id."""

    __slots__ = ("_ids", "names")

    names: tuple[str, ...]
    _ids: dict[str, int]

    def __init__(self, names: Sequence[str]) -> None:
        """Number `names` from 0. Raises ValueError if two are equal or one is not printable ASCII."""
        self.names = tuple(names)
        self._ids = {name: index for index, name in enumerate(self.names)}
        if len(self._ids) != len(self.names):
            raise ValueError("two actions share one notation")
        if not all(name.isascii() and name.isprintable() and name for name in self.names):
            raise ValueError("notation is printable ASCII")

    def __len__(self) -> int:
        return len(self.names)

    def format(self, action: int) -> str:
        """The notation of an action id. Raises NotationError outside 0..len-1."""
        if not 0 <= action < len(self.names):
            raise NotationError(f"no action has the id {action}; ids are 0..{len(self.names) - 1}")
        return self.names[action]

    def parse(self, text: str) -> int:
        """The id of a notation, exactly as `format` writes it. Raises NotationError."""
        action = self._ids.get(text)
        if action is None:
            shown = text if len(text) <= 40 else f"{text[:40]}..."
            raise NotationError(f"no action is written {shown!r}")
        return action


class State(ABC):
    """A position: mutable, compact, cheap to clone. Searches clone it and apply to the clone."""

    __slots__ = ()

    @abstractmethod
    def seat(self) -> int | None:
        """The seat that must decide; None when the game is over."""

    @abstractmethod
    def legal_actions(self) -> Sequence[int]:
        """The legal ids, ascending and distinct; never empty before the end, empty after it. Do not change it."""

    @abstractmethod
    def is_legal(self, action: int) -> bool:
        """Whether `action` (any int) may be applied now; cheaper than searching `legal_actions`."""

    @abstractmethod
    def apply_unchecked(self, action: int) -> None:
        """Advance by a legal action, without a check. An illegal one leaves the state undefined."""

    def apply(self, action: int) -> None:
        """Advance by an action. Raises GameOverError or IllegalActionError and then leaves the state untouched."""
        if not self.is_legal(action):
            if self.seat() is None:
                raise GameOverError(f"action {action} after the end of the game")
            raise IllegalActionError(f"action {action} is not legal here; legal are {list(self.legal_actions())}")
        self.apply_unchecked(action)

    @abstractmethod
    def clone(self, chance: Chance | None = None) -> Self:
        """An independent copy. It draws from `chance`, or from a stream of its own, never from the original's."""

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """The result by the rules; None before the end."""

    @abstractmethod
    def caretaker_action(self) -> int:
        """The legal action by which a forfeited seat is played on (the game's caretaker rule)."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The complete position, hidden parts included, as JSON; `Game.state_from_json` is the inverse."""

    @abstractmethod
    def observation_json(self, seat: int) -> dict[str, Any]:
        """What `seat` may see of the position, as JSON."""

    def revealed(self) -> Sequence[Reveal]:
        """The public chance outcomes of the last applied action, in order."""
        return ()

    def __eq__(self, other: object) -> bool:
        """Whether both are the same position under the same options, hidden parts included."""
        return isinstance(other, State) and type(self) is type(other) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment] # a position changes

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.to_json()}>"


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
    options_type: type[Any]
    """The frozen dataclass that `parse_options` makes."""
    max_plies: int
    """No playing has more plies than this."""
    has_chance: bool
    """Whether dice, cards or draws take part."""
    has_hidden_information: bool
    """Whether some seat may not see some part of the position."""

    @abstractmethod
    def parse_options(self, values: Mapping[str, Any]) -> Any:
        """Validated options, defaults filled in. Values may be texts. Raises OptionsError naming option and values."""

    @abstractmethod
    def options_json(self, options: Any) -> dict[str, Any]:
        """All options with their values, JSON-ready; `parse_options` is the inverse."""

    @abstractmethod
    def options_schema(self) -> dict[str, Any]:
        """A JSON Schema object: every option with its values, default and description."""

    @abstractmethod
    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> State:
        """The initial position. `options` None means the defaults; `chance` None an unseeded stream.

        Raises SeatsError if the game is not played by that many.
        """

    @abstractmethod
    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> State:
        """The position that `State.to_json` described. Raises PositionError."""

    @abstractmethod
    def evaluate(self, state: State, seat: int) -> float:
        """How good the position is for `seat`, 0 (lost) to 1 (won); exact after the end. For searching bots."""

    def evaluate_all(self, state: State, seats: int) -> tuple[float, ...]:
        """`evaluate` for each of the `seats` seats; a game overrides it where one look serves them all."""
        return tuple(self.evaluate(state, seat) for seat in range(seats))

    @abstractmethod
    def determinize(self, observation: Mapping[str, Any], rng: Random) -> State:
        """A position consistent with what a seat saw (`State.observation_json`), hidden parts drawn from `rng`."""

    def determinizer(self, observation: Mapping[str, Any]) -> Callable[[Random], State]:
        """`determinize` for one observation, to be called many times; a game overrides it to read it only once."""
        return lambda rng: self.determinize(observation, rng)

    def quick_action(self, state: State, random: Random) -> int:
        """A plausible legal action, chosen at once: how searching bots play positions out. The game is not over.

        Far cheaper than a look at every action by `evaluate`. Uniform where a game does not know better.
        """
        return random.choice(state.legal_actions())

    def turns_played(self, state: State) -> int | None:
        """How many turns are over, so that searching bots compare positions of one moment; None where nobody counts."""
        del state
        return None

    def measures(self, state: State, action: int) -> Mapping[str, float]:
        """What statistics count in `action`, about to be applied to `state`, by name: for benchmarks/samples.py."""
        del state, action
        return {}

    @abstractmethod
    def opening_plies(self, seats: int) -> int:
        """How many uniformly random plies start a match by default: about one round of turns; 0 with chance."""

    def usual_decisions(self, seats: int) -> int:
        """About how many decisions of all seats (forced ones apart) bots that know the game need for a playing.

        Only what is said of the time that play will take depends on it.
        """
        del seats
        return 100

    @property
    def variants(self) -> Sequence[Mapping[str, Any]]:
        """The sets of options that checks and measurements go round, the defaults first."""
        return ({},)

    def check_invariants(self, state: State) -> None:
        """Raise InvariantError if the position breaks what the rules say of every position (sums, limits, bounds).

        Slow and thorough: for tests and for long runs of random play. By default nothing is known, so nothing raised.
        """
        del state

    @abstractmethod
    def labels(self, language: str) -> Mapping[str, str]:
        """Names for people by language-free id, English where a language has none; ids and notation never change."""

    @property
    def languages(self) -> Sequence[str]:
        """The languages that `labels` knows."""
        return ("en",)

    @property
    def tools(self) -> Mapping[str, Callable[[Sequence[str]], int]]:
        """Extra commands of this game by name: each takes its arguments and returns an exit code."""
        return {}

    def check_seats(self, seats: int) -> None:
        """Raise SeatsError unless the game is played by that many seats."""
        if seats not in self.seats:
            raise SeatsError(f"{self.name} is played by {self.seats[0]} to {self.seats[-1]} seats, not {seats}")

    # The wire and the pictures load on demand, so that a search that needs neither imports neither.

    @abstractmethod
    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        """What `seat` may see, for the wire: full protobuf message name and serialized message."""

    @abstractmethod
    def decode_observation(self, message: bytes) -> dict[str, Any]:
        """The JSON of `State.observation_json` from the bytes of `encode_observation`."""

    @abstractmethod
    def render_text(self, state: State, seat: int | None = None, language: str = "en") -> str:
        """The position for a terminal, seen by `seat` (None: by a spectator)."""

    @abstractmethod
    def render_svg(self, state: State, seat: int | None = None, language: str = "en") -> str:
        """The position as a standalone SVG document, seen by `seat` (None: by a spectator)."""
