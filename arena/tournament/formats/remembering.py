"""Folds waves that are over into what a format remembers of them, and writes that as JSON. Pure, no I/O.

A plan from the memory of the first waves and the blocks of the others is the plan from the blocks of all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Protocol, runtime_checkable

from arena.tournament.formats.past import NOTHING, Past, Tally
from arena.tournament.formats.situation import Situation
from arena.tournament.formats.tally import tally

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
