"""Everything that is served: what is listed here, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter

from arena.web.pages import bots, compare, front, leaderboards, match, preferences

ROUTERS: Final[Sequence[APIRouter]] = (
    bots.router,
    compare.router,
    front.router,
    leaderboards.router,
    match.router,
    preferences.router,
)
