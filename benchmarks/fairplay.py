"""How well planted collusion is found, and how often an honest field raises an alarm.

    python -m benchmarks.fairplay                       # 300 honest fields and 50 of each kind of collusion
    python -m benchmarks.fairplay --honest 1000

Twelve bots of drawn strength; in the dishonest fields four of them collude. The seed of a simulation is its number.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.fields import Field, drawn_tables, play
from ratings.statistics.fairplay.pairs import Suspicion, suspicious_pairs
from ratings.statistics.official.results import Floats, Ints, Results

BOTS = 12
COLLUDERS = 4


def support(seats: Ints) -> Floats:
    """Every colluder gains 0.8 (139 Elo) for each partner at the table."""
    inside = seats < COLLUDERS
    partners = inside.sum(axis=1, keepdims=True) - 1
    return np.where(inside, 0.8 * partners, 0.0)


def kingmaking(seats: Ints) -> Floats:
    """The first of the colluders at the table gains 0.6 (104 Elo) if others are there, and these lose as much."""
    inside = seats < COLLUDERS
    first = np.where(inside, seats, BOTS).min(axis=1, keepdims=True)
    has_partner = inside.sum(axis=1, keepdims=True) > 1
    return np.where(inside & has_partner, np.where(seats == first, 0.6, -0.6), 0.0)


def throwing(seats: Ints) -> Floats:
    """A colluder that meets a colluder of lower number plays 1.2 (208 Elo) weaker."""
    inside = seats < COLLUDERS
    first = np.where(inside, seats, BOTS).min(axis=1, keepdims=True)
    return np.where(inside & (seats != first), -1.2, 0.0)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of field."""

    name: str
    seats: int
    blocks: int
    bonus: Callable[[Ints], Floats] | None
    luck: float = 0.0


HONEST = (
    Kind("2 seats", 2, 3300, None),
    Kind("3 seats", 3, 1500, None),
    Kind("4 seats", 4, 1000, None),
    Kind("4 seats, luck of the block", 4, 1000, None, luck=0.5),
)
DISHONEST = (
    Kind("2 seats, throwing matches", 2, 3300, throwing),
    Kind("3 seats, support", 3, 2500, support),
    Kind("4 seats, support", 4, 1000, support),
    Kind("4 seats, kingmaking", 4, 1250, kingmaking),
)


def played(kind: Kind, seed: int) -> Results:
    """A field of this kind."""
    random = np.random.default_rng(seed)
    field = Field(
        random.normal(0, 0.6, BOTS), np.linspace(0.2, -0.2, kind.seats), -1.0 - np.arange(kind.seats - 1.0), kind.luck
    )
    return play(field, drawn_tables(random, BOTS, kind.seats, kind.blocks), random, kind.bonus)


def is_true(pair: Suspicion) -> bool:
    """Whether both are colluders."""
    return all(int(version.removeprefix("bot")) < COLLUDERS for version in (pair.first, pair.second))


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
