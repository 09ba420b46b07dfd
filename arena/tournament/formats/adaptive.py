"""Adaptive: plays the blocks that tell most until "top 3 known at 95% within 10 Elo" is answered. Pure, no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from arena.tournament.formats.format import (
    CircularOrder,
    FormatStanding,
    ScheduleError,
    Situation,
    Traits,
    check_entrants,
    check_size,
)
from arena.tournament.formats.table_grouping import count_tables, owners_of, seat_groups
from arena.tournament.formats.tally import standing_rows, tally
from engine.translatable import Text
from ratings.statistics.errors import ResultsError
from ratings.statistics.stopping_question import check_question, parse_question

if TYPE_CHECKING:  # NumPy is imported when there is something to compute
    from ratings.statistics.block_allocation import QuestionStatus
    from ratings.statistics.official_table import FittedTable
    from ratings.statistics.results import Results

DEFAULT_QUESTION = "top 3 known at 95%"
DEFAULT_WITHIN = 10.0
"""The zone of a question that names none, in Elo: who is so near to the best is one of them."""
DEFAULT_BLOCKS = 2000
# Each is a ring that connects everybody; nothing is known before the first of them is over.
_FIRST_WAVES = 2
_BLOCKS_A_WAVE = 8


@dataclass(frozen=True, slots=True)
class Adaptive:
    """Waves of blocks between those entrants whose order is most in doubt and matters for the question.

    The table is the official one of this tournament's own whole blocks; `ratings.statistics.block_allocation` chooses
    what comes next.
    """

    seats: int
    until: str = f"{DEFAULT_QUESTION} within {DEFAULT_WITHIN:g} Elo"
    blocks: int = DEFAULT_BLOCKS
    """The most blocks; after them the question stays open."""

    traits = Traits("adaptive", lag=2)

    def check(self, entrants: int) -> None:
        """Raise ScheduleError for a question that these entrants cannot answer, or too few blocks."""
        check_entrants(entrants, self.seats)
        try:
            check_question(parse_question(self.until), entrants)
        except ResultsError as error:
            raise ScheduleError(str(error)) from error
        if self.blocks < entrants:
            raise ScheduleError(
                Text(
                    "{blocks} blocks at most are too few for {entrants} bots; allow {least} or more",
                    blocks=self.blocks,
                    entrants=entrants,
                    least=entrants,
                )
            )
        check_size(self.blocks * self.seats)

    def plan(self, situation: Situation) -> list[CircularOrder]:
        """Return the blocks that tell most about the question, or none if it is answered."""
        left = self.blocks - len(situation.blocks)
        if left <= 0 or len(situation.present) < max(self.seats, parse_question(self.until).places + 1):
            return []
        if not count_tables(situation.present, self.seats, owners_of(situation.entrants)):
            return []
        from ratings.statistics.block_allocation import first_blocks, next_blocks

        labels = _labels(situation)
        names = {label: entrant for entrant, label in labels.items()}
        present = [labels[entrant] for entrant in situation.present]
        owners = {labels[entrant]: owner for entrant, owner in owners_of(situation.entrants).items()}
        if situation.wave < _FIRST_WAVES:
            chosen = first_blocks(present, self.seats, situation.seed + situation.wave, rings=1, owners=owners)
        else:
            results = _results(situation)
            table = _table(results)
            if self._standing(table, results, present, len(situation.entrants)).is_known:
                return []
            seed = situation.seed + situation.wave
            question = parse_question(self.until)
            chosen = next_blocks(table, question, present, self.seats, _BLOCKS_A_WAVE, seed, owners)
        return seat_groups(situation, [[names[label] for label in order] for order in chosen])[:left]

    def _standing(self, table: FittedTable, results: Results, asked: Sequence[str], entrants: int) -> QuestionStatus:
        from ratings.statistics.block_allocation import question_status

        at_first_look = _FIRST_WAVES * -(-entrants // (self.seats - 1))
        span = max(self.blocks / at_first_look, 1.0)
        return question_status(table, parse_question(self.until), asked, span, results)

    def answer(self, situation: Situation) -> QuestionStatus:
        """Return how well all whole blocks answer the question; entrants by their id.

        If so many withdrew that no more are left than are asked for, it is answered.
        """
        from ratings.statistics.block_allocation import QuestionStatus

        question = parse_question(self.until)
        stayed = [entrant.id for entrant in situation.entrants if entrant.withdrawn is None]
        if len(stayed) <= question.places:
            return QuestionStatus(True, 1.0, tuple(stayed), ())
        labels = _labels(situation)
        names = {label: entrant for entrant, label in labels.items()}
        results = _results(situation)
        found = self._standing(_table(results), results, [labels[entrant] for entrant in stayed], len(labels))
        return QuestionStatus(
            found.is_known,
            found.confidence,
            tuple(names[label] for label in found.leaders),
            tuple(names[label] for label in found.contenders),
            tuple(names[label] for label in found.drifting),
        )

    def conclude(self, situation: Situation) -> dict[str, Any] | None:
        """Return the answer if it is known; it stays, whatever the last wave, which nobody has looked at, brings."""
        found = self.answer(situation)
        if not found.is_known:
            return None
        return {
            "confidence": found.confidence,
            "leaders": list(found.leaders),
            "contenders": list(found.contenders),
            "blocks": sum(block.is_whole for block in situation.blocks),
        }

    def recorded(self, answer: Mapping[str, Any]) -> QuestionStatus:
        """Return the answer that `conclude` gave."""
        from ratings.statistics.block_allocation import QuestionStatus

        return QuestionStatus(True, answer["confidence"], tuple(answer["leaders"]), tuple(answer["contenders"]))

    def answers(self, situation: Situation, most: int) -> list[tuple[int, QuestionStatus]]:
        """Return the answer after so many whole blocks, at `most` moments from the first that gave one until now."""
        past = [replace(situation, waves=situation.waves[:end]) for end in range(_FIRST_WAVES, situation.wave + 1)]
        counted = [(sum(block.is_whole for block in one.blocks), one) for one in past]
        # What has no more whole blocks than the moment before says nothing new.
        fresh = [pair for number, pair in enumerate(counted) if pair[0] > (counted[number - 1][0] if number else 0)]
        step = max(1, -(-len(fresh) // most))
        chosen = fresh[::-1][::step][::-1]  # from the end, so that the last answer is among them
        return [(blocks, self.answer(one)) for blocks, one in chosen]

    def standings(self, situation: Situation) -> list[FormatStanding]:
        """Return the table by strength in the official table of these blocks."""
        labels = _labels(situation)
        strength = {row.version: row for row in _table(_results(situation)).rows}
        rank = {
            entrant: strength[label].rank if label in strength else len(labels) for entrant, label in labels.items()
        }

        def say(entrant: str) -> str:
            row = strength.get(labels[entrant])
            return f"{row.elo:.0f} ({row.elo_interval})" if row else ""

        return standing_rows(situation, tally(situation), lambda entrant: rank[entrant], say)


def with_zone(question: str, within: float | None) -> str:
    """Return a question with a zone of so many Elo, the usual one if neither it nor `within` names one.

    Raises ScheduleError if both do, or if it is no question.
    """
    try:
        has_zone = parse_question(question).within is not None
    except ResultsError as error:
        raise ScheduleError(str(error)) from error
    if not has_zone:
        return f"{question} within {DEFAULT_WITHIN if within is None else within:g} Elo"
    if within is not None:
        raise ScheduleError(Text("{question} names its zone already; leave out --within", question=repr(question)))
    return question


def _labels(situation: Situation) -> dict[str, str]:
    """Return a name for each entrant by its place, since what is drawn must not depend on ids."""
    return {entrant.id: f"{place:06}" for place, entrant in enumerate(situation.entrants)}


def _results(situation: Situation) -> Results:
    """Return the matches of whole blocks, which are numbered in the order of the plan."""
    from ratings.statistics.results import results_of

    labels = _labels(situation)
    matches = [
        (number, [labels[entrant] for entrant in order], ranks)
        for number, block in enumerate(situation.blocks)
        if block.is_whole
        for order, ranks in zip(block.rotations(), block.ranks, strict=True)
    ]
    return results_of(list(labels.values()), matches)


def _table(results: Results) -> FittedTable:
    from ratings.statistics.official_table import official_table

    return official_table(results)
