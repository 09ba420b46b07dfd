"""Who was paired with whom, in the formats that go by rounds. Pure, no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from arena.tournament.formats.format import Format, PlayedBlock, Situation
from arena.tournament.formats.knockout import Bracket, Knockout
from arena.tournament.formats.swiss import Swiss
from arena.tournament.formats.tally import block_points


@dataclass(frozen=True, slots=True)
class Met:
    """Those who met in a round; a single one has a bye."""

    round: int
    """Counts from 1."""
    entrants: tuple[str, ...]
    points: tuple[int, ...]
    """From the whole blocks; index = place in `entrants`."""
    lost: tuple[int, ...]
    """How many ties of a knockout each had lost before."""
    ahead: frozenset[str] | None
    """Who goes on, or is ahead in the end; `None` while that is open."""
    blocks: int
    """The number of whole blocks."""


def pairings(form: Format, situation: Situation) -> list[Met]:
    """Return who met in each round, the first round first; nothing for a format without rounds."""
    if isinstance(form, Knockout):
        return list(_of_bracket(form.bracket(situation)))
    if isinstance(form, Swiss):
        return list(_of_swiss(form, situation))
    return []


def _of_bracket(bracket: Bracket) -> Iterator[Met]:
    for number, one in enumerate(bracket.rounds, start=1):
        for tie in one.ties:
            points, ahead = tie.points(), bracket.goes_on(tie)
            yield Met(
                number,
                tie.entrants,
                tuple(points[entrant] for entrant in tie.entrants),
                tuple(one.lost[entrant] for entrant in tie.entrants),
                None if ahead is None else frozenset(ahead),
                sum(block.is_whole for block in tie.blocks),
            )
        yield from (_bye(number, entrant, one.lost[entrant]) for entrant in one.byes)


def _of_swiss(form: Swiss, situation: Situation) -> Iterator[Met]:
    byes = form.byes(situation)
    for number, wave in enumerate(situation.waves, start=1):
        tables: dict[frozenset[str], list[PlayedBlock]] = {}
        for block in wave:
            tables.setdefault(frozenset(block.order), []).append(block)
        yield from (_table(number, blocks) for blocks in tables.values())
        yield from (_bye(number, entrant, 0) for entrant in byes[number - 1])


def _table(number: int, blocks: list[PlayedBlock]) -> Met:
    points = Counter(dict.fromkeys(sorted(blocks[0].order), 0))
    for block in blocks:
        points.update(block_points(block))
    ranked = [entrant for entrant, _ in points.most_common()]
    is_over = not any(block.is_pending for block in blocks)
    best = frozenset(entrant for entrant in ranked if points[entrant] == points[ranked[0]])
    return Met(
        number,
        tuple(ranked),
        tuple(points[entrant] for entrant in ranked),
        (0,) * len(ranked),
        best if is_over else None,
        sum(block.is_whole for block in blocks),
    )


def _bye(number: int, entrant: str, lost: int) -> Met:
    return Met(number, (entrant,), (0,), (lost,), frozenset({entrant}), 0)
