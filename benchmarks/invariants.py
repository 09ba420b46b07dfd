"""Plays random games and looks whether positions keep the invariants of their rules (`Checks.check_invariants`).

    python -m benchmarks.invariants
    python -m benchmarks.invariants --game foreign_king --games 500 --every 1

The games of one rulebook go round over its numbers of seats and its variants. Tells how they ended; stops at the first
violation with its game and ply. The tests play a smaller share with every position looked at.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from statistics import mean
from typing import Any

from engine import registry
from engine.core import Game
from tests.support.simulations.invariants import LOOKED_AT_EVERY, End, play


def main(argv: Sequence[str]) -> int:
    """Play, check and print; 0, or an InvariantError."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.invariants", description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument("--game", choices=registry.names(), help="one game; all by default")
    parser.add_argument("--games", type=int, default=10_000, help="how many are played of each (default 10,000)")
    parser.add_argument(
        "--every", type=int, default=LOOKED_AT_EVERY, help="check every so many positions, and the last (default 10)"
    )
    arguments = parser.parse_args(argv)
    for name in [arguments.game] if arguments.game else registry.single_names():
        check_game(registry.get(name), arguments.games, arguments.every)
    return 0


def check_game(game: Game, games: int, every: int) -> None:
    """Play so many games and tell how they ended."""
    start = time.process_time()
    ends = [play(game, index, every) for index in range(games)]
    seconds = time.process_time() - start
    variants = len(registry.checks(game.name).variants)
    print(f"{game.title}: {games} random games over {variants} variants in {seconds:.0f} s of CPU time")
    print(f"  every position looked at (one in {every}, and the last) kept every invariant")
    for seats in game.seats:
        group = [end for end in ends if end.seats == seats]
        if group:
            print(f"  {seats} seats: {len(group)} games, {', '.join(describe(group))}")


def describe(ends: Sequence[End]) -> Iterator[str]:
    """What the outcomes of some games have in common: plies, and of each number in their details the mean."""
    yield f"{mean(end.plies for end in ends):,.0f} plies a game"
    for key in ends[0].outcome.details:
        values: list[Any] = [end.outcome.details[key] for end in ends]
        if any(not isinstance(value, (int, float, type(None))) for value in values):
            continue
        if set(values) == {None}:
            continue
        if None in values:
            yield f"{key} in {1 - values.count(None) / len(values):.1%}"
        else:
            yield f"{key} {mean(values):.1f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
