"""Whether playing where information is worth most answers who is best with fewer matches, and whether it is then so.

    python -m benchmarks.stopping                       # ten kinds of fields and the accuracy at a budget; an hour
    python -m benchmarks.stopping --fields 20 --matches 1200

In each kind of field sixteen bots of known strength play until the question is "known at 95% within 10 Elo", or so many
`--matches` are played. An answer is wrong where somebody named is weaker by more than the zone than somebody who is not
named: in at most 5 % of those called known. Beside: how many matches it took, the median of those called known.

Then the best three of 16 at a budget, without a stop rule: each field plays a full round robin (every pair in `rounds`
blocks of two matches), and adaptively with 60 % of its matches; the accuracy is the share of fields whose true top 3 is
the table's. The seed of a field is its number.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from multiprocessing import Pool
from statistics import median

from tests.support.simulations.stopping import BOTS, KINDS, adaptive, field_of, round_robin, until_known

_MOST_WRONG = 0.05


def show_answers(fields: int, matches: int, within: float) -> bool:
    """Print, for each kind of field, how many answers were known and wrong; return whether each kept its promise."""
    is_kept = True
    print(f"known at 95% within {within:g} Elo, at most {matches} matches, {fields} fields of each kind")
    for kind in KINDS:
        with Pool() as pool:
            answers = pool.map(partial(until_known, kind, matches, within=within), range(fields), chunksize=1)
        known = [answer for answer in answers if answer.is_known]
        wrong = sum(not answer.is_right for answer in known)
        matches_of = f"{median(answer.matches for answer in known):.0f}" if known else "-"
        # One wrong answer of few is chance: it says something only where it would be rare at a rate of 5 %.
        is_kept &= wrong <= max(1, _MOST_WRONG * len(known))
        print(
            f"  {kind.name:<48} known {len(known):>4}, wrong {wrong:>3}; median of matches {matches_of:>5}", flush=True
        )
    return is_kept


def show_accuracy(fields: int, rounds: int) -> bool:
    """Print how often a round robin and adaptive play find the best three; return whether the second is no worse."""
    matches = rounds * BOTS * (BOTS - 1)
    full = sum(round_robin(field_of(seed), rounds, seed) for seed in range(fields))
    print(f"round robin, {matches} matches: top 3 right in {full} of {fields} fields", flush=True)
    right = sum(adaptive(field_of(seed), matches * 6 // 10, seed) for seed in range(fields))
    print(f"adaptive, at most {matches * 6 // 10} matches: top 3 right in {right} of {fields} fields")
    return right >= full


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both; 1 if more of the answers are wrong than was said, or adaptive play is less accurate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fields", type=int, default=100)
    parser.add_argument("--matches", type=int, default=4000)
    parser.add_argument("--within", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-accuracy", action="store_true")
    options = parser.parse_args(arguments)
    is_kept = show_answers(options.fields, options.matches, options.within)
    if not options.no_accuracy:
        is_kept &= show_accuracy(options.fields, options.rounds)
    return not is_kept


if __name__ == "__main__":
    sys.exit(main())
