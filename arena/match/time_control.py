"""Time controls, and what a decision took and is charged for. No clock and no file is read here."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from engine.translatable import Text
from engine.value_class import value_class

SECOND_US = 1_000_000
DEFAULT_START_LIMIT_US = 10 * SECOND_US
DEFAULT_MARGIN_US = 50_000

_LIMIT = re.compile(r"(?P<value>\d{1,9}(?:\.\d{1,3})?)(?P<unit>ms|s)", re.ASCII)
_BANK = re.compile(r"(?P<bank>\d{1,6}(?:\.\d{1,3})?)\+(?P<increment>\d{1,6}(?:\.\d{1,3})?)", re.ASCII)

_PONDERING = "pondering"
_READABLE = 1
_MOST_VARINT_BITS = 63


class TimeControlError(ValueError):
    """The text is not a time control."""

    kind: ClassVar[str] = "misuse"
    reason: ClassVar[str] = "TIME_CONTROL"


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time one seat may use.

    A decision limit of 0 means that there is none; so does a bank of 0 with an increment of 0.
    """

    decision_limit_us: int = 0
    bank_us: int = 0
    increment_us: int = 0
    start_limit_us: int = DEFAULT_START_LIMIT_US
    """From the start of a bot's process until it has joined."""
    margin_us: int = DEFAULT_MARGIN_US
    """How much later than its limit a decision may be without being a fault."""
    may_ponder: bool = False
    """Whether bots may compute while others decide; otherwise they sleep then."""

    @property
    def has_bank(self) -> bool:
        """Whether decisions draw on a bank."""
        return self.bank_us > 0 or self.increment_us > 0

    def allowance_us(self, bank_us: int) -> int:
        """Return the longest time for a decision that starts with `bank_us` left, margin apart; 0 = no limit."""
        if not self.has_bank:
            return self.decision_limit_us
        if not self.decision_limit_us:
            return max(bank_us, 1)
        return max(min(bank_us, self.decision_limit_us), 1)

    def durations(self) -> dict[str, int]:
        """Return the five durations by name."""
        data = asdict(self)
        del data["may_ponder"]
        return data

    def to_json(self) -> dict[str, int]:
        """Return the durations by name, as JSON data, and whether bots may ponder if so; `from_json` is the inverse."""
        # It came later, and what was written before must stay the same.
        return {**self.durations(), "may_ponder": True} if self.may_ponder else self.durations()

    @classmethod
    def from_json(cls, data: Mapping[str, int]) -> TimeControl:
        """Return the time control that `to_json` wrote."""
        durations = {name: value for name, value in data.items() if name != "may_ponder"}
        return cls(**durations, may_ponder=bool(data.get("may_ponder")))


def _microseconds(text: str, scale: int) -> int:
    whole, _, fraction = text.partition(".")
    return int(whole) * scale + int((fraction + "000")[:3]) * scale // 1000


def parse_time_control(
    text: str, *, start_limit_us: int = DEFAULT_START_LIMIT_US, margin_us: int = DEFAULT_MARGIN_US
) -> TimeControl:
    """Return the time control that a text describes, with the start limit and the margin, which no text tells.

    `50ms` and `2s` are limits of a decision, `60+1` is a bank and its increment in seconds, `60+1/5s` is both, and
    `none` is no clock; with `,pondering` behind one of them bots may compute while others decide. Raises
    TimeControlError, which shows these forms.
    """
    clock, _, pondering = text.partition(",")
    may_ponder = pondering == _PONDERING
    if clock == "none" and text in (clock, f"{clock},{_PONDERING}"):
        return TimeControl(start_limit_us=start_limit_us, margin_us=margin_us, may_ponder=may_ponder)
    bank, slash, limit = (clock if may_ponder else text).partition("/")
    if not slash and "+" not in bank:
        bank, limit = "", bank
    parsed_limit, parsed_bank = _LIMIT.fullmatch(limit), _BANK.fullmatch(bank)
    lacks_part = slash and not (bank and limit)
    if lacks_part or not (bank or limit) or (limit and not parsed_limit) or (bank and not parsed_bank):
        raise TimeControlError(
            Text("{text} is no time control; write 50ms, 2s, 60+1, 60+1/5s or none", text=repr(text))
        )
    limit_us = bank_us = increment_us = 0
    if parsed_limit:
        limit_us = _microseconds(parsed_limit["value"], 1000 if parsed_limit["unit"] == "ms" else SECOND_US)
    if parsed_limit and limit_us == 0:
        raise TimeControlError(
            Text("{text}: a decision needs some time; write 50ms, or none for no clock", text=repr(text))
        )
    if parsed_bank:
        bank_us = _microseconds(parsed_bank["bank"], SECOND_US)
        increment_us = _microseconds(parsed_bank["increment"], SECOND_US)
    if parsed_bank and bank_us == 0:
        raise TimeControlError(
            Text("{text}: the bank must be above 0, or the first decision has no time", text=repr(text))
        )
    return TimeControl(limit_us, bank_us, increment_us, start_limit_us, margin_us, may_ponder)


def _format_limit(microseconds: int) -> str:
    if microseconds % SECOND_US == 0:
        return f"{microseconds // SECOND_US}s"
    return f"{_decimal(microseconds, 1000)}ms"


def _decimal(microseconds: int, scale: int) -> str:
    thousandths = microseconds * 1000 // scale
    whole, fraction = divmod(thousandths, 1000)
    return f"{whole}.{fraction:03d}".rstrip("0").rstrip(".")


def format_time_control(control: TimeControl) -> str:
    """Return the text from which `parse_time_control` reads it back; start limit and margin are not part of it."""
    bank = f"{_decimal(control.bank_us, SECOND_US)}+{_decimal(control.increment_us, SECOND_US)}"
    if not control.has_bank:
        text = _format_limit(control.decision_limit_us) if control.decision_limit_us else "none"
    else:
        text = f"{bank}/{_format_limit(control.decision_limit_us)}" if control.decision_limit_us else bank
    return f"{text},{_PONDERING}" if control.may_ponder else text


class TimingError(ValueError):
    """The text is not a packed column of figures."""


@value_class
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
        if not figures.looks:  # so it is with most
            column.append(_READABLE if figures.is_readable else 0)
        else:
            _add_varint(column, figures.looks << 1 | (_READABLE if figures.is_readable else 0))
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
