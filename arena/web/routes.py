"""Everything that is served: what is listed here, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter

from arena.web.owners import admissions, login, tokens, uploads
from arena.web.owners import pages as owners
from arena.web.pages import bots, exports, front, games, leaderboards, matches, tournaments
from arena.web.people import lobby
from arena.web.people import pages as people
from arena.web.shared import visitor
from arena.web.viewer import spectators

ROUTERS: Final[Sequence[APIRouter]] = (
    bots.router,
    spectators.router,
    admissions.router,
    owners.router,
    login.router,
    tokens.router,
    uploads.router,
    exports.router,
    front.router,
    games.router,
    leaderboards.router,
    matches.router,
    lobby.router,
    people.router,
    visitor.router,
    tournaments.router,
)
