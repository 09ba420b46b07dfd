"""How true the official table's intervals are, and how fast it is.

    python -m benchmarks.official                       # 200 simulations of each of sixteen kinds of fields, then speed
    python -m benchmarks.official --simulations 50 --no-speed
    python -m benchmarks.official --only "3 seats"      # the kinds whose names begin so, without speed

Bots of known strength play, the table is fitted, and every interval holds the truth or not: of the 95 % intervals
92 to 98 % shall (of tables of few matches 90 to 99.5 %). Beside: how often who stands ahead of another is stronger, by
the table and in truth, and by how many Elo the first of a table is overrated. The seed of a simulation is its number;
the figures repeat exactly.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from benchmarks.kinds import named
from ratings.statistics.official_table import official_table
from tests.support.simulations.official import KINDS, big_results, coverage


def show_speed() -> None:
    """Print how long whole tables take."""
    for matches, seats in ((10_000, 2), (10_000, 4), (1_000_000, 2), (1_000_000, 4)):
        results = big_results(matches, seats)
        start, processor = time.perf_counter(), time.process_time()
        official_table(results)
        wall, processor = time.perf_counter() - start, time.process_time() - processor
        print(f"{matches:>9,} matches, {seats} seats, 50 bots: {wall:7.2f} s (processor {processor:.2f} s)", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both; 1 if a kind of field is outside the bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--no-speed", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args(arguments)
    head = f"95 % intervals, {options.simulations} simulations each (seeds from 0)"
    print(f"{head:<56}strength     rank     seat    order said / true   first")
    worst = 0
    for kind in named(KINDS, options.only):
        seen = coverage(kind, options.simulations)
        inside = kind.bounds[0] <= seen.share <= kind.bounds[1]
        worst |= not inside
        figures = (seen.share, seen.rank_hits / seen.ranks, seen.seat_hits / seen.seats)
        print(
            f"{kind.name:<54}" + "".join(f"{figure:10.1%}" for figure in figures),
            f"{seen.said / seen.pairs:10.1%} / {seen.ahead / seen.pairs:5.1%}{seen.leads_by:+8.0f}",
            "" if inside else "  OUTSIDE",
            flush=True,
        )
    if not (options.no_speed or options.only):
        show_speed()
    return worst


if __name__ == "__main__":
    sys.exit(main())
