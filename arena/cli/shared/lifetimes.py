"""How long tokens and invitations hold, as the options say it."""

from __future__ import annotations

import time
from typing import Annotated

import typer

_DAY_US = 24 * 3600 * 1_000_000

Days = Annotated[float, typer.Option("--days", min=0.001, max=36_500, metavar="N")]
OptionalDays = Annotated[
    float | None,
    typer.Option("--days", min=0.001, max=36_500, metavar="N"),
]


def expiry_us(days: float | None) -> int | None:
    """Return the instant when something ends that holds for so many days from now; `None` if it holds for ever."""
    return None if days is None else time.time_ns() // 1000 + round(days * _DAY_US)
