"""Plans the waves of a tournament as they become ready, all of them by one road, inside the ledger's transaction.

What is planned is a function of what the database holds, so it does not matter who plans a wave, when, or how often
it was tried before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.catalog import foldable, is_ready, seen_by_plan
from arena.tournament.formats.format import NOTHING, Concluding, Format, Situation, Wave
from arena.tournament.formats.ladder import is_endless
from arena.tournament.formats.openings import BlockDraw
from arena.tournament.formats.tally import Remembering, fold, from_json, to_json
from arena.tournament.stored import draw_of, entrant_of, format_of, wave_of
from ratings.ledger.tournaments import WaveLedger
from ratings.statistics.blocks import Block
from ratings.store.models import PoolRecord, TournamentRecord
from ratings.store.waves import PlannedWave, WaveMemory

MOST_WAVES = 20
"""How many waves are read at once. Whoever has a long history to read anew, because something in it was annulled, lets
others write in between."""


class FormatPlanner:
    """Plans the waves of one tournament by its format, and remembers those that are over.

    A format that can do without the blocks of old waves gets a memory in their place, which is kept with the waves. So
    a plan costs the same however much was played, and a planner that is made anew reads only what came after it.
    """

    def __init__(self, form: Format, draw: BlockDraw) -> None:
        self._form = form
        self._draw = draw
        self._seed = seeds.schedule_seed(draw.secret)
        self._past = NOTHING
        self._stored: int | None = None  # the wave at which the memory is kept
        self._planned: list[PlannedWave] | None = None  # the waves behind the past
        self._over: list[Wave] = []  # the first of these, as they were played
        self._is_complete = False
        self.is_behind = False
        """Whether waves that are over are still to be read, before which nothing is planned; ask it again."""
        self._newest_annulment: str | None = None
        self._annulled: int | None = None  # how many blocks were annulled when all this was read

    def plan_ready(self, waves: WaveLedger) -> int:
        """Plan every wave that can be planned now, and return how many matches they have."""
        # What was read before blocks were annulled is forgotten: they count for nothing any more.
        newest = waves.newest_annulment()
        if self._annulled is None or newest != self._newest_annulment:
            self._newest_annulment, annulled = newest, waves.annulled()
            if self._annulled is not None and annulled != self._annulled:
                self._past, self._stored, self._planned, self._over = NOTHING, None, None, []
            self._annulled = annulled
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
        if self._form.traits.lag:
            self._advance(waves, planned)
        past = self._past.waves
        return is_ready(self._form, past + len(planned), past + len(self._over))

    def _read_planned(self, waves: WaveLedger) -> list[PlannedWave]:
        """Return the waves behind the past, read once: nobody plans but the holder of the tournament's lock."""
        if self._planned is None:
            self._is_complete = not waves.has_more_waves()
            if isinstance(self._form, Remembering) and not self._is_complete:
                memory = waves.memory()
                entrants = [version.version_id for version in waves.entrants()]
                self._past = from_json(self._form, memory.data if memory else None, entrants)
                if memory is not None and self._past.waves == memory.index + 1:
                    self._stored = memory.index
                else:
                    self._past = NOTHING
                    waves.forget()
            self._planned = waves.planned(self._past.waves)
        return self._planned

    def _advance(self, waves: WaveLedger, planned: list[PlannedWave]) -> None:
        """Read the waves that are over by now, and fold those that no plan needs any more into the past."""
        first_open, read = waves.first_open_block(), 0
        self.is_behind = False
        while len(self._over) < len(planned):
            wave = planned[len(self._over)]
            if first_open is not None and first_open < wave.first_block + wave.blocks:
                break
            if read == MOST_WAVES:
                self.is_behind = True
                break
            self._over.append(wave_of(waves.played(wave)))
            read += 1
            if isinstance(self._form, Remembering):
                self._fold(waves, self._form, planned)  # at once, so that a long history is never in memory

    def _fold(self, waves: WaveLedger, form: Remembering, planned: list[PlannedWave]) -> None:
        """Fold the waves that are over and that no plan needs any more into the past, and keep what is remembered."""
        entrants = tuple(entrant_of(version) for version in waves.entrants())
        while self._over and self._past.waves < foldable(self._form, self._past.waves + len(planned)):
            situation = Situation(entrants, (self._over.pop(0),), self._seed, self._past)
            self._past = fold(form, situation)
            # At tables of two there is only one circular order, so nobody needs to know who sat together.
            if self._form.seats > 2:
                places = {entrant.id: place for place, entrant in enumerate(situation.entrants)}
                waves.gather([tuple(sorted({places[one] for one in block.order})) for block in situation.blocks])
            del planned[0]
        newest = self._past.waves - 1
        if newest >= 0 and newest != self._stored:
            data = to_json(form, self._past, [entrant.id for entrant in entrants])
            waves.remember(WaveMemory(newest, data), self._stored)
            self._stored = newest

    def _plan_next(self, waves: WaveLedger) -> int:
        """Plan one wave, or write that none follows, and return how many matches it has.

        An endless ladder on which too few are left to play waits for others to join.
        """
        planned = self._read_planned(waves)
        first = planned[-1].first_block + planned[-1].blocks if planned else self._past.blocks
        situation = self._situation(waves, planned)
        orders = () if situation is None else self._form.plan(situation)
        blocks = [self._draw.block(first + number, order) for number, order in enumerate(orders)]
        if not blocks and is_endless(self._form):
            return 0
        answer = None
        if not blocks and situation is not None and isinstance(self._form, Concluding):
            answer = self._form.conclude(situation)
        if not waves.add_wave(self._past.waves + len(planned), blocks, answer):
            self._is_complete = True  # cancelled meanwhile
            return 0
        self._is_complete = not blocks
        planned.append(PlannedWave(first, len(blocks)))
        return sum(len(block.rotations()) for block in blocks)

    def _situation(self, waves: WaveLedger, planned: Sequence[PlannedWave]) -> Situation | None:
        """Return what the next wave is planned from, or `None` if none comes."""
        if planned and self._form.traits.lag == 0:
            return None  # it planned everything at once, and reading that back would be long
        entrants = [entrant_of(version) for version in waves.entrants()]
        played = [*self._over, *(wave_of(waves.played(wave)) for wave in planned[len(self._over) :])]
        places = {entrant.id: place for place, entrant in enumerate(entrants)}
        past = replace(
            self._past, gathered=lambda group: waves.gathered(tuple(sorted(places[entrant] for entrant in group)))
        )
        return seen_by_plan(self._form, entrants, played, self._seed, past)


def planner_of(tournament: TournamentRecord, pool: PoolRecord) -> FormatPlanner:
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
