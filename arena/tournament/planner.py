"""Plans the waves of a tournament as they become ready, all of them by one road, inside the ledger's transaction.

What is planned is a function of what the database holds, so it does not matter who plans a wave, when, or how often
it was tried before.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.tournament.formats import seeds
from arena.tournament.formats.blocks import BlockDraw
from arena.tournament.formats.format import Format
from arena.tournament.formats.ladder import is_endless
from arena.tournament.formats.situation import Wave
from arena.tournament.formats.waves import is_ready, plan_wave
from arena.tournament.stored import draw_of, entrant_of, format_of, wave_of
from ratings.ledger.waves import WaveLedger
from ratings.statistics.blocks import Block
from ratings.store.models import Pool, Tournament
from ratings.store.waves import PlannedWave


class FormatPlanner:
    """Plans the waves of one tournament by its format, and remembers those that are over."""

    def __init__(self, form: Format, draw: BlockDraw) -> None:
        self._form = form
        self._draw = draw
        self._seed = seeds.schedule_seed(draw.secret)
        self._planned: list[PlannedWave] | None = None
        self._over: list[Wave] = []
        self._is_complete = False

    def plan_ready(self, waves: WaveLedger) -> int:
        """Plan every wave that can be planned now, and return how many matches they have."""
        matches = 0
        while not self._is_complete and self._is_ready(waves):
            planned = self._plan_next(waves)
            if not planned:
                break
            matches += planned
        return matches

    def _is_ready(self, waves: WaveLedger) -> bool:
        planned = self._read_planned(waves)
        if self._is_complete:
            return False
        first_open = waves.first_open_block()
        for wave in planned[len(self._over) :]:
            if first_open is not None and first_open < wave.first_block + wave.blocks:
                break
            self._over.append(wave_of(waves.played(wave)))
        return is_ready(self._form, len(planned), len(self._over))

    def _read_planned(self, waves: WaveLedger) -> list[PlannedWave]:
        """Return the waves planned so far, read once: nobody plans but the holder of the tournament's lock."""
        if self._planned is None:
            self._is_complete = not waves.has_more_waves()
            self._planned = waves.planned()
        return self._planned

    def _plan_next(self, waves: WaveLedger) -> int:
        """Plan one wave, or write that none follows, and return how many matches it has.

        An endless ladder on which too few are left to play waits for others to join.
        """
        planned = self._read_planned(waves)
        first = planned[-1].first_block + planned[-1].blocks if planned else 0
        blocks = self._next_blocks(waves, planned, first)
        if not blocks and is_endless(self._form):
            return 0
        if not waves.add_wave(len(planned), blocks):
            self._is_complete = True  # cancelled meanwhile
            return 0
        self._is_complete = not blocks
        self._planned = [*planned, PlannedWave(first, len(blocks))]
        return sum(len(block.rotations()) for block in blocks)

    def _next_blocks(self, waves: WaveLedger, planned: Sequence[PlannedWave], first: int) -> list[Block]:
        if planned and self._form.lag == 0:
            return []  # it planned everything at once, and reading that back would be long
        entrants = [entrant_of(version) for version in waves.entrants()]
        played = [*self._over, *(wave_of(waves.played(wave)) for wave in planned[len(self._over) :])]
        orders = plan_wave(self._form, entrants, played, self._seed)
        return [self._draw.block(first + number, order) for number, order in enumerate(orders)]


def planner_of(tournament: Tournament, pool: Pool) -> FormatPlanner:
    """Return what plans the waves of a tournament that has a format.

    Raises ValueError for a single match, which has no more waves.
    """
    form = format_of(tournament, pool)
    if form is None:
        raise ValueError(f"tournament {tournament.name!r} is a single match")
    return FormatPlanner(form, draw_of(tournament, pool))


class SingleMatchPlanner:
    """Plans a single match: one wave of one block, of which only the first rotation is played."""

    def __init__(self, block: Block) -> None:
        self._block = block

    def plan_ready(self, waves: WaveLedger) -> int:
        """Plan the match, write that no wave follows, and return 1."""
        waves.add_wave(0, [self._block])
        waves.add_wave(1, [])
        return 1
