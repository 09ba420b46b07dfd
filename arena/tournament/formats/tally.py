"""What blocks are worth, and the table that follows. Pure, no I/O.

In a match a seat gets 2 points for every opponent it beats and 1 for every one it ties with. All in whole numbers, so
that equal scores are equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arena.tournament.formats.format import Standing
from arena.tournament.formats.situation import BlockState, PlayedBlock, Situation


def most_points(seats: int) -> int:
    """What one entrant can get in one block."""
    return seats * 2 * (seats - 1)


def block_points(block: PlayedBlock) -> dict[str, int]:
    """Points by entrant; nobody has any in a block that is not whole."""
    points = dict.fromkeys(block.order, 0)
    if block.is_whole:
        for rotation, ranks in enumerate(block.ranks):
            for seat, rank in enumerate(ranks):
                points[_sitting(block, rotation, seat)] += _match_points(rank, ranks)
    return points


def _match_points(rank: int, ranks: Sequence[int]) -> int:
    return sum(2 * (other > rank) + (other == rank) for other in ranks) - 1


def _sitting(block: PlayedBlock, rotation: int, seat: int) -> str:
    return block.order[(rotation + seat) % len(block.order)]


@dataclass(slots=True)
class Tally:
    """What an entrant has from its blocks."""

    points: int = 0
    possible: int = 0
    whole: int = 0
    void: int = 0
    planned: int = 0
    """All its blocks, also those still to be played."""
    failed_in_a_row: int = 0
    """Its last whole blocks in which it forfeited every match."""
    byes: int = 0
    met: Counter[str] = field(default_factory=Counter)
    """How many blocks it was planned in with each other entrant."""


def tally(situation: Situation) -> dict[str, Tally]:
    """By entrant, all who ever entered; byes are the format's to add."""
    tallies = {entrant.id: Tally() for entrant in situation.entrants}
    for block in situation.blocks:
        points = block_points(block)
        for entrant, chairs in Counter(block.order).items():
            _count(tallies[entrant], block, entrant, points[entrant], chairs)
    return tallies


def _count(own: Tally, block: PlayedBlock, entrant: str, points: int, chairs: int) -> None:
    """`chairs` is how many seats of a match it has: more than one when it plays itself."""
    own.planned += 1
    own.met.update(other for other in block.order if other != entrant)
    own.void += block.state is BlockState.VOID
    if block.is_whole:
        own.points += points
        own.possible += chairs * most_points(len(block.order))
        own.whole += 1
        failed = all(entrant in forfeits for forfeits in block.forfeits)
        own.failed_in_a_row = own.failed_in_a_row + 1 if failed else 0


def keep_failing(tallies: Mapping[str, Tally], most: int) -> frozenset[str]:
    """Who forfeited every match of its last `most` whole blocks; nobody if `most` is 0."""
    return frozenset(entrant for entrant, own in tallies.items() if most and own.failed_in_a_row >= most)


def standing_rows(
    situation: Situation,
    tallies: Mapping[str, Tally],
    key: Callable[[str], Any],
    status: Callable[[str], str] | None = None,
) -> list[Standing]:
    """The entrants with the least `key` first, equal ones at one place in the order of entry."""
    entered = [entrant.id for entrant in situation.entrants if entrant.joined <= situation.wave]
    rows: list[Standing] = []
    for number, entrant in enumerate(sorted(entered, key=key)):
        own = tallies[entrant]
        shared = rows and key(rows[-1].entrant) == key(entrant)
        place = rows[-1].place if shared else number + 1
        rows.append(Standing(entrant, place, own.points, own.possible, own.whole))
    left = {entrant.id for entrant in situation.entrants if entrant.withdrawn is not None}
    say = status or (lambda _: "")
    return [replace(row, status="withdrawn" if row.entrant in left else say(row.entrant)) for row in rows]


def by_score(tallies: Mapping[str, Tally]) -> Callable[[str], Any]:
    """The key that puts the better score first, and at equal scores those who have played."""
    return lambda entrant: (-tallies[entrant].points / max(1, tallies[entrant].possible), not tallies[entrant].whole)


def pair_count(blocks: Iterable[Sequence[str]]) -> Counter[frozenset[str]]:
    """How many of the blocks each set of entrants was in."""
    return Counter(frozenset(order) for order in blocks)
