"""Time controls as values. No clock is read here.

All durations are integer microseconds of the monotonic clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SECOND_US = 1_000_000
DEFAULT_START_LIMIT_US = 10 * SECOND_US
DEFAULT_MARGIN_US = 50_000

_LIMIT = re.compile(r"(?P<value>\d{1,9}(?:\.\d{1,3})?)(?P<unit>ms|s)", re.ASCII)
_BANK = re.compile(r"(?P<bank>\d{1,6}(?:\.\d{1,3})?)\+(?P<increment>\d{1,6}(?:\.\d{1,3})?)", re.ASCII)


class TimeControlError(ValueError):
    """The text is no time control."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """What one seat may use. A limit of 0 does not exist; a bank of 0 with increment 0 does not exist either."""

    decision_limit_us: int = 0
    bank_us: int = 0
    increment_us: int = 0
    start_limit_us: int = DEFAULT_START_LIMIT_US
    margin_us: int = DEFAULT_MARGIN_US

    @property
    def has_bank(self) -> bool:
        """Whether decisions draw on a bank."""
        return self.bank_us > 0 or self.increment_us > 0

    def allowance_us(self, bank_us: int) -> int:
        """Longest time for a decision that starts with `bank_us` left; 0 = no limit. The margin is not counted."""
        if not self.has_bank:
            return self.decision_limit_us
        if not self.decision_limit_us:
            return max(bank_us, 1)
        return max(min(bank_us, self.decision_limit_us), 1)


def _microseconds(text: str, scale: int) -> int:
    whole, _, fraction = text.partition(".")
    return int(whole) * scale + int((fraction + "000")[:3]) * scale // 1000


def parse_time_control(text: str) -> TimeControl:
    """`50ms` or `2s` per decision, `60+1` bank and increment in seconds, `60+1/5s` both, `none` no clock.

    Raises TimeControlError showing the forms.
    """
    if text == "none":
        return TimeControl()
    bank, slash, limit = text.partition("/")
    if not slash and "+" not in bank:
        bank, limit = "", bank
    parsed_limit = _LIMIT.fullmatch(limit) if limit else None
    parsed_bank = _BANK.fullmatch(bank) if bank else None
    if (
        (limit and not parsed_limit)
        or (bank and not parsed_bank)
        or not (parsed_limit or parsed_bank)
        or (slash and not (bank and limit))
    ):
        raise TimeControlError(f"{text!r} is no time control; write 50ms, 2s, 60+1, 60+1/5s or none")
    decision_limit_us = bank_us = increment_us = 0
    if parsed_limit:
        decision_limit_us = _microseconds(parsed_limit["value"], 1000 if parsed_limit["unit"] == "ms" else SECOND_US)
        if decision_limit_us == 0:
            raise TimeControlError(f"{text!r}: a decision needs some time; write 50ms, or none for no clock")
    if parsed_bank:
        bank_us = _microseconds(parsed_bank["bank"], SECOND_US)
        increment_us = _microseconds(parsed_bank["increment"], SECOND_US)
        if bank_us == 0:
            raise TimeControlError(f"{text!r}: the bank must be above 0, or the first decision has no time")
    return TimeControl(decision_limit_us, bank_us, increment_us)


def _format_limit(microseconds: int) -> str:
    if microseconds % SECOND_US == 0:
        return f"{microseconds // SECOND_US}s"
    return f"{_decimal(microseconds, 1000)}ms"


def _decimal(microseconds: int, scale: int) -> str:
    thousandths = microseconds * 1000 // scale
    whole, fraction = divmod(thousandths, 1000)
    return f"{whole}.{fraction:03d}".rstrip("0").rstrip(".")


def format_time_control(control: TimeControl) -> str:
    """The text that `parse_time_control` reads back (start limit and margin are not part of it)."""
    bank = f"{_decimal(control.bank_us, SECOND_US)}+{_decimal(control.increment_us, SECOND_US)}"
    if not control.has_bank:
        return _format_limit(control.decision_limit_us) if control.decision_limit_us else "none"
    return f"{bank}/{_format_limit(control.decision_limit_us)}" if control.decision_limit_us else bank
