"""Compare: whether NEW is better than OLD. Both play in like places until a test knows. Pure, no I/O."""

from __future__ import annotations

import enum
import itertools
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from arena.tournament.formats.format import (
    MAX_MATCHES,
    CircularOrder,
    FormatStanding,
    PlayedBlock,
    ScheduleError,
    Situation,
    Traits,
    check_size,
)
from arena.tournament.formats.random_seeds import derive
from arena.tournament.formats.table_grouping import Places, circular_order
from arena.tournament.formats.tally import standings_by_score
from engine.chance import SeededChance
from engine.translatable import Text
from ratings.statistics.blocks import rotations
from ratings.statistics.sequential_test import (
    Capital,
    ComparedMatch,
    CompareSettings,
    Comparison,
    ComparisonAnswer,
    ComparisonStep,
    usual_steps,
)

DEFAULT_STEPS = CompareSettings().max_steps
MATCHES_A_WAVE = 12
"""About so many: what is under way when the test knows was played for nothing."""
_FIGURES = ("answered_after", "identical", "identical_games", "games", "outcomes", "forfeits")
_DEFAULTS = CompareSettings()


class Design(enum.StrEnum):
    """Who sits at the tables."""

    ALONE = "alone"
    """NEW and OLD only."""
    SHARED = "shared"
    """NEW, OLD and a field."""
    APART = "apart"
    """NEW and a field, then OLD and the same field; there OLD itself fills the seats of a field that is missing."""


def design_for(seats: int, *, has_field: bool) -> Design:
    """Return the design that tells most."""
    if not has_field:
        return Design.ALONE
    return Design.SHARED if shares_tables(seats, has_field=True) else Design.APART


