"""How much stronger the sample bots of other languages are than the random one, as real processes in the sandbox.

    python -m benchmarks.languages [--bot node] [--game rex_romanorum] [--seats 2 4] [--matches 100] [--sandbox none]

One bot of the language sits among random ones, in each seat in turn. Score: 1 for the first rank, 0 for the last, ties
in the middle. The seeds are fixed and both kinds of bots draw from them alone, so the figures repeat exactly. Fails if
a score is below 0.7, or if any seat commits a fault. The tests play a few of the same matches.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence

from arena.hosting.sample_bots import sample_directory
from arena.hosting.sandbox.limits import LEVELS, STANDARD
from engine import registry
from tests.support.hosted_bots import open_hosted_bots

BOTS = ("node", "cpp")
GOAL = 0.7


async def run(options: argparse.Namespace) -> bool:
    """Print a line for every bot, game and number of seats. Return whether all goals are met."""
    is_met = True
    directories = {bot: sample_directory(bot) for bot in options.bot}
    async with open_hosted_bots(options.sandbox, directories) as hosted_bots:
        for bot in options.bot:
            for game in options.game or registry.single_names():
                for seats in options.seats or registry.get(game).seats:
                    result = await hosted_bots.play(bot, game, seats, options.matches)
                    is_met = is_met and result.mean >= GOAL and not result.faults
                    line = f"{bot:6}  {game:14}  {seats:5}  {options.matches:7}  {result.mean:.3f}"
                    print(f"{line}  {len(result.faults):6}", flush=True)
                    for fault in result.faults[:3]:
                        print(f"  {fault}")
    return is_met


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 0 if every score reaches the goal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.languages", description=__doc__)
    parser.add_argument("--bot", nargs="*", choices=BOTS, default=BOTS)
    parser.add_argument("--game", nargs="*", help="by default all")
    parser.add_argument("--seats", type=int, nargs="*", help="by default all of the game")
    parser.add_argument("--matches", type=int, default=100, help="for each game and number of seats")
    parser.add_argument("--sandbox", choices=LEVELS, default=STANDARD)
    print(f"bot     game            seats  matches  score (goal {GOAL})  faults")
    return 0 if asyncio.run(run(parser.parse_args(arguments))) else 1


if __name__ == "__main__":
    sys.exit(main())
