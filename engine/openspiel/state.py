"""A position of a game of OpenSpiel, what one seat sees of it where something is hidden, and who knows of an action.

JSON tells the whole history in OpenSpiel's numbers, those of chance among them: every position follows from it. The
draws of chance are left to the arena's `Chance`.

The arena sends a seat the history of one position that looks the same to it, from which a bot draws others. The history
tells nothing that is hidden: it is drawn from a seed that follows from what the seat sees, and OpenSpiel's drawing
depends on nothing else. `can_guess` checks this for each game.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any, Final, Self
from zlib import crc32

from engine.chance import Chance, SeededChance
from engine.core import AbilityError, OptionsError, Outcome, PositionError, Reveal, State
from engine.openspiel.fen import FEN
from engine.openspiel.library import load, play_again, random_states, words_of
from engine.translatable import Text

if TYPE_CHECKING:
    from engine.openspiel.game import OpenSpielGame

JSON_VERSION: Final = 1
DRAW: Final = "draw"
"""The kind of what chance reveals: OpenSpiel's number of the outcome."""
_KEYS: Final = ("game", "version", "seats", "history")
_MOST_OTHERS: Final = 1000
"""An action that is one of more than this is taken to be hidden: to compare them all would take too long."""
_PLAYINGS: Final = 40
_DRAWS: Final = 24
"""So many that what is drawn from a few possibilities is not the same each time by luck."""
_SOURCES: Final = 3


@dataclass(slots=True, eq=False, repr=False)
class OpenSpielState(State):
    """A position. Chance has always drawn: a seat decides, or the playing is over."""

    game: OpenSpielGame
    inner: Any
    """OpenSpiel's state."""
    chance: Chance
    legal: Sequence[int] | None = None
    move: ObservedStep | None = None
    """The last applied action, kept where some seat may not know it."""
    draws: tuple[ObservedStep, ...] = ()
    """What chance drew after it."""
    hidden_from: tuple[int, ...] | None = ()
    """The seats that may not know of it; None until somebody asks."""

    def seat(self) -> int | None:
        player: int = self.inner.current_player()
        return player if player >= 0 else None

    def legal_actions(self) -> Sequence[int]:
        if self.legal is None:
            self.legal = () if self.inner.is_terminal() else sorted(self.inner.legal_actions())
        return self.legal

    def is_legal(self, action: int) -> bool:
        legal = self.legal_actions()
        place = bisect_left(legal, action)
        return place < len(legal) and legal[place] == action

    def apply_unchecked(self, action: int) -> None:
        keeps = self.game.has_hidden_information
        self.move, self.hidden_from = (ObservedStep(self.inner.clone(), action), None) if keeps else (None, ())
        self.inner.apply_action(action)
        self.legal = None
        self.settle()

    def settle(self) -> None:
        """Let chance draw until a seat decides or the playing is over."""
        inner, drawn, keeps = self.inner, [], self.game.has_hidden_information
        while inner.is_chance_node():
            outcomes = inner.chance_outcomes()
            action, _ = outcomes[self.chance.draw([weight for _, weight in outcomes])]
            drawn.append(ObservedStep(inner.clone() if keeps else None, action))
            inner.apply_action(action)
        self.draws = tuple(drawn)

    def clone(self, chance: Chance | None = None) -> Self:
        source = SeededChance(None) if chance is None else chance
        return type(self)(self.game, self.inner.clone(), source, self.legal, self.move, self.draws, self.hidden_from)

    def outcome(self) -> Outcome | None:
        """Return the ranks by OpenSpiel's returns, which stand in the details as `returns`, seat by seat."""
        if not self.inner.is_terminal():
            return None
        returns = self.inner.returns()
        ranks = tuple(1 + sum(other > own for other in returns) for own in returns)
        return Outcome(ranks, {"returns": returns})

    def caretaker_action(self) -> int:
        """Return the legal action with the lowest id."""
        return self.legal_actions()[0]

    def to_json(self) -> dict[str, Any]:
        data = {"game": self.game.name, "version": JSON_VERSION, "seats": self.game.facts.seats}
        start = {FEN: self.game.start} if self.game.start else {}
        return {**data, **start, "history": list(self.inner.history())}

    def observation_json(self, seat: int) -> dict[str, Any]:
        """Return everything, or, where something is hidden, what OpenSpiel tells the seat."""
        if not self.game.has_hidden_information:
            return self.to_json()
        return look(self, seat).to_json()

    def revealed(self) -> Sequence[Reveal]:
        """Return what chance drew after the last action, by number, as far as all seats know it."""
        hides, seats = self.game.has_hidden_information, range(self.game.facts.seats)
        return [
            Reveal(DRAW, (draw.action,))
            for draw in self.draws
            if not hides or all(knows(self.game.inner, draw, seat) for seat in seats)
        ]

    def hides_action_from(self) -> Sequence[int]:
        move = self.move
        if self.hidden_from is None and move is not None:
            others = (seat for seat in range(self.game.facts.seats) if seat != move.seat)
            self.hidden_from = tuple(seat for seat in others if not knows(self.game.inner, move, seat))
        return self.hidden_from or ()


