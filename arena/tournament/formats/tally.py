"""Adds up what entrants have from their blocks, makes tables, and keeps old waves as JSON. Pure, no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

from arena.tournament.formats.format import (
    NOTHING,
    WITHDRAWN,
    BlockState,
    FormatStanding,
    Past,
    PlayedBlock,
    Situation,
    Tally,
)
from ratings.statistics.scores import match_points, most_points

_NONE = Tally()


def most_block_points(seats: int) -> int:
    """Return the points of an entrant that beats all others in every match of a block."""
    return seats * most_points(seats)


def block_points(block: PlayedBlock) -> dict[str, int]:
    """Return the points of each entrant of a block: those of its matches if it is whole, otherwise 0."""
    points = dict.fromkeys(block.order, 0)
    if block.is_whole:
        for seating, ranks in zip(block.rotations(), block.ranks, strict=True):
            for entrant, gained in zip(seating, match_points(ranks), strict=True):
                points[entrant] += gained
    return points


def tally(situation: Situation) -> dict[str, Tally]:
    """Return the tally of everybody who ever entered; byes are left to the format."""
    past = {entrant.id: situation.past.tallies.get(entrant.id, _NONE) for entrant in situation.entrants}
    tallies = {id_: replace(own, met=Counter(own.met)) for id_, own in past.items()}
    for block in situation.blocks:
        points = block_points(block)
        for entrant, chairs in Counter(block.order).items():  # more than one where it sits in several seats of a match
            own = tallies[entrant]
            own.planned += 1
            own.met.update(other for other in block.order if other != entrant)
            own.void += block.is_lost
            if block.is_whole:
                own.points += points[entrant]
                own.possible += chairs * most_block_points(len(block.order))
                own.whole += 1
            if block.is_whole or block.state is BlockState.INVALID:
                failed = all(entrant in forfeits for forfeits in block.forfeits)
                own.failed_in_a_row = own.failed_in_a_row + 1 if failed else 0
    return tallies


def keep_failing(tallies: Mapping[str, Tally], most: int) -> frozenset[str]:
    """Return who forfeited every match of its last `most` whole blocks, which is nobody if `most` is 0."""
    return frozenset(entrant for entrant, own in tallies.items() if most and own.failed_in_a_row >= most)


def standing_rows(
    situation: Situation,
    tallies: Mapping[str, Tally],
    key: Callable[[str], Any],
    status: Callable[[str], str] = lambda _: "",
) -> list[FormatStanding]:
    """Return the table with the least `key` first; entrants of equal keys share a place, in the order of entry."""
    entered = [entrant.id for entrant in situation.entrants if entrant.joined <= situation.wave]
    rows: list[FormatStanding] = []
    for number, entrant in enumerate(sorted(entered, key=key)):
        own = tallies[entrant]
        shared = rows and key(rows[-1].entrant) == key(entrant)
        place = rows[-1].place if shared else number + 1
        rows.append(FormatStanding(entrant, place, own.points, own.possible, own.whole))
    left = {entrant.id for entrant in situation.entrants if entrant.withdrawn is not None}
    return [replace(row, status=WITHDRAWN if row.entrant in left else status(row.entrant)) for row in rows]


def standings_by_score(situation: Situation) -> list[FormatStanding]:
    """Return the table with the best score first, for formats where everybody has the same opponents."""
    tallies = tally(situation)
    return standing_rows(situation, tallies, by_score(tallies))


def by_score(tallies: Mapping[str, Tally]) -> Callable[[str], Any]:
    """Return a sort key that puts the better score first, and at equal scores those who have played."""
    return lambda entrant: (-tallies[entrant].points / max(1, tallies[entrant].possible), not tallies[entrant].whole)


_NUMBERS = tuple(field.name for field in fields(Tally) if field.name != "met")


@runtime_checkable
class Remembering(Protocol):
    """A format that does not need the blocks of waves that are over."""

    memory_version: ClassVar[int]
    """Changes with what is remembered; a memory of another version is forgotten and read anew from the matches."""

    def remember(self, situation: Situation) -> Any:
        """Return what `Past.own` is after all waves of the situation, every one of which is over."""

    def write_own(self, own: Any, places: Mapping[str, int]) -> Any:
        """Return `Past.own` for JSON, entrants by their place in the order of entry."""

    def read_own(self, data: Any, entrants: Sequence[str]) -> Any:
        """Return what `write_own` wrote, given the entrants in the order of entry."""


def fold(form: Remembering, situation: Situation) -> Past:
    """Return the past with one wave more: `situation` has that wave, which is over, behind its own past."""
    past, (wave,) = situation.past, situation.waves
    return Past(past.waves + 1, past.blocks + len(wave), tally(situation), form.remember(situation), past.gathered)


def to_json(form: Remembering, past: Past, entrants: Sequence[str]) -> dict[str, Any]:
    """Return the past for JSON, without who gathered; entrants by their place in the order of entry."""
    places = {entrant: place for place, entrant in enumerate(entrants)}
    return {
        "version": form.memory_version,
        "waves": past.waves,
        "blocks": past.blocks,
        "tallies": [
            [
                places[entrant],
                *(getattr(own, name) for name in _NUMBERS),
                [[places[other], times] for other, times in own.met.items()],
            ]
            for entrant, own in past.tallies.items()
        ],
        "own": form.write_own(past.own, places),
    }


def is_understood(form: Remembering, data: Mapping[str, Any] | None) -> bool:
    """Return whether there is a memory, and it was written as this format writes it now."""
    return data is not None and data.get("version") == form.memory_version


def from_json(form: Remembering, data: Mapping[str, Any] | None, entrants: Sequence[str]) -> Past:
    """Return the past that `to_json` wrote, or the empty past if there is none, or none that is understood here."""
    if data is None or not is_understood(form, data):
        return NOTHING
    tallies = {
        entrants[place]: Tally(
            **dict(zip(_NUMBERS, numbers, strict=True)), met=Counter({entrants[other]: times for other, times in met})
        )
        for place, *numbers, met in data["tallies"]
    }
    return Past(data["waves"], data["blocks"], tallies, form.read_own(data["own"], entrants))
