"""Finds out with which bot of a match workers fall: each plays alone, with bots of the arena in the other seats."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from arena.hosting.sample_bots import sample_directory
from arena.match.spec import MatchSpec, SeatSpec

STAND_IN = "random"
"""The sample bot that sits in the other seats."""


async def find_guilty(
    spec: MatchSpec, crashes_with: Callable[[MatchSpec], Awaitable[str]]
) -> dict[int, Mapping[str, Any]]:
    """Return the evidence against each seat whose bot brings down a worker when no other stranger is on it.

    `crashes_with` plays a match, and returns how the worker crashed, or an empty text if it did not. So nobody is
    blamed for what another one did; who does nothing when it is alone is not blamed either.
    """
    crashes: dict[str, str] = {}
    for index, seat in enumerate(spec.seats):
        if seat.version not in crashes:
            crashes[seat.version] = await crashes_with(_alone(spec, index))
    return {index: {"worker": crashes[seat.version]} for index, seat in enumerate(spec.seats) if crashes[seat.version]}


def without(spec: MatchSpec, guilty: Mapping[int, Mapping[str, Any]]) -> MatchSpec:
    """Return the match in which these seats are barred, whatever the evidence against them."""
    seats = (replace(seat, barred=guilty.get(index)) for index, seat in enumerate(spec.seats))
    return replace(spec, seats=tuple(seats))


def _alone(spec: MatchSpec, suspect: int) -> MatchSpec:
    seats = (seat if index == suspect else _stand_in(seat) for index, seat in enumerate(spec.seats))
    return replace(spec, seats=tuple(seats), uses_fresh_bots=True, checks_leaks=False, keeps_logs=False)


def _stand_in(seat: SeatSpec) -> SeatSpec:
    directory = sample_directory(STAND_IN)
    command = sys.executable, str(directory / "main.py")
    return SeatSpec(f"arena-{STAND_IN}", STAND_IN, str(directory), command, seat.seed)