@dataclass(frozen=True, slots=True)
class Compare:
    """Entrants are NEW, OLD, and the field they meet, if the design has one.

    The test is that of `ratings.statistics.sequential_test`; a step of which a match is void does not count.
    """

    seats: int
    pairs: int = DEFAULT_STEPS
    """The most steps; after them it is undecided."""
    lower: float = _DEFAULTS.lower
    upper: float = _DEFAULTS.upper
    alpha: float = _DEFAULTS.alpha
    beta: float = _DEFAULTS.beta
    design: str = Design.APART

    traits = Traits("compare", lag=2)
    memory_version: ClassVar[int] = 6
    """Of others, what a likelihood ratio or other bets had seen, only the matches tell what these bets made."""

    @property
    def blocks_per_seed(self) -> int:
        """The blocks of a step: one if its matches give NEW and OLD changed places, otherwise two."""
        return 1 if self.design == Design.ALONE and is_whole_in_one(self.seats) else 2

    @property
    def steps_a_wave(self) -> int:
        """The steps that are planned together."""
        return max(1, MATCHES_A_WAVE // (self.blocks_per_seed * self.seats))

    @property
    def settings(self) -> CompareSettings:
        """What the test is asked. Raises ResultsError for figures that make no test."""
        return CompareSettings(self.lower, self.upper, self.alpha, self.beta, self.pairs)

    @property
    def needed(self) -> int:
        """After how many steps hardly a comparison of this kind is undecided; raises as `settings` does."""
        asked = self.settings
        return usual_steps(asked.lower, asked.upper, asked.alpha, asked.beta)

    def usual_limit(self) -> int:
        """Return how many steps may be played where nobody names a limit: what the question needs, if they fit."""
        return min(self.needed, MAX_MATCHES // (self.blocks_per_seed * self.seats))

    def check(self, entrants: int) -> None:
        """Raise ScheduleError for a field that does not fit the design, or too many matches."""
        field, least = entrants - 2, self.seats - (2 if self.design == Design.SHARED else 1)
        if self.design == Design.ALONE and field:
            raise ScheduleError(
                Text("NEW and OLD are compared alone, and {count} others are named; leave them out", count=field)
            )
        if (field or self.design == Design.SHARED) and field < least:
            raise ScheduleError(
                Text(
                    "a field of {count} bots leaves seats empty at a table of {seats}; name {least} or more, or none",
                    count=field,
                    seats=self.seats,
                    least=least,
                )
            )
        if self.pairs < 1:
            raise ScheduleError(Text("{pairs} blocks are impossible; use 1 or more", pairs=self.pairs))
        check_size(self.pairs * self.blocks_per_seed * self.seats)

    def plan(self, situation: Situation) -> list[CircularOrder]:
        """Return the blocks of the next steps, or none if the answer is known."""
        planned = (situation.past.blocks + len(situation.blocks)) // self.blocks_per_seed
        if planned >= self.pairs or not self._can_go_on(situation) or self.comparison(situation).answer:
            return []
        new, old, *field = situation.present
        if self.design == Design.APART and not field:
            field = [old] * (self.seats - 1)
        numbers = range(planned, min(planned + self.steps_a_wave, self.pairs))
        return [order for step in numbers for order in step_orders(new, old, field, self.seats, step, situation.seed)]

    def _can_go_on(self, situation: Situation) -> bool:
        """Return whether NEW and OLD are still there, and enough of the field, if there is one, to fill a table."""
        have_left = [entrant.has_left(situation.wave) for entrant in situation.entrants]
        tested, field = have_left[:2], have_left[2:]
        least = self.seats - (2 if self.design == Design.SHARED else 1)
        return not any(tested) and (not field or field.count(False) >= least)

    def comparison(self, situation: Situation) -> Comparison:
        """Return what is known from the whole steps, in the order of the plan, up to the first that is pending."""
        comparison, is_all = self._fold(situation)
        planned = situation.past.blocks + len(situation.blocks)
        # Void steps are missing, and none comes any more.
        if is_all and comparison.answer is None and planned >= self.blocks_per_seed * self.pairs:
            return replace(comparison, answer=ComparisonAnswer.UNDECIDED, answered_after=comparison.steps)
        return comparison

    def _fold(self, situation: Situation) -> tuple[Comparison, bool]:
        blocks = situation.blocks
        is_all = not any(
            block.is_pending for block in blocks[: len(blocks) // self.blocks_per_seed * self.blocks_per_seed]
        )
        return deque(self.walk(situation), maxlen=1)[0], is_all

    def walk(self, situation: Situation) -> Iterator[Comparison]:
        """Yield what the test remembers, then what it knows after each whole step, up to the first that is pending."""
        own = situation.past.own
        comparison = own if isinstance(own, Comparison) else Comparison.of(self.settings)
        yield comparison
        if len(situation.entrants) < 2:
            return
        new, old = (entrant.id for entrant in situation.entrants[:2])
        step = [iter(situation.blocks)] * self.blocks_per_seed
        for blocks in zip(*step, strict=False):
            if any(block.is_pending for block in blocks):
                return
            if all(block.is_whole for block in blocks):
                comparison = comparison.after(self.step(blocks, new, old))
                yield comparison

    def step(self, blocks: Sequence[PlayedBlock], new: str, old: str) -> ComparisonStep:
        """Return the matches of a step, each with that in which NEW and OLD have changed places."""
        forfeits = _forfeits(blocks, new), _forfeits(blocks, old)
        if self.design == Design.APART:
            fresh, stale = (
                self._tested(block, is_new=is_new) for block, is_new in zip(blocks, (True, False), strict=True)
            )
            return ComparisonStep(tuple(zip(fresh, stale, strict=True)), forfeits)
        games = [
            [
                ComparedMatch(_seats_of(sitting, new), _seats_of(sitting, old), ranks, digest)
                for sitting, ranks, digest in zip(rotations(block.order), block.ranks, block.digests, strict=True)
            ]
            for block in blocks
        ]
        if len(games) == 2:
            return ComparisonStep(tuple(zip(*games, strict=True)), forfeits)
        turn = turn_to_change(blocks[0].order, new, old)
        assert turn is not None
        firsts = [number for number in range(self.seats) if number // turn % 2 == 0]
        return ComparisonStep(
            tuple((games[0][first], games[0][(first + turn) % self.seats]) for first in firsts), forfeits
        )

    def _tested(self, block: PlayedBlock, *, is_new: bool) -> list[ComparedMatch]:
        """Return the matches of a block in which the first of its order alone is tested."""
        games = []
        for rotation, (ranks, digest) in enumerate(zip(block.ranks, block.digests, strict=True)):
            tested, nobody = frozenset({(-rotation) % self.seats}), frozenset[int]()
            seats = (tested, nobody) if is_new else (nobody, tested)
            games.append(ComparedMatch(*seats, ranks, digest))
        return games

    def remember(self, situation: Situation) -> Comparison:
        """Return what the test has seen."""
        return self._fold(situation)[0]

    def write_own(self, own: Comparison, places: Mapping[str, int]) -> dict[str, Any]:  # noqa: ARG002 - names nobody
        """Return what the test has seen for JSON."""
        figures = {name: getattr(own, name) for name in _FIGURES}
        capitals = [[getattr(one, field.name) for field in fields(Capital)] for one in (own.better, own.not_better)]
        scores = [[value.numerator, value.denominator, count] for value, count in sorted(own.scores.items())]
        return {**figures, "answer": own.answer and own.answer.value, "scores": scores, "capitals": capitals}

    def read_own(self, data: Mapping[str, Any], entrants: Sequence[str]) -> Comparison:  # noqa: ARG002 - names nobody
        """Return what `write_own` wrote."""
        better, not_better = (Capital(*figures) for figures in data["capitals"])
        figures: dict[str, Any] = {name: data[name] for name in _FIGURES}
        return Comparison(
            self.settings,
            better,
            not_better,
            {Fraction(above, below): count for above, below, count in data["scores"]},
            None if data["answer"] is None else ComparisonAnswer(data["answer"]),
            **figures | {name: tuple(figures[name]) for name in ("outcomes", "forfeits")},
        )

    def standings(self, situation: Situation) -> list[FormatStanding]:
        """Return the table by score."""
        return standings_by_score(situation)


def read_settings(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return settings as they are meant now.

    Before there were designs, NEW and OLD always played apart, and a gain was the difference of their normalised
    ranks. As a score that is half of it.
    """
    if "design" in settings:
        return settings
    halved = {name: settings[name] / 2 for name in ("lower", "upper") if name in settings}
    return {**settings, **halved}


def _forfeits(blocks: Sequence[PlayedBlock], entrant: str) -> int:
    return sum(entrant in seated for block in blocks for seated in block.forfeits)


def _seats_of(sitting: CircularOrder, entrant: str) -> frozenset[int]:
    return frozenset(seat for seat, one in enumerate(sitting) if one == entrant)


def shares_tables(seats: int, *, has_field: bool) -> bool:
    """Return whether NEW and OLD sit at the same tables; otherwise each meets the field in turn."""
    return seats > 2 or not has_field


def step_orders(new: str, old: str, field: Sequence[str], seats: int, number: int, seed: int) -> list[CircularOrder]:
    """Return the circular orders of the blocks of step `number`, from 0; one or two.

    Without a field NEW and OLD fill the table, in every arrangement in turn. With one, groups of it take turns, each
    turn in another drawn order, and with each turn they sit in another circular order.
    """
    if not field:
        arrangements = _drawn(_arrangements(seats), number, seed, "arrangements")
        order = tuple(old if is_old else new for is_old in arrangements)
        return _both(order, new, old)
    guests = seats - 2 if shares_tables(seats, has_field=True) else seats - 1
    groups = tuple(itertools.combinations(range(len(field)), guests))
    turn = number // len(groups)
    group = [field[place] for place in _drawn(groups, number, seed, "groups")]
    if guests == seats - 1:
        around = circular_order(tuple(range(seats)), turn, seed)
        others = tuple(group[place - 1] for place in around[1:])
        return [(new, *others), (old, *others)]
    seated = [new, old, *group]
    return _both(tuple(seated[place] for place in circular_order(tuple(range(seats)), turn, seed)), new, old)


def changed_places(order: CircularOrder, new: str, old: str) -> CircularOrder:
    """Return the order with OLD where NEW sits and NEW where OLD sits."""
    return tuple({new: old, old: new}.get(entrant, entrant) for entrant in order)


def turn_to_change(order: CircularOrder, new: str, old: str) -> int | None:
    """Return by how many rotations a block has NEW and OLD in changed places, or `None` if no rotation does it."""
    changed = changed_places(order, new, old)
    return next((turn for turn in range(len(order)) if order[turn:] + order[:turn] == changed), None)


def is_whole_in_one(seats: int) -> bool:
    """Return whether a table of NEW and OLD alone always has them change places when it is turned."""
    return all(turn_to_change(tuple("NO"[one] for one in order), "N", "O") for order in _arrangements(seats))


def _both(order: CircularOrder, new: str, old: str) -> list[CircularOrder]:
    """Return the block, and the one with changed places unless it holds it already."""
    return [order] if turn_to_change(order, new, old) is not None else [order, changed_places(order, new, old)]


@lru_cache
def _arrangements(seats: int) -> tuple[Places, ...]:
    """Return the ways to fill a table with NEW (0) and OLD (1), as evenly as possible; turns count as one."""
    olds = seats // 2
    found: dict[Places, None] = {}
    for places in itertools.combinations(range(seats), olds):
        order = tuple(int(place in places) for place in range(seats))
        found.setdefault(min(order[turn:] + order[:turn] for turn in range(seats)))
    return tuple(found)


def _drawn(choices: tuple[Places, ...], number: int, seed: int, label: str) -> Places:
    """Return the `number`-th choice: all take turns, each turn in an order of its own that is drawn."""
    turn, index = divmod(number, len(choices))
    order = list(range(len(choices)))
    SeededChance(derive(seed.to_bytes(8, "big"), label, turn)).shuffle(order)
    return choices[order[index]]
