"""How often the official table tells a circle where there is none, how often where there is one, and what that costs.

    python -m benchmarks.circles                        # 200 simulations of each kind of field, then time
    python -m benchmarks.circles --simulations 50 --no-speed

In fields without circles at most 5 % of the tables shall tell one. Where three bots go round, or all in three styles,
"wrong" counts the tables that tell a circle that is not there. The seed of a simulation is its number; the figures
repeat exactly.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from ratings.statistics.circles import ALARM, find_circles, meetings
from ratings.statistics.official_table import official_table
from ratings.statistics.results import count
from tests.support.simulations.circles import HONEST, RINGS, seen, with_circles
from tests.support.simulations.official import big_results


def show_cost() -> None:
    """Print what part of the time of a whole table the look for circles takes, and asking for the mixture more."""
    for matches, seats, bots in ((10_000, 2, 50), (1_000_000, 2, 50), (1_000_000, 4, 50), (100_000, 2, 500)):
        results = big_results(matches, seats, bots)
        start = time.process_time()
        official_table(results)
        whole = time.process_time() - start
        counts = count(results)
        start = time.process_time()
        find_circles(meetings(counts), counts.versions)
        part = time.process_time() - start
        start = time.process_time()
        official_table(results, with_mixture=True)
        asked = time.process_time() - start
        print(
            f"{matches:>9,} matches, {seats} seats, {bots} bots: table {whole:.2f} s of processor, "
            f"circles {part / whole:.1%} of it; with the mixture {asked / whole:.2f} times",
            flush=True,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print all; 1 if a field without circles tells one too often."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--no-speed", action="store_true")
    options = parser.parse_args(arguments)
    worst = 0
    print(f"no circle, {options.simulations} tables each (seeds from 0): told")
    for kind in HONEST:
        found = seen(kind, options.simulations)
        worst |= found.told > ALARM * found.tables
        print(f"  {kind.name:<56}{found.told / found.tables:7.1%}", flush=True)
    for elo in RINGS:
        print(f"a circle of {elo:.0f} Elo a step: told, and wrong")
        for kind in with_circles(elo):
            found = seen(kind, options.simulations)
            print(f"  {kind.name:<56}{found.right / found.tables:7.1%}{found.wrong / found.tables:7.1%}", flush=True)
    if not options.no_speed:
        show_cost()
    return worst


if __name__ == "__main__":
    sys.exit(main())
