"""Why a ladder rests, or why its leaderboard stays empty, in one sentence with the remedy."""

from __future__ import annotations

import time

from arena.tournament.rate_limit import matches_to_look_at, pace_after
from ratings.read.ladders import LadderRow, count_apart, last_starts, owners_present
from ratings.read.tournaments import tournament_row
from ratings.store.database import Database
from ratings.store.season import Season
from ratings.store.waves import OWNERS_APART

_REMOTE_REMEDY = "connect one: arena bot connect DIRECTORY --server NAME"


def note_of(database: Database, row: LadderRow, season: Season, pace: int | None) -> str | None:
    """Return what there is to say of a ladder whose season runs, or `None`.

    `pace` is how many matches a day it may play: 0 for any number, `None` if that is not known.
    """
    if season.final_tournament_id is not None:
        return "its final is played, and nothing else"
    owners, seats = owners_present(database, season.tournament_id), row.pool.seats
    if len(owners) < seats:
        remedy = _REMOTE_REMEDY if row.pool.remote else "hand one in: arena bot submit DIRECTORY"
        return f"waits for bots: it takes {seats}, and {len(owners)} take part; {remedy}"
    # Bots without owner are rated with everybody; of one owner's, one can sit at a rated table.
    tournament = tournament_row(database, season.tournament_id).tournament
    if count_apart(owners) < seats and not tournament.rates_same_owner:
        if tournament.settings.get(OWNERS_APART):
            return (
                f"waits for bots of other owners: those of one owner do not meet, and it takes bots of {seats} owners; "
                "invite another: arena owner invite NAME"
            )
        return (
            "nothing is rated: bots of one owner do not count against one another, and it takes bots of "
            f"{seats} owners; invite another: arena owner invite NAME"
        )
    return _rest(database, season, pace) if pace else None


def _rest(database: Database, season: Season, pace: int) -> str | None:
    now_s = time.time()
    starts = last_starts(database, season.tournament_id, matches_to_look_at(pace))
    wait_s = pace_after(pace, [start / 1e6 for start in starts], now_s).wait_s(now_s)
    if not wait_s:
        return None
    at = time.strftime("%H:%M:%S", time.gmtime(now_s + wait_s))
    return f"caught up with its pace of {pace} matches a day: the next one begins at {at} UTC"
