"""How the sample bots play a game: what happens in it, for each number of seats.

    python -m benchmarks.samples --game GAME
    python -m benchmarks.samples --game GAME --bots greedy --seats 2 5 --games 20 --seed 7

One bot plays all seats; the matches are played in this process, as benchmarks/strength.py does, and then once more
through the engine, which counts what the game names as worth counting (`Checks.measures`): means over the games.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmarks.strength import BOTS, make_bot
from bots.offline import OfflineMatch, play_offline
from engine import registry
from engine.abilities import need_playable
from engine.chance import ScriptedChance
from engine.record import PlayRecord


@dataclass(frozen=True, slots=True)
class Sample:
    """What one match was like."""

    decisions_per_seat: float
    turns: int | None
    """As the game counts them."""
    measures: Counter[str]


def count(record: PlayRecord) -> tuple[int | None, Counter[str]]:
    """Turns played, and the sums of what the game measures, over a recorded playing."""
    game = registry.get(record.game)
    state = game.new_state(record.seats, game.parse_options(record.options), ScriptedChance(record.chance))
    measures, playable = registry.checks(record.game).measures, need_playable(game)
    sums: Counter[str] = Counter()
    turns = None
    for action in record.actions:
        sums.update(measures(state, action))
        turns = playable.turns_played(state)
        state.apply(action)
    return turns, sums


def play(game: str, bot: str, seats: int, seed: int, limit_us: int) -> OfflineMatch:
    """One match of the bot against itself."""
    return play_offline(
        [make_bot(bot, clock=time.process_time) for _ in range(seats)],
        game,
        seeds=[seed * 100 + seat for seat in range(seats)],
        chance_seed=seed,
        time_limit_us=limit_us,
    )


def sample(match: OfflineMatch) -> Sample:
    """What the match was like."""
    turns, sums = count(match.record)
    return Sample(fmean(match.decisions), None if turns is None else turns + 1, sums)


def report(seats: int, bot: str, samples: Sequence[Sample]) -> str:
    """A line of the means, and one for each thing measured."""
    games = len(samples)
    lines = [
        f"{seats} seats, {bot}: {games} games, {fmean(s.decisions_per_seat for s in samples):.0f} decisions a seat"
    ]
    turns = [s.turns for s in samples if s.turns is not None]
    if turns:
        lines[0] += f", {fmean(turns) / seats:.1f} rounds of turns"
    total: Counter[str] = Counter()
    for each in samples:
        total.update(each.measures)
    return "\n".join([*lines, *(f"    {name:28} {total[name] / games:8.2f}" for name in sorted(total))])


def main(argv: Sequence[str]) -> int:
    """Play, count and print; 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--game", choices=registry.names(), required=True)
    parser.add_argument("--bots", nargs="*", choices=BOTS, default=["greedy", "random"])
    parser.add_argument("--seats", type=int, nargs="*", help="numbers of seats; default all of the game")
    parser.add_argument("--games", type=int, default=20, help="games for each bot and number of seats")
    parser.add_argument("--limit-ms", type=float, default=50, help="limit of a decision, in processor time")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args(argv)
    for bot in arguments.bots:
        for seats in arguments.seats or registry.get(arguments.game).seats:
            seeds = range(arguments.seed, arguments.seed + arguments.games)
            limit_us = round(arguments.limit_ms * 1000)
            samples = [sample(play(arguments.game, bot, seats, seed, limit_us)) for seed in seeds]
            print(report(seats, bot, samples), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
