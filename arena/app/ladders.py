"""The standing ladders of a database and their seasons."""

from __future__ import annotations

from arena.app.ladder_notes import note_of
from arena.app.place import Place
from arena.app.pool_values import pool_value
from arena.model.errors import UnknownError
from arena.model.ladders import AbsentBot, Ladder, Season, SeasonRow, SeasonTable
from arena.model.page import DEFAULT_LIMIT, Page
from arena.tournament.rate_limit import rate_of
from ratings.read import ladders
from ratings.read.absences import absent_from
from ratings.read.ladders import LadderRow, owners_present
from ratings.read.paging import part_of
from ratings.read.publishing import published_secret
from ratings.store import season as seasons

_MOST_ABSENT = 100
"""So many bots are named that a ladder goes on without."""


class LaddersHere:
    """Implements the interface `arena.model.port.Ladders`."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def list_ladders(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Ladder]:
        page = ladders.list_ladders(self._place.database, limit=limit, after=after)
        return Page(tuple(map(self._ladder, page.items)), page.next)

    def get_ladder(self, ladder: str) -> Ladder:
        return self._ladder(ladders.find_ladder(self._place.database, ladder))

    def list_seasons(self, ladder: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Season]:
        row = ladders.find_ladder(self._place.database, ladder)
        page = ladders.list_seasons(self._place.database, row.ladder.id, limit=limit, after=after)
        return Page(tuple(self._season(row, season) for season in page.items), page.next)

    def get_season_table(
        self, ladder: str, number: int, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> SeasonTable:
        row = ladders.find_ladder(self._place.database, ladder)
        found = next((season for season in row.seasons if season.number == number), None)
        if found is None or found.table is None:
            raise UnknownError(f"{ladder!r} has no closed season {number}; `arena season list` shows its seasons")
        page = part_of(found.table, "season table", limit, after)
        return SeasonTable(self._season(row, found), tuple(SeasonRow(line) for line in page.items), page.next)

    def _ladder(self, row: LadderRow) -> Ladder:
        ladder = row.ladder
        running = next((season for season in row.seasons if season.closed_at_us is None), None)
        pace = rate_of(row.ladder.settings, self._place.matches_per_day())
        return Ladder(
            id=ladder.id,
            name=ladder.name,
            pool=pool_value(row.pool),
            settings=ladder.settings,
            opened_at_us=ladder.opened_at_us,
            closed_at_us=ladder.closed_at_us,
            closed_because=ladder.closed_because,
            season=None if running is None else running.number,
            tournament=None if running is None else running.tournament_id,
            bots=0 if running is None else len(owners_present(self._place.database, running.tournament_id)),
            absent=() if running is None else self._absent(row),
            pace=pace,
            note=None if running is None else note_of(self._place.database, row, running, pace),
        )

    def _absent(self, row: LadderRow) -> tuple[AbsentBot, ...]:
        viewer = self._place.viewer
        seen = [one for one in absent_from(self._place.database, row.pool) if viewer.owns(one.bot.owner_id)]
        return tuple(
            AbsentBot(one.bot.name, one.version.content_hash, one.absence.why, one.absence.since_us)
            for one in seen[:_MOST_ABSENT]
        )

    def _season(self, row: LadderRow, season: seasons.Season) -> Season:
        is_closed = season.closed_at_us is not None
        return Season(
            ladder=row.ladder.name,
            number=season.number,
            name=season.name,
            tournament=season.tournament_id,
            opened_at_us=season.opened_at_us,
            freezes_at_us=season.freezes_at_us,
            frozen_at_us=season.frozen_at_us,
            final_tournament=season.final_tournament_id,
            closed_at_us=season.closed_at_us,
            secret=published_secret(self._place.database, season.tournament_id) if is_closed else None,
        )
