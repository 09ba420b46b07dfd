"""The standing ladders of a database and their seasons."""

# ruff: noqa: ARG002

from __future__ import annotations

from arena.client.errors import ClientError
from arena.client.here.place import Place
from arena.client.values.ladders import Ladder, Season, SeasonTable
from arena.client.values.page import DEFAULT_LIMIT, Page

_NOT_KEPT = ClientError("this database keeps no ladders yet")


class LaddersHere:
    """Implements the interface `arena.client.port.Ladders`."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def list_ladders(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Ladder]:
        raise _NOT_KEPT

    def list_seasons(self, ladder: str) -> tuple[Season, ...]:
        raise _NOT_KEPT

    def get_season_table(self, ladder: str, number: int) -> SeasonTable:
        raise _NOT_KEPT
