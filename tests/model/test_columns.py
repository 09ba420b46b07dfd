"""The columns of tables show what the rows have, under texts that there are, and are sorted as the database can."""

import dataclasses
from collections.abc import Sequence

import pytest

from arena.i18n.catalogue import words
from arena.model import bots, columns, match_details, matches, tournaments
from arena.model.columns import Column, ColumnKind
from ratings.read import leaderboard
from ratings.values import leaderboards, statistics
from ratings.values import tournaments as played

TABLES = (
    (columns.LEADERBOARD, leaderboards.LeaderboardRow),
    (columns.PLACES, leaderboards.Standing),
    (columns.OFFICIAL, statistics.OfficialRow),
    (columns.STANDINGS, tournaments.StandingRow),
    (columns.TOURNAMENTS, tournaments.TournamentSummary),
    (columns.BOT_FAULTS, played.BotFaults),
    (columns.LEAK_FINDINGS, tournaments.LeakFinding),
    (columns.MATCHES, matches.MatchSummary),
    (columns.MATCH_SEATS, match_details.MatchSeat),
    (columns.BOTS, bots.BotSummary),
    (columns.OPPONENTS, statistics.Meeting),
    (columns.SEATS, statistics.SeatResult),
)


@pytest.mark.parametrize(("table", "row"), TABLES, ids=lambda one: getattr(one, "__name__", ""))
def test_columns_show_fields_and_have_titles_of_their_own(table: Sequence[Column], row: type) -> None:
    fields = {field.name for field in dataclasses.fields(row)}
    assert [column.key for column in table if column.of is None and column.key not in fields] == []
    assert len({column.title for column in table}) == len(table)
    assert [column.title for column in table if column.on_page and not words("en").knows(column.on_page)] == []
    assert [column.title for column in table if (column.kind is ColumnKind.NAME) is not bool(column.names)] == []
    assert [column.title for column in table if column.write or column.is_name] == []


def test_no_table_is_left_out() -> None:
    declared = [one for one in vars(columns).values() if isinstance(one, tuple) and isinstance(one[0], Column)]
    assert len(declared) == len(TABLES)


def test_a_leaderboard_is_sorted_by_the_columns_by_which_the_database_can() -> None:
    assert {column.title for column in columns.LEADERBOARD if column.order} == set(leaderboard.COLUMNS)


def test_an_unknown_column_cannot_be_picked() -> None:
    with pytest.raises(KeyError):
        columns.pick(columns.SEATS, "bot")
