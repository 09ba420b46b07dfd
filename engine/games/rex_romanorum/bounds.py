"""How long a game can be at most: `MAX_PLIES`, with its proof.

A turn of another kind than an attack has, at most: ACQUIRE 2 plies, then PLACE and COUNT for 2 kinds in 3 regions and
PLACE_DONE: 15. BUILD: 1, the most buildings and BUILD_DONE. MUSTER: 1, three plies (from, to, how many) for each way
(kind, source, target), which comes once per action (K9), MOVE_DONE, two plies for each kind and region placed,
PLACE_DONE. BISHOP: 1, a STAND for each seat, two ballots of a vote for each church. KING: 1, a STAND for each seat, for
each elector an offer of each candidate and a vote. MUSTER is the longest of these by far.

An attack has the plies of MUSTER's moves, and a RAZE, a FIGHT and a RETREAT for each region.

FIGHT_ON comes on top of that. A round of fighting in which somebody falls: figures are paid for with at least 1 gold
each, and gold comes from the start and from harvests of at most the cap, so at most `_FIGURES` ever fall. Rounds in
which nobody falls: only the dice bound them. Both sides have a figure, each hits with at least 1/6, so a round misses
with at most (5/6)^2 = 25/36, and 1000 rounds in a row with less than 10^-158 (C17). Allowing 1000 rounds for each
figure that falls and for each fight, the bound fails with less than 10^-140: it is no limit that play can meet.
"""

from __future__ import annotations

from typing import Final

from engine.games.rex_romanorum.board import NEIGHBOURS, REGION_COUNT, TITLE_COUNT, regions_of
from engine.games.rex_romanorum.options import MOST_GOLD, MOST_ROUNDS

_SEATS: Final = 5
_ROUNDS_PER_FALL: Final = 1000


def _ways_from(region: int) -> int:
    """Count the regions within two steps: `move` may be 2 for every kind."""
    reached = NEIGHBOURS[region]
    for through in regions_of(reached):
        reached |= NEIGHBOURS[through]
    return reached.bit_count() - 1


_WAYS: Final = 3 * sum(_ways_from(region) for region in range(REGION_COUNT))
_TURN: Final = 1 + 3 * _WAYS + 1 + 2 * 3 * REGION_COUNT + 1 + 3 * REGION_COUNT
_FIGURES: Final = _SEATS * (MOST_GOLD + MOST_GOLD * MOST_ROUNDS)
_FIGHTS: Final = _SEATS * MOST_ROUNDS * REGION_COUNT
_LAST_ELECTION: Final = _SEATS + TITLE_COUNT * _SEATS

MAX_PLIES: Final = _SEATS * MOST_ROUNDS * _TURN + _ROUNDS_PER_FALL * (_FIGURES + _FIGHTS) + _LAST_ELECTION