def begin(game: OpenSpielGame, chance: Chance | None) -> OpenSpielState:
    """Return the initial position, what chance draws before the first decision drawn."""
    state = OpenSpielState(game, game.first(), SeededChance(None) if chance is None else chance)
    state.settle()
    return state


def read(game: OpenSpielGame, data: Mapping[str, Any], chance: Chance | None) -> OpenSpielState:
    """Return the position that `to_json` described. Raises PositionError naming the key that is wrong."""
    if not isinstance(data, Mapping) or not set(_KEYS) <= set(data) <= {*_KEYS, FEN}:
        raise PositionError(f"a position of {game.name} has the keys {', '.join(_KEYS)}")
    for key, value in (("game", game.name), ("version", JSON_VERSION), ("seats", game.facts.seats)):
        if type(data[key]) is not type(value) or data[key] != value:
            raise PositionError(f"{key}: expected {value!r}, not {data[key]!r:.60}")
    history = data["history"]
    if not isinstance(history, list) or not all(type(action) is int for action in history):
        raise PositionError("history: expected a list of OpenSpiel's numbers of actions")
    try:
        options = game.parse_options({key: data[key] for key in data if key not in _KEYS})
    except OptionsError as error:
        raise PositionError(str(error)) from error
    game = game.for_match(game.options_json(options))
    inner = game.first()
    play_again(inner, history)
    return OpenSpielState(game, inner, SeededChance(None) if chance is None else chance)


@dataclass(slots=True, eq=False, repr=False)
class SeenState(State):
    """What `observer` sees. It can be looked at and searched from, and not be played on."""

    game: OpenSpielGame
    observer: int
    turn: int | None
    text: str
    legal: Sequence[int]
    """The legal actions if the observer decides, otherwise empty."""
    words: Sequence[str]
    """OpenSpiel's words for the legal actions, if they tell nothing that is hidden."""
    ranks: tuple[int, ...]
    """After the end."""
    sample: tuple[int, ...]
    """The history of a position that looks the same to the observer; empty if the game cannot be searched."""
    knows_last: bool
    """Whether the observer knows which action was the last."""

    def seat(self) -> int | None:
        return self.turn

    def legal_actions(self) -> Sequence[int]:
        """Return the legal actions; while another seat decides, every action that the game has."""
        if self.turn is None or self.turn == self.observer:
            return self.legal
        return range(len(self.game.actions))

    def is_legal(self, action: int) -> bool:
        return action in self.legal_actions()

    def apply_unchecked(self, action: int) -> None:
        del action
        raise AbilityError(
            Text("{name} hides parts of its positions: what one seat sees cannot be played on", name=self.game.name)
        )

    def clone(self, chance: Chance | None = None) -> Self:
        del chance
        return replace(self)

    def outcome(self) -> Outcome | None:
        return Outcome(self.ranks) if self.turn is None else None

    def caretaker_action(self) -> int:
        return self.legal_actions()[0]

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.game.name,
            "seats": self.game.facts.seats,
            "observer": self.observer,
            "turn": self.turn,
            "text": self.text,
            "legal": list(self.legal),
            "words": list(self.words),
            "knows_last_action": self.knows_last,
            "ranks": list(self.ranks),
            "sample": list(self.sample),
        }

    def observation_json(self, seat: int) -> dict[str, Any]:
        del seat
        return self.to_json()


