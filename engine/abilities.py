"""What a game may give besides its rules: a way to search it, a way to show it, tools. Values, no I/O.

Each is asked of the `Game` (`game.playable`, `game.shown`, `game.tools`) and loaded then, as is what programs learn
from (`game.featured`, in `engine.features`). `Checks`, which only tests and benchmarks need, is found by
`engine.registry.checks` in the `checks.py` of the game's folder. A `state` is always a position of the game itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from engine.core import AbilityError, ActionTable, Game, Observation, Reveal, State
from engine.translatable import Text

if TYPE_CHECKING:  # bots, which load this file, draw nothing
    from engine.picture import Picture

Tools = Mapping[str, Callable[[Sequence[str]], int]]
"""Commands by name; each takes its arguments and returns an exit code."""


def copy_of(state: State, seat: int, random: Random) -> State:
    """Return a clone: what a game without chance and hidden parts is determinized to."""
    del seat, random
    return state.clone()


def uniform_action(state: State, random: Random) -> int:
    """Return any legal action, each with the same probability."""
    return random.choice(state.legal_actions())


def no_turns(state: State) -> int | None:
    """Return None: the game counts no turns."""
    del state
    return None


@dataclass(frozen=True, slots=True)
class Weighing:
    """What an evaluation weighs, for whoever looks for better weights (`python -m bots.training`)."""

    names: Sequence[str]
    """What each weight is for."""
    weights: Sequence[float]
    """The weights that it goes by, in the order of their names; any other finite numbers would do."""
    playable_by: Callable[[Sequence[float]], Playable]
    """`(weights)`: how the game is searched by other weights. Raises ValueError for another number of them."""
    weights_at: Mapping[int, Sequence[float]] = field(default_factory=dict)
    """By the number of seats, weights that it goes by there instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Playable:
    """What bots that know nothing else of a game need in order to search it."""

    evaluate_all: Callable[[Any], Sequence[float]]
    """`(state)`: how good it is for each seat, from 0 (lost) to 1 (won); exact after the end."""
    redraw: Callable[[Any, int, Random], State] = copy_of
    """`(state, seat, random)`: a new position that looks like `state` to `seat`, with what is hidden from it, and all
    chance to come, drawn from `random`. A game with chance or hidden parts must give it."""
    quick_action: Callable[[Any, Random], int] = uniform_action
    """`(state, random)`: a plausible legal action, chosen at once: how positions are played out. The game is not over.
    Far cheaper than a look at every action by `evaluate_all`."""
    turns_played: Callable[[Any], int | None] = no_turns
    """`(state)`: how many turns are over, so that positions of one moment are compared; None where nobody counts."""
    usual_decisions: Callable[[int], int] = lambda seats: 50 * seats
    """`(seats)`: about how many decisions of all seats (forced ones apart) bots that know the game need for a playing.
    Only what is said of the time that play will take depends on it."""
    weighing: Weighing | None = None
    """What the evaluation weighs, if that is more than rules; nobody needs it to play."""

    def evaluate(self, state: Any, seat: int) -> float:
        """Return how good the position is for one seat, from 0 (lost) to 1 (won)."""
        return self.evaluate_all(state)[seat]

    def determinize(self, observation: Observation, random: Random) -> State:
        """Return a position to search in, consistent with what the seat saw; it may be changed."""
        return self.redraw(observation.state, observation.seat, random)


def need_playable(game: Game) -> Playable:
    """Return how the game is searched. Raises AbilityError if it does not say."""
    playable = game.playable
    if playable is None:
        raise AbilityError(
            Text("{name} cannot be searched: it gives no evaluation (Game.playable); play at random", name=game.name)
        )
    return playable


@dataclass(frozen=True, slots=True)
class Move:
    """An action that was applied: what is told of it, and what a picture shows of it."""

    before: Any
    """The position in which it was chosen, one of the game's own. Do not change it."""
    action: int
    notation: str
    """The action as the game writes it."""
    seat: int
    after: Any
    """The position that it led to. Do not change it."""
    chance: Sequence[Reveal] = ()
    """What all could see of the chance that it caused: dice, cards drawn. A hidden shuffle is not among it."""


@dataclass(frozen=True, slots=True)
class View:
    """How a position is looked at."""

    language: str = "en"
    seat: int | None = None
    """Who looks; None is a spectator."""
    names: Sequence[str] = ()
    """Who plays, seat by seat; empty if nobody is named."""
    last: Move | None = None
    """The move that led here, which the picture may mark; its `after` is the position that is drawn."""

    def name_of(self, seat: int) -> str:
        """Return the name of who plays in a seat, or nothing."""
        return self.names[seat] if seat < len(self.names) else ""


@dataclass(frozen=True, slots=True)
class ScoringStep:
    """One step of the final scoring."""

    label: str
    """What is scored, in the words of the language asked for."""
    points: tuple[int, ...]
    """What it gives each seat; behind the seats those whom `others` names, such as a virtual player."""
    sums: tuple[int, ...]
    """What each has after this step; of the last one, the result."""
    others: tuple[str, ...] = ()
    note: str = ""
    """A sentence that explains it, or nothing."""


