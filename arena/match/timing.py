"""What a decision took and what it is charged for it, as values. No clock and no file is read here.

    charge = min(wall, max(cpu / cores, wall - queue_wait - referee_lag))

So time spent waiting for a busy host is given back, while what a bot computes is charged in any case. A decision whose
figures were not read, because it was too short, or could not be read (`is_readable` is False) is charged its wall time.

All durations are integer microseconds.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_READABLE = 1
_MOST_VARINT_BITS = 63


class TimingError(ValueError):
    """The text is not a packed column of figures."""


@dataclass(frozen=True, slots=True)
class Figures:
    """How one decision spent its time."""

    wall_us: int
    """From the `Decide` to the answer."""
    cpu_us: int = 0
    """Processor time of the bot's whole process tree, threads and processes that have ended included."""
    queue_wait_us: int = 0
    """How long the bot was ready to run and its processors were not free."""
    referee_lag_us: int = 0
    """By how much the referee was late, with sending the `Decide` and with reading the answer."""
    looks: int = 0
    """How often the bot's figures were read; if never, the figures other than the wall time mean nothing."""
    is_readable: bool = True
    """False if they should have been read and could not be."""

    def charge_us(self, cores: int) -> int:
        """Return what the bot is charged if it was granted so many cores."""
        if not self.looks or not self.is_readable:
            return self.wall_us
        waited = self.wall_us - self.queue_wait_us - self.referee_lag_us
        return min(self.wall_us, max(self.cpu_us // cores, waited))

    def to_json(self) -> dict[str, Any]:
        """Return the figures as the evidence of a fault keeps them; nothing if they were not read."""
        if not self.looks or not self.is_readable:
            return {} if self.is_readable else {"readable": False}
        return {
            "cpu_us": self.cpu_us,
            "queue_wait_us": self.queue_wait_us,
            "referee_lag_us": self.referee_lag_us,
            "looks": self.looks,
        }


def _add_varint(column: bytearray, value: int) -> None:
    while value > 0x7F:
        column.append(value & 0x7F | 0x80)
        value >>= 7
    column.append(value)


def pack_figures(decisions: Iterable[Figures]) -> str:
    """Pack figures into one column of a replay, without their wall times; `unpack_figures` is the inverse.

    For each decision it holds the number of looks with a bit that tells whether they succeeded and then, if there were
    looks, the other figures: variable-length integers in base64, one byte for a decision that was not looked at.
    """
    column = bytearray()
    for figures in decisions:
        _add_varint(column, figures.looks << 1 | (_READABLE if figures.is_readable else 0))
        if figures.looks:
            for number in (figures.cpu_us, figures.queue_wait_us, figures.referee_lag_us):
                _add_varint(column, number)
    return base64.b64encode(column).decode("ascii")


def unpack_figures(column: str, walls_us: Sequence[int]) -> list[Figures]:
    """Return the figures of a column, given the wall time of each decision. Raises TimingError."""
    numbers = _read_numbers(column)
    decisions = []
    try:
        for wall_us in walls_us:
            head = next(numbers)
            looks, is_readable = head >> 1, bool(head & _READABLE)
            figures = (next(numbers), next(numbers), next(numbers)) if looks else (0, 0, 0)
            decisions.append(Figures(wall_us, *figures, looks, is_readable))
    except StopIteration:
        raise TimingError(f"the times end after {len(decisions)} of {len(walls_us)} decisions") from None
    if next(numbers, None) is not None:
        raise TimingError(f"the times go on after the last of {len(walls_us)} decisions")
    return decisions


def _read_numbers(column: str) -> Iterator[int]:
    try:
        data = base64.b64decode(column, validate=True)
    except (binascii.Error, ValueError) as error:
        raise TimingError(f"the times are no base64: {error}") from error
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0
        elif shift > _MOST_VARINT_BITS:
            raise TimingError("the times hold a number that is too long")
    if shift:
        raise TimingError("the times are cut off inside a number")
