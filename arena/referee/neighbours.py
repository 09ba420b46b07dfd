"""Who computed while a bot, or the referee itself, got no processor: named in a match that cannot be judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.match.decisions import Decision
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import SeatSpec
from arena.match.time_control import Figures
from arena.referee.meter import Meter
from engine.text import Text

LOUD_US = 200_000
"""Whoever computed more while another got no processor is named."""
MOST_LAG_US = 5_000_000
"""If the referee was later than this, the match cannot be judged."""


class Neighbours:
    """What the seats of one match compute while another decides; read only in decisions that last."""

    __slots__ = ("_at_first", "_meters")

    def __init__(self, meters: Sequence[Meter | None]) -> None:
        self._meters = meters
        self._at_first: dict[int, int] = {}

    def begin(self) -> None:
        """Start another decision; what happens before its first look is not counted."""
        self._at_first = {}

    def look(self, asked: int) -> None:
        """Note at the first look where the others stand. Cheap at all later ones."""
        if not self._at_first:
            self._at_first = self._read(asked)

    def computed_us(self, asked: int) -> dict[int, int]:
        """Return by seat what the others used of the processor since the first look."""
        return {seat: max(us - self._at_first.get(seat, us), 0) for seat, us in self._read(asked).items()}

    def _read(self, asked: int) -> dict[int, int]:
        return {seat: meter.total_us() for seat, meter in enumerate(self._meters) if meter and seat != asked}


def loudest(computed_us: Mapping[int, int]) -> tuple[int, float] | None:
    """Return the seat that used most and for how many seconds, or `None` if nobody was loud."""
    seat, used_us = max(computed_us.items(), key=lambda used: used[1], default=(0, 0))
    return (seat, used_us / 1_000_000) if used_us > LOUD_US else None


def evidence_of(
    names: Mapping[int, str], seat: int, figures: Figures, computed_us: Mapping[int, int]
) -> dict[str, Any]:
    """Return what shows that a seat waited, and what each other seat used meanwhile; `names` are the bots' by seat."""
    others = [{"seat": other, "bot": names[other], "cpu_us": used_us} for other, used_us in computed_us.items()]
    return {"seat": seat, "bot": names[seat], **figures.to_json(), "computed_meanwhile": others}


def starved(
    seats: Sequence[SeatSpec], decision: Decision, figures: Figures, computed_us: Mapping[int, int]
) -> MatchLostError:
    """Return the fault of the host that a decision lasted longer than any charge can explain."""
    seat, waited_s, loud = decision.seat, figures.wall_us / 1_000_000, loudest(computed_us)
    why = Text(
        "referee.seat_waited_s_processor_time",
        "seat {seat} waited {seconds} s for a processor, and its time cannot be judged",
        seat=seat,
        seconds=f"{waited_s:.1f}",
    )
    if loud is not None:
        other, loud_s = loud
        why = Text(
            "referee.seat_waited_s_processor_while",
            "seat {seat} waited {seconds} s for a processor, while seat {other} computed for {computed} s, "
            "and its time cannot be judged",
            seat=seat,
            seconds=f"{waited_s:.1f}",
            other=other,
            computed=f"{loud_s:.1f}",
        )
    return MatchLostError(why, HostCause.CHARGE_BOUND, evidence_of(_names(seats), seat, figures, computed_us))


def stood_still(
    seats: Sequence[SeatSpec], decision: Decision, figures: Figures, computed_us: Mapping[int, int]
) -> MatchLostError:
    """Return the fault of the host that the referee itself got no processor."""
    lag_s, loud = figures.referee_lag_us / 1_000_000, loudest(computed_us)
    why = Text("referee.referee_stood_still_s", "the referee stood still for {seconds} s", seconds=f"{lag_s:.1f}")
    if loud is not None:
        other, loud_s = loud
        why = Text(
            "referee.referee_stood_still_s_while",
            "the referee stood still for {seconds} s, while seat {other} computed for {computed} s",
            seconds=f"{lag_s:.1f}",
            other=other,
            computed=f"{loud_s:.1f}",
        )
    return MatchLostError(why, HostCause.REFEREE_LAG, evidence_of(_names(seats), decision.seat, figures, computed_us))


def _names(seats: Sequence[SeatSpec]) -> dict[int, str]:
    return {seat: one.name for seat, one in enumerate(seats)}
