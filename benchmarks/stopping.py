"""Whether playing where information is worth most answers who is best with fewer matches, and whether it is then so.

    python -m benchmarks.stopping                       # 26 kinds of fields and the accuracy at a budget; half an hour
    python -m benchmarks.stopping --kinds "two best" --fields 60 --no-accuracy

In each kind of field bots of known strength play until the question is "known at 95% within 10 Elo", or as its name
says, or so many `--blocks` are played. An answer is wrong where somebody named is weaker by more than the zone than
somebody who is not named: in at most 5 % of those called known. Without a zone it is at most 5 % of all: which of two
almost equal bots is the better one, the few that are called known by luck are as likely to get wrong as right. Beside:
how many matches it took, the median of those called known.

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

from arena.tournament.formats.adaptive import DEFAULT_BLOCKS
from tests.support.simulations.stopping import BOTS, KINDS, Kind, adaptive, field_of, round_robin, until_known

_AT_ONCE = 25


def show_answers(kinds: Sequence[Kind], fields: int, blocks: int) -> bool:
    """Print, for each kind of field, how many answers were known and wrong; return whether each kept its promise."""
    is_kept = True
    print(f"at most {blocks} blocks, {fields} fields of each kind")
    for kind in kinds:
        with Pool() as pool:
            parts = pool.map(partial(until_known, kind, blocks), _parts(fields), chunksize=1)
        answers = [answer for part in parts for answer in part]
        known = [answer for answer in answers if answer.is_known]
        wrong = sum(not answer.is_right for answer in known)
        matches_of = f"{median(answer.matches for answer in known):.0f}" if known else "-"
        # One wrong answer of few is chance: it says something only where it would be rare at that rate.
        is_kept &= wrong <= max(1, (1 - kind.confidence) * (len(known) if kind.within else fields))
        print(
            f"  {kind.name:<40} known {len(known):>4}, wrong {wrong:>3}; median of matches {matches_of:>5}", flush=True
        )
    return is_kept


def _parts(fields: int) -> list[range]:
    """Return the seeds of fields that are played at once, so many at most."""
    return [range(start, min(start + _AT_ONCE, fields)) for start in range(0, fields, _AT_ONCE)]


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
    parser.add_argument("--blocks", type=int, default=DEFAULT_BLOCKS)
    parser.add_argument("--kinds", default="", help="those whose names hold this text")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-accuracy", action="store_true")
    options = parser.parse_args(arguments)
    kinds = [kind for kind in KINDS if options.kinds in kind.name]
    is_kept = show_answers(kinds, options.fields, options.blocks)
    if not options.no_accuracy:
        is_kept &= show_accuracy(options.fields, options.rounds)
    return not is_kept


if __name__ == "__main__":
    sys.exit(main())
