"""What a searching bot pays before it can think: CPU time from the bytes it received to a position to search in.

    python -m benchmarks.observation
    python -m benchmarks.observation --game rex_romanorum --rounds 40

Positions are taken from random playings with every number of seats. The direct road (`Game.observed`, then
`Playable.determinize`) is compared with one that makes JSON of what was seen and reads that again; both take turns.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from random import Random
from statistics import median

from engine import registry
from engine.abilities import Playable, need_playable
from engine.core import Game, Observation, State
from engine.playout import positions

EVERY = 7
"""A position is taken every so many plies."""


def messages(game: Game) -> list[tuple[int, bytes]]:
    """The seat that decides, and the bytes it is sent, in positions of playings with every number of seats."""
    found = []
    for seats in game.seats:
        for ply, state in enumerate(positions(game, seats, seed=1)):
            seat = state.seat()
            if seat is not None and ply % EVERY == 0:
                found.append((seat, game.encode_observation(state, seat)[1]))
    return found


def direct(game: Game, playable: Playable, message: bytes, random: Random) -> State:
    """The road of the bots."""
    return playable.determinize(game.observed(message), random)


def through_json(game: Game, playable: Playable, message: bytes, random: Random) -> State:
    """The same with JSON between."""
    seen = game.observed(message)
    again = Observation(game.state_from_json(seen.state.to_json()), seen.seat)
    return playable.determinize(again, random)


def microseconds(game: Game, road: Callable[..., State], sent: Sequence[tuple[int, bytes]]) -> float:
    """CPU time for one message, the mean over all of them."""
    playable, random = need_playable(game), Random(1)
    start = time.process_time()
    for _, message in sent:
        road(game, playable, message, random)
    return (time.process_time() - start) / len(sent) * 1e6


def main(argv: Sequence[str]) -> int:
    """Measure and print; 0."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.observation", description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument("--game", choices=registry.names(), help="one game; all by default")
    parser.add_argument("--rounds", type=int, default=15, help="how often every message is read by each road")
    arguments = parser.parse_args(argv)
    for name in [arguments.game] if arguments.game else registry.names():
        game = registry.get(name)
        sent = messages(game)
        times: dict[Callable[..., State], list[float]] = {direct: [], through_json: []}
        for _ in range(arguments.rounds):
            for road, found in times.items():
                found.append(microseconds(game, road, sent))
        print(f"{game.title}: {len(sent)} messages, from bytes to a position to search in")
        for road, found in times.items():
            least, middle = min(found), median(found)
            print(f"  {road.__name__.replace('_', ' '):<14}{least:8.1f} us at least,{middle:8.1f} in the median")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
