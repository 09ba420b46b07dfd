"""Plans a tournament that is over once more, and compares: every wave must follow from the results before it.

The planner is the one that planned it; instead of the ledger it gets what was played, as far as it was known then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from arena.tournament.planner import planner_of
from arena.tournament.stored import draw_of, format_of
from engine.translatable import Text
from ratings.ledger.tournaments import Gathered, Row, WaveLedger
from ratings.read.proofs import drawn_blocks, planning_instants
from ratings.read.tournaments import TournamentWaves, tournament_waves
from ratings.statistics.blocks import Block
from ratings.store.database import Database
from ratings.store.waves import EnteredVersion, PlannedWave, WaveBlock, WaveMemory


@dataclass(slots=True)
class Replanned:
    """What planning once more found."""

    blocks: int = 0
    """How many blocks follow as they are there."""
    plan: list[str] = field(default_factory=list)
    """What is wrong with who meets; nothing is planned behind it."""
    chances: list[str] = field(default_factory=list)
    """What is wrong with openings and the seeds of dice and piles."""


def replan(database: Database, tournament_id: str) -> Replanned:
    """Plan a tournament that is over once more, with its secret, and return what is not as it is there.

    Raises EngineError if its game is not installed.
    """
    played = tournament_waves(database, tournament_id)
    waves = _PlayedWaves(played, *planning_instants(database, tournament_id), drawn_blocks(database, tournament_id))
    if format_of(played.tournament, played.pool) is None:
        order = tuple(played.waves[0][0][0].versions)
        waves.add_wave(0, [draw_of(played.tournament, played.pool).single_match(order)])
        return waves.found
    planner = planner_of(played.tournament, played.pool)
    while planner.plan_ready(waves) or planner.is_behind or waves.has_news:
        pass
    if not waves.found.plan and len(waves.seen) < len(played.waves):
        waves.found.plan.append(_unexpected(len(waves.seen)))
    return waves.found


def _unexpected(wave: int) -> str:
    return Text("wave {wave} is there, and none follows from the results before it", wave=wave)


class _PlayedWaves(WaveLedger):
    """What a planner reads and writes, of a tournament that is over: what it writes is compared."""

    def __init__(
        self,
        played: TournamentWaves,
        planned_at_us: Sequence[int],
        annulled_at_us: Mapping[int, int],
        drawn: Mapping[int, tuple[tuple[int, ...], int]],
    ) -> None:
        form = format_of(played.tournament, played.pool)
        self._played, self._lag = played, 0 if form is None else form.traits.lag
        self._planned_at_us, self._annulled_at_us, self._drawn = planned_at_us, annulled_at_us, drawn
        self._gathered: Counter[Gathered] = Counter()
        self._told = 0
        self.seen: list[PlannedWave] = []
        self.found = Replanned()

    @property
    def has_news(self) -> bool:
        """Whether blocks were annulled before the next wave was planned that the planner does not know of."""
        return not self.found.plan and len(self.seen) < len(self._played.waves) and self._told != self._annulled()

    def _annulled(self) -> int:
        wave = min(len(self.seen), len(self._planned_at_us) - 1)
        return sum(at_us <= self._planned_at_us[wave] for at_us in self._annulled_at_us.values())

    def has_more_waves(self) -> bool:
        return True

    def entrants(self) -> list[EnteredVersion]:
        return list(self._played.entrants)

    def planned(self, start: int = 0) -> list[PlannedWave]:
        return self.seen[start:]

    def newest_annulment(self) -> str:
        self._told = self._annulled()
        return str(self._told)

    def annulled(self) -> int:
        return self._told

    def memory(self) -> WaveMemory | None:
        return None

    def remember(self, memory: WaveMemory, instead_of: int | None) -> None:
        del memory, instead_of

    def gather(self, groups: Sequence[Gathered]) -> None:
        self._gathered.update(groups)

    def gathered(self, group: Gathered) -> int:
        return self._gathered[group]

    def forget(self) -> None:
        self._gathered.clear()

    def first_open_block(self) -> int | None:
        """Return where the waves begin that no plan may know yet; one more while there is something new to know."""
        known = max(0, len(self.seen) - self._lag + (self._told == self._annulled()))
        return self.seen[known].first_block if known < len(self.seen) else None

    def played(self, wave: PlannedWave) -> list[WaveBlock]:
        limit_us = self._planned_at_us[min(len(self.seen), len(self._planned_at_us) - 1)]
        return [
            tuple(
                replace(match, is_annulled=self._annulled_at_us.get(wave.first_block + place, limit_us + 1) <= limit_us)
                for match in block
            )
            for place, block in enumerate(self._played.waves[self.seen.index(wave)])
        ]

    def add_wave(self, index: int, blocks: Sequence[Block], answer: Row | None = None) -> bool:
        del answer
        problems = self.found.plan
        if index == len(self._played.waves):
            if blocks and self._played.tournament.cancelled_at_us is None:
                problems.append(Text("wave {wave} follows from the results, and is not there", wave=index))
            return False
        if not blocks:
            problems.append(_unexpected(index))
        elif [block.order for block in blocks] != [matches[0].versions for matches in self._played.waves[index]]:
            problems.append(Text("wave {wave}: others meet than follow from the results before it", wave=index))
        if problems:
            return False
        self.found.chances += [
            Text("block {block}: its opening or its chance does not follow from the secret", block=block.index)
            for block in blocks
            if self._drawn.get(block.index) != (block.opening, block.chance_seed)
        ]
        self.found.blocks += len(blocks)
        self.seen.append(PlannedWave(blocks[0].index, len(blocks)))
        return True