def no_picture(state: State, view: View) -> Picture:
    """Raise AbilityError: the game draws nothing."""
    del state, view
    raise AbilityError(Text("this game has no picture; it is shown as text only"))


def no_scoring(state: State, language: str) -> Sequence[ScoringStep]:
    """Return no step: the game has no final scoring."""
    del state, language
    return ()


def number_of_seat(seat: int, language: str) -> str:
    """Return the number of a seat."""
    del language
    return str(seat)


def split_notation(notation: str) -> Sequence[str]:
    """Return the parts of a notation between its colons."""
    return notation.split(":")


def describe_by_label(labels: Callable[[str], Mapping[str, str]], move: Move, language: str) -> Sequence[str]:
    """Return the label of the action, and a line for each outcome of chance."""
    names = labels(language)
    chance = (f"{names.get(seen.kind, seen.kind)}: {' '.join(map(str, seen.values))}" for seen in move.chance)
    return (names[move.notation], *chance)


def choose_by_label(labels: Callable[[str], Mapping[str, str]], state: State, notation: str, language: str) -> str:
    """Return the label of the action."""
    del state
    return labels(language)[notation]


def _choice_by_label(state: State, notation: str, language: str) -> str:
    raise NotImplementedError  # stands for `choose_by_label` with the labels, until they are known


def _by_label(move: Move, language: str) -> Sequence[str]:
    raise NotImplementedError  # stands for `describe_by_label` with the labels, until they are known


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """How people see a game. `seat` None is a spectator; `language` is one of `languages`, English for any other."""

    text: Callable[[Any, int | None, str], str]
    """`(state, seat, language)`: the position for a terminal."""
    picture: Callable[[Any, View], Picture] = no_picture
    """`(state, view)`: the position in parts. Raises AbilityError if there is none."""
    labels: Callable[[str], Mapping[str, str]]
    """`(language)`: names by language-free id, among them every action's notation; English where there is none."""
    languages: Sequence[str] = ("en",)
    """The languages that `labels` knows."""
    seat_name: Callable[[int, str], str] = number_of_seat
    """`(seat, language)`: how `describe` and the picture call a seat: a house, a letter; by default its number."""
    seat_colours: Sequence[str] = ()
    """The colours of the seats in the picture, `#rrggbb` each, for what stands beside it; empty if it knows none."""
    describe: Callable[[Move, str], Sequence[str]] = _by_label
    """`(move, language)`: what happened, in whole sentences: the action, dice and cards as they fell, and what came of
    it that matters. Who acted is shown beside it. By default the label of the action, and values of chance."""
    scoring: Callable[[Any, str], Sequence[ScoringStep]] = no_scoring
    """`(state, language)`: the steps of the final scoring of a finished game; none if there is no such thing."""
    choice: Callable[[Any, str, str], str] = _choice_by_label
    """`(state, notation, language)`: what a legal action means in this position, such as the cards that it keeps, for
    whoever may choose it. By default its label."""
    path: Callable[[str], Sequence[str]] = split_notation
    """`(notation)`: the choices, one after another, that make up an action: ids of places on the board (`data-place` of
    the picture) are chosen by a click, others by a button. No action's path begins with the whole path of another."""

    def __post_init__(self) -> None:
        if self.describe is _by_label:
            object.__setattr__(self, "describe", partial(describe_by_label, self.labels))
        if self.choice is _choice_by_label:
            object.__setattr__(self, "choice", partial(choose_by_label, self.labels))

    def svg(self, state: State, view: View | None = None) -> str:
        """Return the position as a standalone SVG document. Raises AbilityError if the game draws none."""
        return self.picture(state, view or View()).svg()


def plainly_shown(actions: ActionTable) -> Shown:
    """Return how a game is shown that says nothing about it: its JSON, and its notation for labels."""
    labels = {name: name for name in actions.names}
    return Shown(text=_json_text, labels=lambda _language: labels)


def _json_text(state: State, seat: int | None, language: str) -> str:
    del language
    return json.dumps(state.to_json() if seat is None else state.observation_json(seat), indent=1) + "\n"


def nothing_to_check(state: State) -> None:
    """Accept every position."""
    del state


def nothing_to_count(state: State, action: int) -> Mapping[str, float]:
    """Count nothing in any action."""
    del state, action
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """What tests and benchmarks ask of a game, and nobody else."""

    variants: Sequence[Mapping[str, Any]] = ({},)
    """The sets of options that checks and measurements go round, the defaults first."""
    check_invariants: Callable[[Any], None] = nothing_to_check
    """`(state)`: raises InvariantError if the position breaks what the rules say of every position (sums, limits,
    bounds). Slow and thorough."""
    measures: Callable[[Any, int], Mapping[str, float]] = nothing_to_count
    """`(state, action)`: what statistics count in an action that is about to be applied, by name."""
