"""Whether playing where information is worth most answers "who are the best three of 16?" with fewer matches.

    python -m benchmarks.stopping                       # 200 fields of two seats; a few minutes
    python -m benchmarks.stopping --fields 50 --rounds 8

Each field plays a full round robin (every pair in `rounds` blocks of two matches), and adaptively with 60 % of its
matches; the accuracy is the share of fields whose true top 3 is the table's. Then "top 3 known at 95%" is played until
it is known or the round robin's matches are used up: how many were needed, and how often was the answer right? The seed
of a field is its number.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.support.simulations.stopping import BOTS, adaptive, field_of, round_robin


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both; 1 if adaptive play with 60 % of the matches is less accurate than the round robin."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fields", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    matches = options.rounds * BOTS * (BOTS - 1)
    full = sum(round_robin(field_of(seed), options.rounds, seed) for seed in range(options.fields))
    print(f"round robin, {matches} matches: top 3 right in {full} of {options.fields} fields", flush=True)
    runs = [adaptive(field_of(seed), matches * 6 // 10, matches, seed) for seed in range(options.fields)]
    right = sum(run.is_right for run in runs)
    print(f"adaptive, at most {matches * 6 // 10} matches: top 3 right in {right} of {options.fields} fields")
    known = [run for run in runs if run.is_known]
    correct = sum(run.known_is_right for run in known)
    mean = sum(run.known_matches for run in runs) / len(runs)
    print(
        f"known at 95% within {matches} matches: {len(known)} fields, right in {correct}; {mean:.0f} matches on average"
    )
    return right < full


if __name__ == "__main__":
    sys.exit(main())
