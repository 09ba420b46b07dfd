"""Tells what faults are about: whether a bot makes them by itself, or only after an earlier match."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from arena.model.bots import Finding
from arena.trial.blunders import Blunder, finding_of, finding_of_second_match
from arena.trial.trials import PlayedTrial
from arena.trial.values import TrialMatch

Play = Callable[[Sequence[TrialMatch]], Awaitable[list[PlayedTrial]]]
"""Plays matches, and returns them in order."""


async def explain(blunders: Sequence[Blunder], play: Play) -> list[Finding]:
    """Return the finding of each fault; that of a process which had played before is looked at with new processes."""
    return [
        finding_of_second_match(blunder) if await _is_of_age(blunder, play) else finding_of(blunder)
        for blunder in blunders
    ]


async def _is_of_age(blunder: Blunder, play: Play) -> bool:
    """Return whether a fault comes from a process's earlier matches: new processes do not make it."""
    if not blunder.was_warm:
        return False
    (again,) = await play([blunder.played.trial.with_fresh_bots()])
    return not again.faults
