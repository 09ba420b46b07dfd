"""Whether the sequential test of `arena compare` keeps its word: how often it is wrong, and how many steps it needs.

    python -m benchmarks.compare                        # 1,000 tests of each kind, some five minutes
    python -m benchmarks.compare --tests 100 --peer 100
    python -m benchmarks.compare --only "one side"      # the kinds whose names begin so

Each kind of field is tried at the lower gain that is asked about, half-way, at the upper one, and as far again; then at
190 Elo and where NEW wins every match, twenty times as often, since these tests are short. Alpha and beta are 5 %; a
rate is within Monte-Carlo error if it is below 5 % + 2.6 standard errors. At most 5 % are undecided at the limit that
`arena compare` takes by itself. Beside the steps stand those of fishtest's pentanomial test, asked the same (`--peer 0`
leaves it out), and how many times as many ours takes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from benchmarks.kinds import named
from ratings.statistics.scores import expected_score
from tests.support.simulations.compare import KINDS, Kind, Rates, allowed, pentanomial_steps, rates

BIG = expected_score(190) - 0.5
_OF_SHORT_ONES = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rates; 1 if one of them is above what was promised."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=1000)
    parser.add_argument("--peer", type=int, default=1000, help="tests of the peer; 0: none")
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    most = allowed(0.05, options.tests)
    print(f"{options.tests} tests each; promised: wrong, and undecided, at most 5 % (here {most:.1%})")
    print(f"{'':28}{'gain':>8}{'better':>9}{'not':>9}{'undecided':>11}{'steps':>9}{'pentanomial':>13}{'times':>8}")
    failed = False
    for kind in named(KINDS, options.only):
        for gain in _gains(kind):
            tests, peers = (_tests(kind, gain, number) for number in (options.tests, options.peer))
            found = rates(kind, gain, tests, options.seed)
            failed |= max(_wrong(kind, gain, found), found.undecided) > allowed(0.05, tests)
            line = f"{kind.name:28}{gain:8.3f}{found.better:9.1%}{found.not_better:9.1%}{found.undecided:11.1%}"
            print(f"{line}{found.steps:9.1f}{_beside(kind, gain, peers, found, options.seed)}", flush=True)
    return failed


def _beside(kind: Kind, gain: float, tests: int, found: Rates, seed: int) -> str:
    if not tests:
        return ""
    peer = pentanomial_steps(kind, gain, tests, seed)
    return f"{peer:13.1f}{found.steps / peer:8.2f}"


def _tests(kind: Kind, gain: float, tests: int) -> int:
    """Count the tests that are tried, out of so many; 0 of none."""
    if not tests:
        return 0
    return _OF_SHORT_ONES * tests if gain >= BIG else kind.part_of(tests)


def _gains(kind: Kind) -> Iterator[float]:
    yield from (kind.lower, kind.lower + kind.gain / 2, kind.upper, kind.upper + kind.gain)
    if kind.upper + kind.gain < BIG:
        yield BIG
    yield 0.499


def _wrong(kind: Kind, gain: float, found: Rates) -> float:
    if gain <= kind.lower:
        return found.better
    return found.not_better if gain >= kind.upper else 0.0


if __name__ == "__main__":
    sys.exit(main())
