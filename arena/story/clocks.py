"""What is left in the banks of a match. Pure: the same sums as `arena.match.match.Match` makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.match.time_control import TimeControl


class Clocks:
    """The banks of all seats."""

    __slots__ = ("_control", "_left_us")

    def __init__(self, clock: Mapping[str, Any], seats: int) -> None:
        self._control = TimeControl.from_json(clock)
        self._left_us = [self._control.bank_us] * seats

    def charge(self, seat: int, charged_us: int) -> None:
        """Take the charge of an answer from a bank, and add its increment."""
        self._left_us[seat] = max(self._left_us[seat] - charged_us, 0) + self._control.increment_us

    @property
    def left_us(self) -> tuple[int, ...] | None:
        """Return what is left, seat by seat; None if no decision draws on a bank."""
        return tuple(self._left_us) if self._control.has_bank else None
