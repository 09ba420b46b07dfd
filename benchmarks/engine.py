"""How fast the engine is, beside python-chess and OpenSpiel in the same run: decisions a second, clone, size.

    python -m benchmarks.engine
    python -m benchmarks.engine --repetitions 9 --seconds 1

Uniformly random play through each library's Python API: ask for the legal actions, choose one, apply it, until the game
is over. CPU time of one process; repetitions of all subjects take turns, and the median counts. Other libraries come
with `make bench`, which installs them in an environment of its own; what is missing is said and left out.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from statistics import median
from typing import Any

from engine import registry
from engine.chance import SeededChance
from engine.core import Game, State

LONGEST_CHESS_GAME = 200
CLONES = 2_000
REFERENCE = 1
"""What the others are compared with: the first game, with the second number of its seats."""
PLAYING_SEED = 5
"""Of the playing in the middle of which a state is cloned, measured, encoded and valued."""


@dataclass
class Subject:
    """Something that plays: `play` one whole game at random and tell the number of decisions."""

    name: str
    play: Callable[[Callable[[], float]], int]
    clone: Callable[[], object]
    rates: list[float] = field(default_factory=list)
    clone_us: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Decisions a second, the median of the repetitions."""
        return median(self.rates)


def ours(game: Game, seats: int, checked: bool = False) -> Subject:
    """A game of this engine."""

    def play(draw: Callable[[], float]) -> int:
        state = game.new_state(seats)
        apply = state.apply if checked else state.apply_unchecked
        decisions = 0
        while state.seat() is not None:
            legal = state.legal_actions()
            apply(legal[int(draw() * len(legal))])
            decisions += 1
        return decisions

    name = f"{game.name}, {seats} seats{', checked' if checked else ''}"
    return Subject(name, play, midgame(game, seats).clone)


def midgame(game: Game, seats: int) -> State:
    """The position halfway through a random playing."""
    half = len(list(random_playing(game, seats))) // 2
    return next(islice(random_playing(game, seats), half, None))


def random_playing(game: Game, seats: int) -> Iterator[State]:
    """The state after each action of a playing, always the same; one object that moves on."""
    state = game.new_state(seats, chance=SeededChance(PLAYING_SEED))
    draw = Random(PLAYING_SEED).random
    while state.seat() is not None:
        legal = state.legal_actions()
        state.apply_unchecked(legal[int(draw() * len(legal))])
        yield state


def python_chess(chess: Any) -> Subject:
    """python-chess: legality in Python, by bit boards."""

    def play(draw: Callable[[], float]) -> int:
        board = chess.Board()
        for ply in range(LONGEST_CHESS_GAME):
            moves = list(board.legal_moves)
            if not moves:
                return ply
            board.push(moves[int(draw() * len(moves))])
        return LONGEST_CHESS_GAME

    board = chess.Board()
    return Subject("python-chess", play, lambda: board.copy(stack=False))


def open_spiel(pyspiel: Any, name: str) -> Subject:
    """A game of OpenSpiel: C++ behind pybind11."""
    game = pyspiel.load_game(name)

    def play(draw: Callable[[], float]) -> int:
        state = game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(draw() * len(legal))])
            decisions += 1
        return decisions

    return Subject(f"OpenSpiel {name} (C++)", play, game.new_initial_state().clone)


def others() -> Iterable[Subject]:
    """What is installed of the libraries to compare with; says what is not."""
    makers: dict[str, Callable[[Any], list[Subject]]] = {
        "chess": lambda module: [python_chess(module)],
        "pyspiel": lambda module: [open_spiel(module, name) for name in ("chess", "connect_four")],
    }
    for name, make in makers.items():
        try:
            module = importlib.import_module(name)
        except ImportError:
            print(f"not installed, left out: {name} (`make bench` installs it)", file=sys.stderr)
        else:
            yield from make(module)


def measure(subject: Subject, seconds: float, seed: int) -> None:
    """One repetition: play for so many CPU seconds, then clone."""
    draw = Random(seed).random
    decisions = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds:
        decisions += subject.play(draw)
    subject.rates.append(decisions / spent)
    subject.clone_us.append(microseconds(subject.clone, CLONES))


def microseconds(call: Callable[[], object], times: int) -> float:
    """CPU time of one call."""
    start = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - start) / times * 1e6


def state_bytes(state: State) -> int:
    """Memory of a position: the object, the lists and dicts it owns; small ints and tuples are shared."""
    slots = [name for kind in type(state).__mro__ for name in getattr(kind, "__slots__", ())]
    values = [getattr(state, name, None) for name in slots]
    return sys.getsizeof(state) + sum(sys.getsizeof(value) for value in values if isinstance(value, (list, dict)))


def print_details(game: Game, seats: int) -> None:
    """What a search and a referee pay beside playing."""
    state = midgame(game, seats)
    message, playable = game.encode_observation(state, 0)[1], game.playable
    print(f"\n{game.name}, {seats} seats, halfway through a playing")
    print(f"  in memory {state_bytes(state)} bytes, on the wire {len(message)} bytes")
    for label, call in (
        ("encode for the wire", lambda: game.encode_observation(state, 0)),
        ("decode from the wire to JSON", lambda: game.observed(message).to_json()),
        ("position to JSON", state.to_json),
        *([("value for all seats", lambda: playable.evaluate_all(state))] if playable else []),
    ):
        print(f"  {label:<30}{min(microseconds(call, CLONES) for _ in range(5)):8.1f} us")


def main(argv: Sequence[str]) -> int:
    """Measure and print; 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time of one repetition (default 0.5)")
    arguments = parser.parse_args(argv)
    games = [registry.get(name) for name in registry.single_names()]
    subjects = [ours(game, seats) for game in games for seats in game.seats]
    subjects += [ours(game, 3, checked=True) for game in games]
    reference = subjects[REFERENCE]
    subjects += others()
    for repetition in range(arguments.repetitions):
        for subject in subjects:
            measure(subject, arguments.seconds, repetition)
    print(f"{'random play, one core':<34}{'decisions/s':>13}{reference.name:>24}{'clone us':>10}")
    for subject in subjects:
        ratio = f"{reference.rate / subject.rate:.2f} times"
        print(f"{subject.name:<34}{subject.rate:>13,.0f}{ratio:>24}{median(subject.clone_us):>10.2f}")
    for game in games:
        print_details(game, game.seats[len(game.seats) // 2])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
