"""Asks a format for its waves, and sees to it that none looks at what it may not know yet. Pure, no I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arena.tournament.formats.format import Format, Standing
from arena.tournament.formats.situation import BlockState, CircularOrder, Entrant, Situation, Wave


def is_ready(form: Format, planned: int, over: int) -> bool:
    """Whether the wave after `planned` ones can be planned, when the first `over` of them are over."""
    return form.lag == 0 or planned - form.lag < over


def plan_wave(form: Format, entrants: Sequence[Entrant], waves: Sequence[Wave], seed: int) -> tuple[CircularOrder, ...]:
    """The blocks of the wave that comes after `waves`; none when the tournament is over.

    The last lag - 1 waves may have results already: they are hidden, or the plan would depend on timing.
    """
    known = len(waves) - form.lag + 1 if form.lag else 0
    seen = tuple(wave if number < known else _hidden(wave) for number, wave in enumerate(waves))
    return tuple(form.plan(Situation(tuple(entrants), seen, seed)))


def _hidden(wave: Wave) -> Wave:
    return tuple(replace(block, state=BlockState.PENDING, ranks=(), forfeits=(), digests=()) for block in wave)


def is_over(form: Format, entrants: Sequence[Entrant], waves: Sequence[Wave], seed: int) -> bool:
    """Whether all is planned and played."""
    return not any(block.is_pending for wave in waves for block in wave) and not plan_wave(form, entrants, waves, seed)


def standings(form: Format, entrants: Sequence[Entrant], waves: Sequence[Wave], seed: int) -> list[Standing]:
    """The table of all whole blocks, also of waves that are not over."""
    return form.standings(Situation(tuple(entrants), tuple(waves), seed))
