"""Compare: whether NEW is better than OLD. Both play the same blocks in the same field until a test knows. Pure.

The blocks come in pairs with one opening and one chance seed: first NEW sits at the table, then OLD in its place.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from arena.tournament.formats.circular_orders import circular_order
from arena.tournament.formats.errors import ScheduleError
from arena.tournament.formats.format import Standing
from arena.tournament.formats.situation import CircularOrder, PlayedBlock, Situation
from arena.tournament.formats.sizes import check_size
from arena.tournament.formats.tally import standings_by_score
from ratings.statistics.blocks import seat_in
from ratings.statistics.compare.comparison import Answer, CompareSettings, Comparison
from ratings.statistics.compare.games import Game, PairedBlock

DEFAULT_PAIRS = 2000
PAIRS_A_WAVE = 6
_TESTED_PLACE = 0
_FIGURES = ("answered_after", "identical", "identical_games", "games")
_DEFAULTS = CompareSettings()


@dataclass(frozen=True, slots=True)
class Compare:
    """Entrants are NEW, OLD, and the field they meet; without a field OLD fills the other seats.

    Each pair of blocks seats the next group of the field, in the circular order whose turn it is. The test is that of
    `ratings.statistics.compare`; a pair of which a match is void does not count.
    """

    seats: int
    pairs: int = DEFAULT_PAIRS
    """The most pairs of blocks; after them it is undecided."""
    lower: float = _DEFAULTS.lower
    upper: float = _DEFAULTS.upper
    alpha: float = _DEFAULTS.alpha
    beta: float = _DEFAULTS.beta

    name: ClassVar[str] = "compare"
    lag: ClassVar[int] = 2
    takes_late_entrants: ClassVar[bool] = False
    blocks_per_seed: ClassVar[int] = 2

    @property
    def settings(self) -> CompareSettings:
        """What the test is asked. Raises ResultsError for figures that make no test."""
        least = min(_DEFAULTS.min_pairs, self.pairs)
        return CompareSettings(self.lower, self.upper, self.alpha, self.beta, least, self.pairs)

    def check(self, entrants: int) -> None:
        """Raise ScheduleError for a field that fills no table, no pairs, or too many matches."""
        field = entrants - 2
        if field and field < self.seats - 1:
            raise ScheduleError(
                f"a field of {field} bots leaves seats empty at a table of {self.seats}; name {self.seats - 1} or "
                "more, or none, then OLD itself fills the other seats"
            )
        if self.pairs < 1:
            raise ScheduleError(f"{self.pairs} blocks are impossible; use 1 or more")
        check_size(min(self.pairs, DEFAULT_PAIRS) * 2 * self.seats)

    def plan(self, situation: Situation) -> list[CircularOrder]:
        """Return the next pairs of blocks, or none if the answer is known."""
        planned = (situation.past.blocks + len(situation.blocks)) // 2
        if planned >= self.pairs or not self._can_go_on(situation) or self.comparison(situation).answer:
            return []
        pairs = range(planned, min(planned + PAIRS_A_WAVE, self.pairs))
        return [order for pair in pairs for order in self._pair(situation, pair)]

    def _can_go_on(self, situation: Situation) -> bool:
        """Return whether NEW and OLD are still there, and enough of the field, if there is one, to fill a table."""
        tested, field = situation.entrants[:2], situation.entrants[2:]
        left = [entrant.has_left(situation.wave) for entrant in field]
        is_whole = not any(entrant.has_left(situation.wave) for entrant in tested)
        return is_whole and (not field or left.count(False) >= self.seats - 1)

    def _pair(self, situation: Situation, number: int) -> Iterator[CircularOrder]:
        """Yield the table with NEW, then the same table with OLD."""
        new, old, *field = situation.present
        if field:
            groups = list(itertools.combinations(range(len(field)), self.seats - 1))
            turn, index = divmod(number, len(groups))
            group = [field[place] for place in groups[index]]
            around = circular_order(tuple(range(self.seats)), turn, situation.seed)
            others = [group[place - 1] for place in around[1:]]
        else:
            others = [old] * (self.seats - 1)
        yield (new, *others)
        yield (old, *others)

    def comparison(self, situation: Situation) -> Comparison:
        """Return what is known from the whole pairs, in the order of the plan, up to the first that is pending."""
        comparison, is_all = self._fold(situation)
        planned = situation.past.blocks + len(situation.blocks)
        if is_all and comparison.answer is None and planned >= 2 * self.pairs:  # void pairs are missing, and none comes
            return replace(comparison, answer=Answer.UNDECIDED, answered_after=comparison.pairs)
        return comparison

    def _fold(self, situation: Situation) -> tuple[Comparison, bool]:
        """Return what the test has seen, and whether no pair is pending."""
        blocks = situation.blocks
        is_all = not any(block.is_pending for block in blocks[: len(blocks) // 2 * 2])
        return deque(self.walk(situation), maxlen=1)[0], is_all

    def walk(self, situation: Situation) -> Iterator[Comparison]:
        """Yield what the test remembers, then what it knows after each whole pair, up to the first that is pending."""
        comparison = situation.past.own if isinstance(situation.past.own, Comparison) else Comparison(self.settings)
        yield comparison
        blocks = situation.blocks
        for pair in zip(blocks[::2], blocks[1::2], strict=False):
            if any(block.is_pending for block in pair):
                return
            if all(block.is_whole for block in pair):
                comparison = comparison.after(PairedBlock(*map(_games, pair)))
                yield comparison

    def remember(self, situation: Situation) -> Comparison:
        """Return what the test has seen."""
        return self._fold(situation)[0]

    def write_own(self, own: Comparison, places: Mapping[str, int]) -> dict[str, Any]:  # noqa: ARG002 - names nobody
        """Return what the test has seen for JSON."""
        figures = {name: getattr(own, name) for name in _FIGURES}
        # In the order in which they came: the sums of floating-point numbers depend on it.
        differences = [[value.numerator, value.denominator, count] for value, count in own.differences.items()]
        return {**figures, "answer": own.answer and own.answer.value, "differences": differences}

    def read_own(self, data: Mapping[str, Any], entrants: Sequence[str]) -> Comparison:  # noqa: ARG002 - names nobody
        """Return what `write_own` wrote."""
        return Comparison(
            self.settings,
            {Fraction(above, below): count for above, below, count in data["differences"]},
            None if data["answer"] is None else Answer(data["answer"]),
            **{name: data[name] for name in _FIGURES},
        )

    def standings(self, situation: Situation) -> list[Standing]:
        """Return the table by score."""
        return standings_by_score(situation)


def _games(block: PlayedBlock) -> tuple[Game, ...]:
    """Return the matches of a block as the test sees them; the tested version is the first of the order."""
    played = enumerate(zip(block.ranks, block.digests, strict=True))
    return tuple(
        Game(seat_in(_TESTED_PLACE, rotation, len(block.order)), ranks, digest) for rotation, (ranks, digest) in played
    )