def look(state: OpenSpielState | SeenState, seat: int) -> SeenState:
    """Return what `seat` sees of `state`."""
    if isinstance(state, SeenState):
        return state
    turn, outcome = state.seat(), state.outcome()
    legal = state.legal_actions() if turn == seat else ()
    text = information_of(state.game.inner, state.inner, seat) or ""
    return SeenState(
        game=state.game,
        observer=seat,
        turn=turn,
        text=text,
        legal=legal,
        words=[words_of(state.inner, action) for action in legal] if state.game.facts.has_fixed_words else (),
        knows_last=seat not in state.hides_action_from(),
        ranks=() if outcome is None else outcome.ranks,
        sample=sample_of(state.game, state.inner, seat, text),
    )


def sample_of(game: OpenSpielGame, inner: Any, seat: int, text: str) -> tuple[int, ...]:
    """Return the history of a position that looks to the seat like OpenSpiel's state, which it sees as `text`.

    It is empty after the end, and in games in which OpenSpiel cannot draw one.
    """
    if not game.facts.can_guess or inner.is_terminal():
        return ()
    drawn = inner.resample_from_infostate(seat, Random(crc32(text.encode())).random)
    return tuple(drawn.history())


@dataclass(frozen=True, slots=True)
class ObservedStep:
    """An action of a seat or of chance, and OpenSpiel's state before it (None where nothing is hidden)."""

    before: Any
    action: int

    @property
    def seat(self) -> int:
        """The seat whose action it was; below 0 for chance."""
        player: int = self.before.current_player()
        return player


def knows(game: Any, step: ObservedStep, seat: int) -> bool:
    """Return whether a seat of OpenSpiel's game could tell at once which action it was."""
    before = step.before
    others = [action for action in before.legal_actions() if action != step.action]
    if len(others) > _MOST_OTHERS:
        return False
    seen = information_of(game, before.child(step.action), seat)
    return seen is not None and all(information_of(game, before.child(other), seat) != seen for other in others)


def information_of(game: Any, inner: Any, seat: int) -> str | None:
    """Return what OpenSpiel tells a seat: its information state, or else its observation; None if neither is there."""
    by_history = game.get_type().provides_information_state_string
    try:
        text: str = inner.information_state_string(seat) if by_history else inner.observation_string(seat)
    except load().SpielError:
        return None  # some games tell nothing while chance draws
    return text


def can_guess(game: Any) -> bool:
    """Return whether OpenSpiel draws states that look the same to each seat, in all positions of random playings.

    What is drawn with the same numbers must be the same wherever it is drawn from, and each step of the history that
    the seat does not know must come out differently now and then: so no part of it is merely copied.
    """
    try:
        return all(_hides_all(game, seed, seat) for seed in range(_PLAYINGS) for seat in range(game.num_players()))
    except (load().SpielError, PositionError):
        return False


def _hides_all(game: Any, seed: int, seat: int) -> bool:
    """Return whether all that a seat does not know of a random playing is drawn anew. Raises SpielError."""
    unknown: set[int] = set()
    varied: set[int] = set()
    before: Any = None
    for state in random_states(game, seed):
        history = state.history()
        if before is not None:
            step = ObservedStep(before, history[-1])
            if step.seat != seat and len(before.legal_actions()) > 1 and not knows(game, step, seat):
                unknown.add(len(history) - 1)
        before = state.clone()
        if not state.is_player_node():
            continue
        drawn = _draw_alike(game, state, seat)
        if not drawn:
            return False
        varied |= {place for each in drawn for place in range(len(history)) if each[place] != history[place]}
    seen_later = {place for place in unknown if place < len(before.history()) - 1}
    return bool(unknown) and seen_later <= varied


def _draw_alike(game: Any, state: Any, seat: int) -> list[list[int]]:
    """Return the histories of states drawn from one; none if one of them looks otherwise or follows from the hidden.

    Raises PositionError if one of them could not be played.
    """
    drawn = [state.resample_from_infostate(seat, Random(seed).random) for seed in range(_DRAWS)]
    again = [each.resample_from_infostate(seat, Random(_DRAWS).random) for each in (state, *drawn[:_SOURCES])]
    for each in (*drawn, *again):
        mine = state.current_player() == seat
        if (
            information_of(game, each, seat) != information_of(game, state, seat)
            or each.current_player() != state.current_player()
        ):
            return []
        if mine and each.legal_actions() != state.legal_actions():
            return []
        play_again(game.new_initial_state(), each.history())
    histories = [list(each.history()) for each in again]
    if any(history != histories[0] or len(history) != len(state.history()) for history in histories):
        return []
    return [list(each.history()) for each in drawn]
