"""A game of OpenSpiel with one set of parameters, as a game of the arena, and how bots search it and learn from it.

OpenSpiel has no words for how good a position is: positions are played out at random. Where something is hidden, only
games are searched of which OpenSpiel can draw what a seat cannot see.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from random import Random
from typing import TYPE_CHECKING, Any, Final

from engine.abilities import Playable
from engine.chance import SeededChance
from engine.core import AbilityError, ActionTable, Game, Observation, OptionsError, PositionError, State
from engine.features import Featured, FeaturePart, reals
from engine.kit.options import no_options
from engine.openspiel.catalogue import PREFIX, Facts, load_game
from engine.openspiel.fen import FEN, read_fen
from engine.openspiel.library import VERSION, play_again
from engine.openspiel.state import OpenSpielState, SeenState, begin, read
from engine.translatable import Text

if TYPE_CHECKING:
    from engine.abilities import Shown
    from engine.chance import Chance

RULES_VERSION: Final = f"1+openspiel.{VERSION}"
"""The first number changes with what the arena makes of OpenSpiel's games."""
_CHESS: Final = f"{PREFIX}chess"
_BUDGET: Final = 2000
"""How many legal actions and outcomes of chance are looked at for one position: what they cost differs little."""
_MOST: Final = 8
"""How many times one position is played out at most."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The options of chess."""

    fen: str = ""
    """Where the match begins; empty for the usual position."""


class _ChessOptions:
    """Where a match of chess begins: an option that openings set and nobody is asked for."""

    def __init__(self, game: str) -> None:
        self._others = no_options(game)

    def parse(self, values: Mapping[str, Any]) -> Beginning:
        self._others.parse({name: value for name, value in values.items() if name != FEN})
        if FEN not in values:
            return Beginning()
        try:
            return Beginning(read_fen(str(values[FEN])))
        except PositionError as error:
            raise OptionsError(Text("option {path}: {why}", path=FEN, why=error)) from error

    def to_json(self, options: Beginning) -> dict[str, Any]:
        return {FEN: options.fen} if options.fen else {}

    def schema(self) -> dict[str, Any]:
        return self._others.schema()


class OpenSpielGame(Game):
    """The game; OpenSpiel is loaded with the first position."""

    start = ""
    """The FEN with which its matches begin; empty for the usual position."""

    def __init__(self, facts: Facts) -> None:
        """Take what is known of the game."""
        self.facts = facts
        self.name = facts.name
        self.title = facts.title
        self.rules_version = RULES_VERSION
        self.seats = range(facts.seats, facts.seats + 1)
        self.actions = _numbered_actions(facts.actions)
        self.options = _ChessOptions(facts.name) if facts.name == _CHESS else no_options(facts.name)
        self.max_plies = facts.max_plies
        self.has_chance = facts.has_chance
        self.has_hidden_information = facts.is_hidden
        self._recent: tuple[list[int], Any] = [], None
        self._usual = self

    @cached_property
    def inner(self) -> Any:
        """OpenSpiel's own game of that name."""
        return load_game(self.name)

    def played(self, history: Sequence[int]) -> Any:
        """Return OpenSpiel's state after a history. Raises PositionError if it is none.

        The last one is kept: the next position that a bot reads mostly goes on from it.
        """
        known, inner = self._recent
        count = len(known)
        if inner is None or list(history[:count]) != known:
            count, inner = 0, self.first()
        inner = inner.clone()
        play_again(inner, history, count)
        self._recent = list(history), inner
        return inner.clone()

    def first(self) -> Any:
        """Return OpenSpiel's state with which a match begins."""
        return self.inner.new_initial_state(self.start) if self.start else self.inner.new_initial_state()

    def for_match(self, options: Mapping[str, Any]) -> OpenSpielGame:
        fen = options.get(FEN, "") if self.name == _CHESS else ""
        return self if fen == self.start else _starting(self, fen)

    def begin_at(self, position: str | Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[int]] | None:
        """Return where chess begins for a text in FEN or EPD, and the actions to what `State.to_json` returned."""
        if isinstance(position, Mapping) and position.keys() == {FEN}:
            position = str(position[FEN])
        if isinstance(position, str):
            return ({FEN: read_fen(position)}, ()) if self.name == _CHESS else None
        state = read(self, position, None)
        return {FEN: state.game.start} if state.game.start else {}, state.inner.history()

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> OpenSpielState:
        self.check_seats(seats)
        return begin(self if options is None else self.for_match(self.options_json(options)), chance)

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> OpenSpielState:
        return read(self, data, chance)

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        from engine.openspiel import wire

        return wire.TYPE, wire.encode(state, seat)

    def observed(self, message: bytes) -> Observation:
        from engine.openspiel import wire

        return wire.decode(self, message)

    @property
    def playable(self) -> Playable | None:
        return playable_of(self._usual)

    @property
    def featured(self) -> Featured | None:
        return featured_of(self._usual)

    @property
    def shown(self) -> Shown:
        from engine.openspiel.view import shown_of

        return shown_of(self._usual)

    def opening_plies(self, seats: int) -> int:
        """Return how many random plies start a match: one for each seat, fewer if playings may be very short."""
        del seats
        return self.facts.opening


