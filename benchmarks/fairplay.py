"""How well planted collusion is found, and how often an honest field raises an alarm.

    python -m benchmarks.fairplay                       # 300 honest fields and 50 of each kind of collusion
    python -m benchmarks.fairplay --honest 1000

Twelve bots of drawn strength; in the dishonest fields four of them collude. The seed of a simulation is its number.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ratings.statistics.fairplay.pairs import suspicious_pairs
from tests.support.simulations.fairplay import DISHONEST, HONEST, is_true, played


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both; 1 if honest fields raise an alarm too often or collusion stays hidden."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--honest", type=int, default=300)
    parser.add_argument("--dishonest", type=int, default=50)
    options = parser.parse_args(arguments)
    failed = False
    for kind in HONEST:
        alarms = sum(bool(suspicious_pairs(played(kind, seed))) for seed in range(options.honest))
        failed |= alarms > 0.01 * options.honest
        print(f"honest, {kind.name:32} {alarms} of {options.honest} fields raise an alarm", flush=True)
    for kind in DISHONEST:
        found = [suspicious_pairs(played(kind, seed)) for seed in range(options.dishonest)]
        hits = sum(any(map(is_true, pairs)) for pairs in found)
        pairs = sum(len({frozenset((one.first, one.second)) for one in pairs if is_true(one)}) for pairs in found)
        wrong = sum(not is_true(pair) for pairs in found for pair in pairs)
        failed |= hits < 0.95 * options.dishonest
        share = f"{pairs / options.dishonest:.1f} of the 6 pairs on average; {wrong} innocent pairs in all"
        print(f"collusion, {kind.name:29} found in {hits} of {options.dishonest} fields; {share}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
