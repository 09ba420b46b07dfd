"""The schedule of a round robin for any number of seats: who meets whom, in which circular order, when. Pure, no I/O.

The atom is a block: one circular order of the entrants of one combination, played in all its rotations, so that each of
them sits in each seat once and has the same neighbours throughout. Every combination of entrants is played in equally
many blocks.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from arena.tournament.formats.circular_orders import circular_order
from arena.tournament.formats.combinations import CombinationOrder
from arena.tournament.formats.errors import ScheduleError
from arena.tournament.formats.seeds import derive
from arena.tournament.formats.situation import CircularOrder
from arena.tournament.formats.sizes import MAX_MATCHES, check_entrants
from engine.chance import SeededChance
from engine.text import Text


def schedule(entrants: Sequence[str], *, seats: int, blocks: int, seed: int) -> list[CircularOrder]:
    """Return the blocks in the order of play: each combination of `seats` entrants in `blocks` blocks.

    A function of its arguments alone; of the entrants only their places in the list matter, never their names. The
    combinations alternate so that every beginning of the list is balanced; of one combination, successive blocks run
    through all (seats - 1)! circular orders in a drawn order, and then through all anew. Raises ScheduleError.
    """
    check_schedule(entrants, seats=seats, blocks=blocks)
    secret = seed.to_bytes(8, "big")
    combinations = CombinationOrder(len(entrants), seats)
    planned: list[CircularOrder] = []
    for cycle in range(blocks):
        for combination in combinations.deal(SeededChance(derive(secret, "cycle", cycle))):
            around = circular_order(combination, cycle, seed)  # each plays once a cycle
            planned.append(tuple(entrants[place] for place in around))
    return planned


def count_matches(entrants: int, *, seats: int, blocks: int) -> int:
    """Return how many matches the blocks of `schedule` have."""
    return math.comb(entrants, seats) * blocks * seats


def check_schedule(entrants: Sequence[str], *, seats: int, blocks: int) -> None:
    """Raise ScheduleError unless `schedule` can plan this."""
    repeated = [entrant for entrant, times in Counter(entrants).items() if times > 1]
    if repeated:
        raise ScheduleError(
            Text(
                "tournaments.entered_more_than_once_name",
                "{name} is entered more than once; name each version once",
                name=repeated[0],
            )
        )
    check_round_robin(len(entrants), seats=seats, blocks=blocks)


def check_round_robin(entrants: int, *, seats: int, blocks: int) -> None:
    """Raise ScheduleError unless so many entrants can play a round robin of so many blocks a combination."""
    if seats < 2:
        raise ScheduleError(
            Text(
                "tournaments.round_robin_needs_least_2",
                "a round robin needs at least 2 seats, not {seats}",
                seats=seats,
            )
        )
    if blocks < 1:
        raise ScheduleError(
            Text(
                "tournaments.round_robin_needs_least_1",
                "a round robin needs at least 1 block a combination, not {blocks}",
                blocks=blocks,
            )
        )
    check_entrants(entrants, seats)
    matches = count_matches(entrants, seats=seats, blocks=blocks)
    if matches > MAX_MATCHES:
        raise ScheduleError(
            Text(
                "tournaments.entrants_seats_blocks_combination_matches",
                "{entrants} entrants in {seats} seats with {blocks} blocks a combination are {matches} matches, "
                "over the {most} of one tournament; enter fewer bots or ask for fewer blocks",
                entrants=entrants,
                seats=seats,
                blocks=blocks,
                matches=matches,
                most=MAX_MATCHES,
            )
        )
