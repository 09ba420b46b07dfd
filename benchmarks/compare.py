"""Whether the sequential test of `arena compare` keeps its word: how often it is wrong, and how many blocks it needs.

    python -m benchmarks.compare                        # 1,000 tests of each kind, seeds from 0; some minutes
    python -m benchmarks.compare --tests 100

Pairs of blocks are drawn from distributions whose mean is exactly the lower or the upper hypothesis, where errors are
most frequent. Alpha and beta are 5 %; a rate is within Monte-Carlo error if it is below 5 % + 2.6 standard errors.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.support.simulations.compare import KINDS, allowed, rates


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rates; 1 if one of them is above what was promised."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=1000)
    options = parser.parse_args(arguments)
    print(f"{options.tests} tests each; promised: wrong at most 5 % (here {allowed(0.05, options.tests):.1%})")
    print(f"{'':30}{'NEW gains nothing':>34}{'NEW gains the upper mean':>34}")
    print(f"{'':30}" + f"{'wrong':>12}{'undecided':>12}{'pairs':>10}" * 2)
    failed = 0
    for kind in KINDS:
        line = f"{kind.name:30}"
        for is_better in (False, True):
            found = rates(kind, options.tests, is_better=is_better)
            failed |= found.wrong > allowed(0.05, options.tests)
            line += f"{found.wrong:12.1%}{found.undecided:12.1%}{found.pairs:10.0f}"
        print(line, flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
