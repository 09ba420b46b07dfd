"""What can be asked about ladders; `arena.client.port` says how bots, lists and errors are to be understood."""

from __future__ import annotations

from typing import Protocol

from arena.client.values.ladders import Ladder, Season, SeasonTable
from arena.client.values.page import DEFAULT_LIMIT, Page


class Ladders(Protocol):
    """The standing ladders and their seasons."""

    def list_ladders(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Ladder]:
        """Return the ladders, closed ones too."""

    def get_ladder(self, ladder: str) -> Ladder:
        """Return the open ladder of that name, or the one that was closed last."""

    def list_seasons(self, ladder: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Season]:
        """Return the seasons of a ladder, the newest first."""

    def get_season_table(
        self, ladder: str, number: int, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> SeasonTable:
        """Return the archived table of a season that is closed."""
