"""Round robin for any number of seats: who meets whom, in which seats, in which order. Pure, no I/O.

The atom is a block: one circular order of the entrants of one combination, played in all its cyclic shifts, so that
each of them sits in each seat once and has the same neighbours throughout. Every combination of entrants is played
in equally many blocks.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from arena.tournament.formats.circular_orders import circular_order
from arena.tournament.formats.combinations import CombinationOrder
from arena.tournament.formats.errors import ScheduleError
from arena.tournament.formats.seeds import derive
from engine.chance import SeededChance

MAX_MATCHES = 250_000


@dataclass(frozen=True, slots=True)
class Block:
    """One block of the schedule: its place in it, and the circular order of its entrants."""

    index: int
    order: tuple[str, ...]

    @property
    def pairings(self) -> tuple[tuple[str, ...], ...]:
        """The entrants by seat, one pairing a rotation."""
        return tuple(self.order[shift:] + self.order[:shift] for shift in range(len(self.order)))


def schedule(entrants: Sequence[str], *, seats: int, blocks: int, seed: int) -> list[Block]:
    """The blocks in the order of play: each combination of `seats` entrants in `blocks` blocks.

    A function of its arguments alone; of the entrants only their places in the list matter, never their names. The
    combinations alternate so that every beginning of the list is balanced; of one combination, successive blocks run
    through all (seats - 1)! circular orders in a drawn order, and then through all anew. Raises ScheduleError.
    """
    check_schedule(entrants, seats=seats, blocks=blocks)
    secret = seed.to_bytes(8, "big")
    combinations = CombinationOrder(len(entrants), seats)
    planned: list[Block] = []
    for cycle in range(blocks):
        for combination in combinations.deal(SeededChance(derive(secret, "cycle", cycle))):
            around = circular_order(combination, cycle, seed)  # each plays once a cycle
            planned.append(Block(len(planned), tuple(entrants[place] for place in around)))
    return planned


def count_matches(entrants: int, *, seats: int, blocks: int) -> int:
    """How many matches `schedule` plans."""
    return math.comb(entrants, seats) * blocks * seats


def check_schedule(entrants: Sequence[str], *, seats: int, blocks: int) -> None:
    """Raise ScheduleError unless `schedule` can plan this."""
    if seats < 2:
        raise ScheduleError(f"a round robin needs at least 2 seats, not {seats}")
    if blocks < 1:
        raise ScheduleError(f"a round robin needs at least 1 block a combination, not {blocks}")
    repeated = [entrant for entrant, times in Counter(entrants).items() if times > 1]
    if repeated:
        raise ScheduleError(f"{repeated[0]} is entered more than once; name each version once")
    if len(entrants) < seats:
        raise ScheduleError(f"{seats} seats need at least {seats} entrants, not {len(entrants)}; name more bots")
    matches = count_matches(len(entrants), seats=seats, blocks=blocks)
    if matches > MAX_MATCHES:
        raise ScheduleError(
            f"{len(entrants)} entrants in {seats} seats with {blocks} blocks a combination are {matches} matches, "
            f"over the {MAX_MATCHES} of one tournament; enter fewer bots or ask for fewer blocks"
        )
