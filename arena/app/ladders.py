"""The standing ladders of a database and their seasons."""

from __future__ import annotations

import time

from arena.app.policy import AppContext
from arena.model.errors import UnknownError
from arena.model.ladders import AbsentBot, Ladder, Season, SeasonRow, SeasonTable
from arena.tournament.rate_limit import matches_to_look_at, pace_after, rate_of
from engine.translatable import Text, text_from_json
from ratings.read import ladders
from ratings.read.ladders import LadderRow, absent_from, count_apart, last_starts, owners_present
from ratings.read.paging import part_of
from ratings.read.pool_lookup import pool_value
from ratings.read.tournaments import published_secret, tournament_row
from ratings.store.database import Database
from ratings.store.season import SeasonRecord
from ratings.store.waves import OWNERS_APART
from ratings.values.page import DEFAULT_LIMIT, Page

_MOST_ABSENT = 100
"""So many bots are named that a ladder goes on without."""
_REMOTE_REMEDY = Text("connect one: arena bot connect DIRECTORY --server NAME")


class LocalLadders:
    """Implements the interface `arena.model.port.Ladders`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def list_ladders(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Ladder]:
        page = ladders.list_ladders(self._context.database, limit=limit, after=after)
        return Page(tuple(map(self._ladder, page.items)), page.next)

    def get_ladder(self, ladder: str) -> Ladder:
        return self._ladder(ladders.find_ladder(self._context.database, ladder))

    def list_seasons(self, ladder: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Season]:
        row = ladders.find_ladder(self._context.database, ladder)
        page = ladders.list_seasons(self._context.database, row.ladder.id, limit=limit, after=after)
        return Page(tuple(self._season(row, season) for season in page.items), page.next)

    def get_season_table(
        self, ladder: str, number: int, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> SeasonTable:
        row = ladders.find_ladder(self._context.database, ladder)
        found = next((season for season in row.seasons if season.number == number), None)
        if found is None or found.table is None:
            raise UnknownError(
                Text(
                    "{ladder} has no closed season {number}; `arena season list` shows its seasons",
                    ladder=repr(ladder),
                    number=number,
                )
            )
        page = part_of(found.table, "season table", limit, after)
        return SeasonTable(self._season(row, found), tuple(SeasonRow(line) for line in page.items), page.next)

    def _ladder(self, row: LadderRow) -> Ladder:
        ladder = row.ladder
        running = next((season for season in row.seasons if season.closed_at_us is None), None)
        pace = rate_of(row.ladder.settings, self._context.matches_per_day())
        return Ladder(
            id=ladder.id,
            name=ladder.name,
            pool=pool_value(row.pool),
            settings=ladder.settings,
            opened_at_us=ladder.opened_at_us,
            closed_at_us=ladder.closed_at_us,
            closed_because=ladder.closed_because and text_from_json(ladder.closed_because, ladder.closed_because_text),
            season=None if running is None else running.number,
            tournament=None if running is None else running.tournament_id,
            bots=0 if running is None else len(owners_present(self._context.database, running.tournament_id)),
            absent=() if running is None else self._absent(row),
            pace=pace,
            note=None if running is None else note_of(self._context.database, row, running, pace),
        )

    def _absent(self, row: LadderRow) -> tuple[AbsentBot, ...]:
        viewer = self._context.viewer
        seen = [one for one in absent_from(self._context.database, row.pool) if viewer.owns(one.bot.owner_id)]
        return tuple(
            AbsentBot(
                one.bot.name,
                one.version.content_hash,
                text_from_json(one.absence.why, one.absence.why_text),
                one.absence.since_us,
            )
            for one in seen[:_MOST_ABSENT]
        )

    def _season(self, row: LadderRow, season: SeasonRecord) -> Season:
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
            secret=published_secret(self._context.database, season.tournament_id) if is_closed else None,
        )


def note_of(database: Database, row: LadderRow, season: SeasonRecord, pace: int | None) -> str | None:
    """Return what there is to say of a ladder whose season runs, or `None`.

    `pace` is how many matches a day it may play: 0 for any number, `None` if that is not known.
    """
    if season.final_tournament_id is not None:
        return Text("its final is played, and nothing else")
    owners, seats = owners_present(database, season.tournament_id), row.pool.seats
    if len(owners) < seats:
        remedy = _REMOTE_REMEDY if row.pool.remote else Text("hand one in: arena bot submit DIRECTORY")
        return Text(
            "waits for bots: it takes {seats}, and {count} take part; {remedy}",
            seats=seats,
            count=len(owners),
            remedy=remedy,
        )
    # Bots without owner are rated with everybody; of one owner's, one can sit at a rated table.
    tournament = tournament_row(database, season.tournament_id).tournament
    if count_apart(owners) < seats and not tournament.rates_same_owner:
        if tournament.settings.get(OWNERS_APART):
            return Text(
                "waits for bots of other owners: those of one owner do not meet, and it takes bots of "
                "{seats} owners; invite another: arena owner invite NAME",
                seats=seats,
            )
        return Text(
            "nothing is rated: bots of one owner do not count against one another, and it takes bots of "
            "{seats} owners; invite another: arena owner invite NAME",
            seats=seats,
        )
    if not pace:
        return None
    now_s = time.time()
    starts = last_starts(database, season.tournament_id, matches_to_look_at(pace))
    wait_s = pace_after(pace, [start / 1e6 for start in starts], now_s).wait_s(now_s)
    if not wait_s:
        return None
    at = time.strftime("%H:%M:%S", time.gmtime(now_s + wait_s))
    return Text(
        "caught up with its pace of {pace} matches a day: the next one begins at {time} UTC", pace=pace, time=at
    )
