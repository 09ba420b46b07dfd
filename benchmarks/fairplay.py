"""How well planted collusion is found, and how often an honest field raises an alarm, also one of styles.

    python -m benchmarks.fairplay                       # 300 honest fields, 50 of each kind of styles and of collusion
    python -m benchmarks.fairplay --honest 1000 --styles 200 --dishonest 200
    python -m benchmarks.fairplay --only "5 seats"      # the kinds whose names begin so
    python -m benchmarks.fairplay --seed 0              # the fields on which the constants were chosen

Twelve bots of drawn strength, six in one kind; in the dishonest fields two or four of them collude. Beside each figure
stands what chance alone as the null would give, without regard to styles, from the same matches. The seed of a
simulation is its number, counted from `--seed`: 1,000 if nothing else is said, beyond all fields on which the constants
of `ratings.statistics.fairplay_pairs` were chosen, so that the figures are not those of a fit to them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks.kinds import named
from ratings.statistics.fairplay_pairs import FairPlayReport, fair_play
from tests.support.simulations.fairplay import DISHONEST, HONEST, STYLES, Kind, is_true, played

_FRESH = 1000
_MOST_ALARMS = 0.01
_MOST_OF_STYLES = 0.21
_LEAST_FOUND = 0.9


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both; 1 if honest fields raise an alarm too often or collusion stays hidden."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--honest", type=int, default=300)
    parser.add_argument("--styles", type=int, default=50)
    parser.add_argument("--dishonest", type=int, default=50)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=_FRESH, help="that of the first field of each kind")
    options = parser.parse_args(arguments)
    wanted = named([*HONEST, *STYLES, *DISHONEST], options.only)
    failed, first = False, options.seed
    for kinds, fields, most in ((HONEST, options.honest, _MOST_ALARMS), (STYLES, options.styles, _MOST_OF_STYLES)):
        for kind in wanted if fields else ():
            if kind not in kinds:
                continue
            failed |= _alarms(kind, range(first, first + fields)) > most * fields
    for kind in wanted if options.dishonest else ():
        if kind not in DISHONEST:
            continue
        failed |= _hits(kind, range(first, first + options.dishonest)) < _LEAST_FOUND * options.dishonest
    return failed


def _alarms(kind: Kind, seeds: range) -> int:
    """Print and return how many honest fields raise an alarm."""
    seen = [fair_play(played(kind, seed)) for seed in seeds]
    alarms, before = sum(bool(one.suspicions) for one in seen), sum(map(_by_chance_alone, seen))
    share = f"{alarms} of {len(seeds)} fields raise an alarm; by chance alone {before}"
    print(f"honest, {kind.name:32} {share}", flush=True)
    return alarms


def _hits(kind: Kind, seeds: range) -> int:
    """Print and return in how many dishonest fields collusion is found."""
    seen = [fair_play(played(kind, seed)) for seed in seeds]
    hits, before = sum(any(map(is_true, one.suspicions)) for one in seen), sum(map(_by_chance_alone, seen))
    named = {
        (seed, frozenset((pair.first, pair.second)))
        for seed, one in zip(seeds, seen, strict=True)
        for pair in one.suspicions
        if is_true(pair)
    }
    wrong = sum(not is_true(pair) for one in seen for pair in one.suspicions)
    share = f"{len(named) / len(seeds):.1f} pairs on average; {wrong} innocent pairs in all; by chance alone {before}"
    print(f"collusion, {kind.name:29} found in {hits} of {len(seeds)} fields; {share}", flush=True)
    return hits


def _by_chance_alone(one: FairPlayReport) -> bool:
    """Return whether some pair goes beyond chance, whatever is usual in its field."""
    return bool(one.suspicions or one.styles or one.circles)


if __name__ == "__main__":
    sys.exit(main())
