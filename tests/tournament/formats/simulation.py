"""Plays tournaments of any format without bots: results, void blocks, failures and comings and goings are drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from arena.tournament.formats.catalog import is_ready, seen_by_plan
from arena.tournament.formats.format import (
    NOTHING,
    BlockState,
    CircularOrder,
    Entrant,
    Format,
    FormatStanding,
    Past,
    PlayedBlock,
    Situation,
    Wave,
)
from ratings.statistics.blocks import rotations

SEED = 7
MOST_WAVES = 300


@dataclass
class Chances:
    """How often, from 0 to 1, things go wrong."""

    void: float = 0.0
    withdrawal: float = 0.0
    """By wave."""
    late_entry: float = 0.0
    """By wave."""
    failing: frozenset[str] = frozenset()
    """Who forfeits every match."""
    ties: bool = True


@dataclass
class Played:
    """A tournament that has ended."""

    form: Format
    entrants: list[Entrant]
    waves: list[Wave] = field(default_factory=list)

    @property
    def blocks(self) -> list[PlayedBlock]:
        return [block for wave in self.waves for block in wave]

    @property
    def situation(self) -> Situation:
        return Situation(tuple(self.entrants), tuple(self.waves), SEED)

    def blocks_by_entrant(self) -> Counter[str]:
        counts = Counter({entrant.id: 0 for entrant in self.entrants})
        counts.update(entrant for block in self.blocks for entrant in block.order)
        return counts


def plan_wave(
    form: Format, entrants: Sequence[Entrant], waves: Sequence[Wave], seed: int, past: Past = NOTHING
) -> tuple[CircularOrder, ...]:
    """The blocks of the wave that follows these, as the planner plans it."""
    return tuple(form.plan(seen_by_plan(form, entrants, waves, seed, past)))


def is_over(form: Format, entrants: Sequence[Entrant], waves: Sequence[Wave], seed: int) -> bool:
    """Whether no block is pending and no wave follows."""
    return not any(block.is_pending for wave in waves for block in wave) and not plan_wave(form, entrants, waves, seed)


def standings(form: Format, entrants: Sequence[Entrant], waves: Sequence[Wave], seed: int) -> list[FormatStanding]:
    """The table of all whole blocks, also of those whose wave is not over."""
    return form.standings(Situation(tuple(entrants), tuple(waves), seed))


def field_of(size: int) -> list[Entrant]:
    return [Entrant(f"bot{number}") for number in range(size)]


def finish(order: CircularOrder, random: Random, chances: Chances) -> PlayedBlock:
    """A result for a block."""
    if random.random() < chances.void:
        return PlayedBlock(order, BlockState.VOID)
    ranks, forfeits = [], []
    for sitting in rotations(order):
        scores = [
            -1 if entrant in chances.failing else random.randrange(3 if chances.ties else 1000) for entrant in sitting
        ]
        ranks.append(tuple(1 + sum(other > score for other in scores) for score in scores))
        forfeits.append(frozenset(chances.failing & set(sitting)))
    digests = tuple(f"{random.randrange(4):064x}" for _ in order)
    return PlayedBlock(order, BlockState.WHOLE, tuple(ranks), tuple(forfeits), digests)


def come_and_go(played: Played, random: Random, chances: Chances) -> None:
    """Withdrawals and late entries, effective in the next wave."""
    wave = len(played.waves)
    if random.random() < chances.withdrawal:
        place = random.randrange(len(played.entrants))
        if played.entrants[place].withdrawn is None:
            played.entrants[place] = replace(played.entrants[place], withdrawn=wave)
    if played.form.traits.takes_late_entrants and random.random() < chances.late_entry:
        played.entrants.append(Entrant(f"late{wave}", joined=wave))


def play(
    form: Format,
    entrants: list[Entrant],
    random: Random,
    chances: Chances | None = None,
    on_plan: Callable[[Played, tuple[CircularOrder, ...]], None] | None = None,
) -> Played:
    """Play to the end, planning each wave as early as it can be; fails if there is no end."""
    chances = chances or Chances()
    played = Played(form, list(entrants))
    over = 0
    for _ in range(2 * MOST_WAVES):
        if is_ready(form, len(played.waves), over):
            if played.waves:
                come_and_go(played, random, chances)
            orders = plan_wave(form, played.entrants, played.waves, SEED)
            if on_plan is not None:
                on_plan(played, orders)
            if not orders:
                break
            played.waves.append(tuple(PlayedBlock(order) for order in orders))
        else:
            played.waves[over] = tuple(finish(block.order, random, chances) for block in played.waves[over])
            over += 1
    else:
        raise AssertionError(f"{form} does not end")
    for number in range(over, len(played.waves)):
        played.waves[number] = tuple(finish(block.order, random, chances) for block in played.waves[number])
    assert is_over(form, played.entrants, played.waves, SEED)
    return played
