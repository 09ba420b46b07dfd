"""How the time of a match was spent, read from its replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.match.replay import ReplayError, load, read_figures, timed_entries
from arena.match.timing import TimingError
from arena.model.errors import ClientError
from arena.model.match_details import DecisionTime, MatchTimes, SeatTime

_FIGURES = ("wall_us", "cpu_us", "queue_wait_us", "referee_lag_us", "charged_us")


def times_of(stored: bytes) -> MatchTimes:
    """Return the decisions of a stored replay and the totals of each seat. Raises ClientError."""
    try:
        document = load(stored)
        decisions = tuple(_decisions(document))
    except (ReplayError, TimingError) as error:
        raise ClientError(f"the replay cannot be read: {error}") from error
    names = [seat["name"] for seat in document["seats"]]
    return MatchTimes(decisions, tuple(_total(seat, name, decisions) for seat, name in enumerate(names)))


def _decisions(document: Mapping[str, Any]) -> list[DecisionTime]:
    """Return each decision; CPU, waiting and lag are `None` if it was too short or could not be measured."""
    found = []
    for entry, figures in zip(timed_entries(document), read_figures(document), strict=True):
        was_read = figures.looks > 0 and figures.is_readable
        found.append(
            DecisionTime(
                ply=entry["ply"],
                seat=entry["seat"],
                bot=document["seats"][entry["seat"]]["name"],
                wall_us=figures.wall_us,
                cpu_us=figures.cpu_us if was_read else None,
                queue_wait_us=figures.queue_wait_us if was_read else None,
                referee_lag_us=figures.referee_lag_us if was_read else None,
                charged_us=entry["charged_us"],
                looks=figures.looks,
                readable=figures.is_readable,
            )
        )
    return found


def _total(seat: int, name: str, decisions: Sequence[DecisionTime]) -> SeatTime:
    own = [one for one in decisions if one.seat == seat]
    sums = {key: sum(getattr(one, key) or 0 for one in own) for key in _FIGURES}
    return SeatTime(seat, name, len(own), **sums, longest_us=max((one.charged_us for one in own), default=0))
