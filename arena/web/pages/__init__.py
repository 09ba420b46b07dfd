"""The pages, a file each; what is listed here is served."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter

from arena.web.pages import front, match, preferences

ROUTERS: Final[Sequence[APIRouter]] = (front.router, match.router, preferences.router)
