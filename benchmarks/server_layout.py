"""Which tournaments a large book of record has, and how many matches each of them, in the order of planning.

Five pools of two seats: in each a ladder of all bots, which takes turns with round robins of forty versions. The last
pool is one in which nobody plays any more: its matches are the oldest of the book. Every other ladder still runs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ratings.ledger.rating import pool_of

SHARES = (0.40, 0.25, 0.20, 0.10, 0.05)
POOLS = [pool_of("foreign_king", "1", 2, {}, time) for time in ("100ms", "10ms", "1s", "5s", "30s")]
LARGEST, OLDEST = POOLS[0].pool_id, POOLS[-1].pool_id
ROUND_ROBINS, ENTRANTS, NEIGHBOURS = 20, 40, 40
TOURNAMENTS_A_POOL = ROUND_ROBINS + 1
"""Tournament `n * TOURNAMENTS_A_POOL` is the ladder of pool `n`, and those up to the next are its round robins."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a book is."""

    matches: int
    bots: int = 1000
    to_play: int = 1000
    """How many matches of the largest ladder are still to be played; of each other there are a tenth of them."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Matches of one tournament that were planned one after another: a wave."""

    tournament: int
    pool: str
    first_match: int
    """The number of its first match in the book."""
    matches: int
    first_place: int
    """The place of its first match in the schedule of the tournament."""
    first_seq: int | None
    """The place of its first match in the order of rating; `None` for matches that are still to be played."""
    wave: int
    entrants: int
    first_version: int
    step: int
    """Entrant `n` is version `first_version + n * step`, counted round."""
    reach: int
    """Everybody meets so many of those behind him in the order of entry."""


def segments(size: Size) -> list[Segment]:
    """Return the waves of all tournaments, in the order in which they were planned."""
    layout, last = _Layout(size), len(POOLS) - 1
    turns = [(last, turn) for turn in range(ROUND_ROBINS)]
    turns += [(pool, turn) for turn in range(ROUND_ROBINS) for pool in range(last)]
    for pool, turn in turns:
        each = max(2, int(size.matches * SHARES[pool] / ROUND_ROBINS / 4) * 2)
        layout.add(pool, 0, each)
        layout.add(pool, 1 + turn, each)
    for pool in range(last):
        layout.add(pool, 0, max(2, size.to_play // (1 if pool == 0 else 10) // 2 * 2), is_over=False)
    return layout.found


class _Layout:
    """The waves so far, and where the next ones begin."""

    def __init__(self, size: Size) -> None:
        self.found: list[Segment] = []
        self._bots = size.bots
        self._match = 0
        self._places: Counter[int] = Counter()
        self._waves: Counter[int] = Counter()
        self._seqs: Counter[int] = Counter()

    def add(self, pool: int, of_pool: int, matches: int, *, is_over: bool = True) -> None:
        """Add a wave of a tournament of a pool: 0 for its ladder."""
        tournament = pool * TOURNAMENTS_A_POOL + of_pool
        who = (self._bots, 1, 2, NEIGHBOURS) if of_pool == 0 else (ENTRANTS, tournament * 37, 1, ENTRANTS)
        seq = 1 + self._seqs[pool] if is_over else None
        self.found.append(
            Segment(
                tournament,
                POOLS[pool].pool_id,
                self._match,
                matches,
                self._places[tournament],
                seq,
                self._waves[tournament],
                *who,
            )
        )
        self._match += matches
        self._places[tournament] += matches
        self._waves[tournament] += 1
        self._seqs[pool] += matches if is_over else 0
