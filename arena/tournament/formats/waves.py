"""The one road by which every wave is planned, the first included. Pure, no I/O.

It keeps from a format what it may not know yet, so that no plan depends on timing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arena.tournament.formats.format import Format
from arena.tournament.formats.past import NOTHING, Past
from arena.tournament.formats.situation import BlockState, Entrant, Situation, Wave


def is_ready(form: Format, planned: int, over: int) -> bool:
    """Return whether the wave after `planned` ones can be planned when the first `over` of them are over."""
    return form.traits.lag == 0 or planned - form.traits.lag < over


def foldable(form: Format, planned: int) -> int:
    """Return how many of the first waves may be folded into the past, if they are over, once `planned` ones are there.

    The others have results that the next plan must not look at.
    """
    return max(0, planned - form.traits.lag + 1)


def seen_by_plan(
    form: Format, entrants: Sequence[Entrant], waves: Sequence[Wave], seed: int, past: Past = NOTHING
) -> Situation:
    """Return what a format sees when it plans the wave that follows `past` and `waves`.

    The last `lag - 1` waves may have results already; these are hidden from the format, or the plan would depend on
    how fast the matches were played.
    """
    known = foldable(form, past.waves + len(waves)) - past.waves if form.traits.lag else 0
    seen = tuple(wave if number < known else _hide_results(wave) for number, wave in enumerate(waves))
    return Situation(tuple(entrants), seen, seed, past)


def _hide_results(wave: Wave) -> Wave:
    return tuple(replace(block, state=BlockState.PENDING, ranks=(), forfeits=(), digests=()) for block in wave)