@lru_cache(maxsize=16)
def _starting(game: OpenSpielGame, fen: str) -> OpenSpielGame:
    """Return the game with another start; it is read by whoever plays or looks at such a match."""
    other = copy.copy(game)
    other.start, other._recent = fen and read_fen(fen), ([], None)
    return other


@cache
def playable_of(game: OpenSpielGame) -> Playable | None:
    """Return how the game is searched; None if what is hidden in it cannot be drawn."""
    if game.has_hidden_information and not game.facts.can_guess:
        return None
    decisions = game.facts.decisions
    return Playable(evaluate_all=evaluate_all, redraw=redraw, usual_decisions=lambda _seats: decisions)


def redraw(state: OpenSpielState | SeenState, seat: int, random: Random) -> OpenSpielState | SeenState:
    """Return a copy with another chance to come, and with what the seat cannot see drawn anew until the end."""
    if state.seat() is None:
        return state.clone()
    game = state.game
    inner = game.played(state.sample) if isinstance(state, SeenState) else state.inner.clone()
    if game.has_hidden_information:
        inner = inner.resample_from_infostate(seat, random.random)
    return OpenSpielState(game, inner, SeededChance(random.getrandbits(53)))


def evaluate_all(state: OpenSpielState | SeenState) -> list[float]:
    """Return how good a position is for each seat, from 0 to 1: by the mean of what short random playings return.

    The playings are the same for the same position; where they come to no end, every seat has 0.5. After the end it
    is the share of the other seats that a seat is better than, seats that are equal counting one half.
    """
    outcome = state.outcome()
    if outcome is not None:
        beaten = [
            [1.0 if rank > own else 0.5 if rank == own else 0.0 for rank in outcome.ranks] for own in outcome.ranks
        ]
        return [(sum(each) - 0.5) / (len(each) - 1) for each in beaten]  # itself left out
    if isinstance(state, SeenState):
        raise AbilityError(Text("only a whole position has a value; draw one by `determinize`"))
    game = state.game.inner
    low, high = game.min_utility(), game.max_utility()
    played = list(play_outs(state.inner)) if high > low else []
    if not played:
        return [0.5] * state.game.facts.seats
    means = [sum(each) / len(played) for each in zip(*played, strict=True)]
    return [min(1.0, max(0.0, (mean - low) / (high - low))) for mean in means]


def play_outs(inner: Any) -> Iterator[Sequence[float]]:
    """Yield what the seats get in random playings from OpenSpiel's state, as many as the budget allows."""
    seed = 0  # follows from the position and differs from the next one's
    for action in inner.history()[-8:]:
        seed = (seed * 31 + int(action) + 1) % 2**31
    random, left = Random(seed), _BUDGET
    for _ in range(_MOST):
        state = inner.clone()
        left = _play_out(state, random, left)
        if left < 0:
            return
        yield state.returns()


def _play_out(state: Any, random: Random, left: int) -> int:
    """Play OpenSpiel's state on at random and return what is left of the budget: below 0 if it has come to no end."""
    draw = random.random
    while left >= 0 and not state.is_terminal():
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(random.choices(actions, weights)[0])
            left -= len(actions)
        else:
            legal = state.legal_actions()
            state.apply_action(legal[int(draw() * len(legal))])
            left -= len(legal)
    return left


@cache
def featured_of(game: OpenSpielGame) -> Featured | None:
    """Return the planes; None if OpenSpiel gives no tensor, or what is hidden from a seat cannot be drawn."""
    if game.has_hidden_information and not game.facts.can_guess:
        return None
    if not game.inner.get_type().provides_observation_tensor:
        return None
    shape = game.inner.observation_tensor_shape()
    planes, board = (shape[0], tuple(shape[1:])) if len(shape) > 2 else (1, tuple(shape))  # smaller: one plane
    parts = (reals("tensor", "a part of OpenSpiel's observation tensor", tuple(f":{n}" for n in range(planes))),)

    def parts_of(seats: int, options: Any) -> Sequence[FeaturePart]:
        del seats, options
        return parts

    return Featured(board=lambda _seats, _options: board, parts=parts_of, numbers=numbers_of)


def numbers_of(state: OpenSpielState | SeenState, seat: int) -> Sequence[float]:
    """Return the tensor of what a seat sees, which a position that looks the same to it gives, too.

    Raises AbilityError for what a seat saw of the end, with which no such position comes.
    """
    if isinstance(state, SeenState) and not state.sample:
        raise AbilityError(
            Text("what a seat saw of the end of {game} has no tensor; take the position itself", game=state.game.name)
        )
    inner = state.game.played(state.sample) if isinstance(state, SeenState) else state.inner
    found: Sequence[float] = inner.observation_tensor(seat)
    return found


@cache
def _numbered_actions(count: int) -> ActionTable:
    """Return a table whose notation is the id: OpenSpiel's own words differ from position to position."""
    return ActionTable([f"A{action}" for action in range(count)])
