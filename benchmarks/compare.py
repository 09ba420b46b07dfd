"""Whether the sequential test of `arena compare` keeps its word: how often it is wrong, and how many steps it needs.

    python -m benchmarks.compare                        # 1,000 tests of each kind, seeds from 0; some ten minutes
    python -m benchmarks.compare --tests 100

Each kind of field is tried where NEW gains nothing, half of what is asked, just that, and twice as much; and then 190
Elo and every match. Alpha and beta are 5 %; a rate is within Monte-Carlo error if it is below 5 % + 2.6 standard
errors. Beside the steps stand those of fishtest's pentanomial test, asked the same (`--peer 0` leaves it out).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from ratings.statistics.elo import expected_score
from tests.support.simulations.compare import KINDS, Kind, Rates, allowed, pentanomial_steps, rates

BIG = expected_score(190) - 0.5


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rates; 1 if one of them is above what was promised."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=1000)
    parser.add_argument("--peer", type=int, default=100, help="tests of the peer; 0: none")
    options = parser.parse_args(arguments)
    print(f"{options.tests} tests each; promised: wrong at most 5 % (here {allowed(0.05, options.tests):.1%})")
    print(f"{'':28}{'gain':>8}{'better':>9}{'not':>9}{'undecided':>11}{'steps':>9}{'pentanomial':>13}")
    failed = 0
    for kind in KINDS:
        for gain in _gains(kind):
            found = rates(kind, gain, options.tests)
            peer = f"{pentanomial_steps(kind, gain, options.peer):13.0f}" if options.peer else ""
            wrong = _wrong(kind, gain, found)
            failed |= wrong > allowed(0.05, options.tests)
            line = f"{kind.name:28}{gain:8.3f}{found.better:9.1%}{found.not_better:9.1%}{found.undecided:11.1%}"
            print(f"{line}{found.steps:9.0f}{peer}", flush=True)
    return failed


def _gains(kind: Kind) -> Iterator[float]:
    yield from (0.0, kind.gain / 2, kind.gain, 2 * kind.gain)
    if 2 * kind.gain < BIG:
        yield BIG
    yield 0.499


def _wrong(kind: Kind, gain: float, found: Rates) -> float:
    if gain <= 0:
        return found.better
    return found.not_better if gain >= kind.gain else 0.0


if __name__ == "__main__":
    sys.exit(main())
