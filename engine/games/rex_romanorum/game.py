"""The game as the registry hands it out; everything is delegated, the heavy parts on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from engine.chance import Chance
from engine.core import Game, State
from engine.games.rex_romanorum import options as choices
from engine.games.rex_romanorum.actions import ACTIONS
from engine.games.rex_romanorum.bounds import MAX_PLIES
from engine.games.rex_romanorum.options import DEFAULT_OPTIONS, Options
from engine.games.rex_romanorum.rules.turn import start
from engine.games.rex_romanorum.state import RexState, new_state


class RexRomanorum(Game):
    """Rex Romanorum."""

    name = "rex_romanorum"
    title = "Rex Romanorum"
    rules_version = "1"
    seats = range(2, 6)
    actions = ACTIONS
    options_type = Options
    max_plies = MAX_PLIES
    has_chance = True
    has_hidden_information = True

    def parse_options(self, values: Mapping[str, Any]) -> Options:
        """See `Game`."""
        return choices.parse_options(values)

    def options_json(self, options: Options) -> dict[str, Any]:
        """See `Game`."""
        return choices.options_json(options)

    def options_schema(self) -> dict[str, Any]:
        """See `Game`."""
        return choices.options_schema()

    def new_state(self, seats: int, options: Options | None = None, chance: Chance | None = None) -> RexState:
        """See `Game`; who sits where is the caller's draw (K1), the pile is shuffled here."""
        self.check_seats(seats)
        state = new_state(DEFAULT_OPTIONS if options is None else options, seats, chance)
        start(state)
        return state

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> RexState:
        """See `Game`."""
        from engine.games.rex_romanorum.position_reader import read_position

        return read_position(data, chance)

    def evaluate(self, state: State, seat: int) -> float:
        """See `Game`."""
        from engine.games.rex_romanorum.evaluation import evaluate_all

        return evaluate_all(_own(state))[seat]

    def evaluate_all(self, state: State, seats: int) -> tuple[float, ...]:
        """See `Game`."""
        from engine.games.rex_romanorum.evaluation import evaluate_all

        del seats
        return evaluate_all(_own(state))

    def determinize(self, observation: Mapping[str, Any], rng: Random) -> RexState:
        """See `Game`: the pile in another order, and dice of its own, both drawn from `rng`."""
        return self.determinizer(observation)(rng)

    def determinizer(self, observation: Mapping[str, Any]) -> Callable[[Random], RexState]:
        """See `Game`: the observation is read once."""
        from engine.games.rex_romanorum.position_reader import determinize, read_observation

        observed = read_observation(observation)
        return lambda rng: determinize(observed, rng)

    def quick_action(self, state: State, random: Random) -> int:
        """See `Game`."""
        from engine.games.rex_romanorum.habits import choose

        return choose(_own(state), random)

    def turns_played(self, state: State) -> int:
        """See `Game`: a turn is one of the seven actions, whoever decides in it."""
        own = _own(state)
        return (own.round - 1) * own.seats + own.active + own.is_final

    def measures(self, state: State, action: int) -> Mapping[str, float]:
        """See `Game`: actions of the turns, battles, buildings, bribes, kings."""
        from engine.games.rex_romanorum.measures import measures

        return measures(_own(state), action)

    def opening_plies(self, seats: int) -> int:
        """None: the pile makes every match another one."""
        del seats
        return 0

    def usual_decisions(self, seats: int) -> int:
        """See `Game`: measured with the sample bots."""
        return 60 * (seats + 1)

    @property
    def variants(self) -> Sequence[Mapping[str, Any]]:
        """Both decks (A9)."""
        return ({}, {"variant": "short"})

    def check_invariants(self, state: State) -> None:
        """See `Game`: section 9.4."""
        from engine.games.rex_romanorum.invariants import check

        check(_own(state))

    @property
    def languages(self) -> Sequence[str]:
        """English and German."""
        from engine.games.rex_romanorum.labels import LANGUAGES

        return LANGUAGES

    def labels(self, language: str) -> Mapping[str, str]:
        """See `Game`."""
        from engine.games.rex_romanorum.labels import labels

        return labels(language)

    @property
    def tools(self) -> Mapping[str, Callable[[Sequence[str]], int]]:
        """`odds`: how likely an attack wins."""
        from engine.games.rex_romanorum.odds_tool import main

        return {"odds": main}

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        """See `Game`: `arena.games.rex_romanorum.v1.RexRomanorumState`."""
        from engine.games.rex_romanorum.wire import TYPE, encode

        del seat
        return TYPE, encode(_own(state))

    def decode_observation(self, message: bytes) -> dict[str, Any]:
        """See `Game`."""
        from engine.games.rex_romanorum.wire import decode

        return decode(message)

    def render_text(self, state: State, seat: int | None = None, language: str = "en") -> str:
        """See `Game`."""
        from engine.games.rex_romanorum.view import render_text

        del seat
        return render_text(_own(state), language)

    def render_svg(self, state: State, seat: int | None = None, language: str = "en") -> str:
        """See `Game`."""
        from engine.games.rex_romanorum.svg import render_svg

        del seat
        return render_svg(_own(state), language)


def _own(state: State) -> RexState:
    if not isinstance(state, RexState):
        raise TypeError(f"not a position of Rex Romanorum: {type(state).__name__}")
    return state
