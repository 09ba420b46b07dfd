"""`--dry-run` says what would be played, in which pool and for how long, and writes nothing."""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from arena.model.planning import TournamentRequest
from tests.cli.support import Arena, write_bot
from tests.support.owners import running_server

TERMS = ["--game", "foreign_king", "--seats", "2", "--time", "50ms", "--workers", "2"]
SHORT = ["--option", "max_rounds=1"]


def contents(db: Path) -> list[str]:
    with closing(sqlite3.connect(db)) as connection:
        return list(connection.iterdump())


FORMATS: list[tuple[list[str], int | None, bool]] = [
    (["round-robin", "--blocks", "3"], 18, False),
    (["sample", "--blocks", "4"], 12, False),
    (["gauntlet", "--challenger", "eve", "--blocks", "5"], 20, False),
    (["swiss", "--rounds", "4"], 8, True),
    (["knockout", "--best-of", "3"], 18, True),
    (["adaptive", "--max-blocks", "50", "--until", "winner known at 90%"], 100, True),
    (["ladder", "--waves", "7"], 14, True),
    (["ladder", "--waves", "0"], None, False),
]


def test_every_format_says_how_many_matches_it_has_and_writes_nothing(table: Arena) -> None:
    before = contents(table.db)
    for words, matches, is_most in FORMATS:
        bots = "ada,bob" if "gauntlet" in words else "all"
        forecast = table("tournament", "run", *words, *TERMS, "--bots", bots, "--dry-run", "--json").json
        assert (forecast["matches"], forecast["is_most"]) == (matches, is_most), words
        assert {bot.partition("@")[0] for bot in forecast["bots"]} == {"ada", "bob", "eve"}, words
    assert contents(table.db) == before


@pytest.mark.parametrize(
    "words",
    [
        ["gauntlet", "--challenger", "eve"],
        pytest.param(["round-robin", "--blocks", "3"], marks=pytest.mark.needs("minutes")),
    ],
)
def test_what_is_exact_is_what_is_played(table: Arena, words: list[str]) -> None:
    line = ["tournament", "run", *words, *TERMS, *SHORT, "--bots", "ada,bob", "--name", "cup"]
    forecast = table(*line, "--dry-run", "--json").json
    assert table(*line).code == 0
    summary = table("tournament", "list", "--json").json[0]
    assert (summary["total"], summary["pool_id"]) == (forecast["matches"], forecast["pool"]["pool_id"])


def test_without_a_match_in_the_pool_the_time_is_what_the_clock_allows(table: Arena) -> None:
    line = ["tournament", "run", "round-robin", *TERMS, "--bots", "all", "--blocks", "3", "--dry-run"]
    told = table(*line)
    assert told.code == 0
    forecast = table(*line, "--json").json
    assert (forecast["measured"], forecast["is_new_pool"], forecast["at_once"]) == (0, True, 2)
    assert forecast["match_us"] == 120 * 50_000  # foreign_king has about 120 decisions at a table of two
    assert forecast["seconds"] == pytest.approx(18 * 6.0 / 2)
    assert "matches   18\n" in told.out
    assert "at most about 54 s, 2 at once: 6.0 s a match of usual length" in told.out
    assert "nothing was written" in told.out


def test_with_matches_in_the_pool_the_time_is_measured(table: Arena) -> None:
    line = ["tournament", "run", "round-robin", *TERMS, *SHORT, "--bots", "all"]
    assert table(*line).code == 0
    with closing(sqlite3.connect(table.db)) as connection, connection:
        connection.execute("UPDATE match SET duration_us = 3000000")
    told = table(*line, "--blocks", "3", "--dry-run").out
    assert "about 27 s, 2 at once: 3.0 s a match, measured in 6 among these versions" in told
    assert "nothing played yet" not in told
    other = table(*line, "--time", "1s", "--dry-run", "--json").json
    assert other["measured"] == 0


@pytest.mark.needs("minutes")
def test_matches_of_other_versions_tell_no_time(table: Arena, tmp_path: Path) -> None:
    line = ["tournament", "run", "round-robin", *TERMS, *SHORT]
    assert table(*line, "--bots", "ada,bob").code == 0
    with closing(sqlite3.connect(table.db)) as connection, connection:
        connection.execute("UPDATE match SET duration_us = 100000")
    same = table(*line, "--bots", "bob,ada", "--dry-run")
    assert "less than a second, 2 at once: 100 ms a match, measured in 2 among these versions" in same.out
    table("bot", "add", write_bot(tmp_path / "ada", "ada", body="# slower\n"))
    for bots in ("ada,bob", "bob,eve"):
        forecast = table(*line, "--bots", bots, "--dry-run", "--json").json
        assert (forecast["measured"], forecast["is_new_pool"]) == (0, False)


def test_a_comparison_says_its_most_too(table: Arena) -> None:
    line = ["compare", "ada", "bob", "--game", "foreign_king", "--max-blocks", "10", "--dry-run"]
    told = table(*line)
    assert told.code == 0
    assert " at most\n" in told.out
    assert table("tournament", "list", "--json").json == []


def test_what_would_be_refused_is_refused_and_who_is_left_out_is_told(table: Arena) -> None:
    line = ["tournament", "run", "round-robin", *TERMS, "--dry-run", "--bots"]
    table("bot", "disable", "bob")
    assert "bot 'bob' is disabled" in table.refusal(*line, "ada,bob")
    assert "left out: bob: it is disabled" in table(*line, "all").err
    assert "there is no bot 'evee'" in table.refusal(*line, "ada,evee")
    assert "over the 250000 of one tournament" in table.refusal(*line, "all", "--blocks", "900000")
    assert table("tournament", "run", "round-robin", *TERMS, *SHORT, "--bots", "ada,eve", "--name", "cup").code == 0
    assert "there is a tournament 'cup' already" in table.refusal(*line, "ada,eve", "--name", "cup")


def test_without_a_database_none_is_made(arena: Arena) -> None:
    assert "there is no database" in arena.refusal(
        "tournament", "run", "round-robin", *TERMS, "--bots", "all", "--dry-run", code=1
    )
    assert not arena.db.exists()


def test_a_service_forecasts_as_well(table: Arena) -> None:
    request = TournamentRequest(
        format="round-robin", settings={"blocks": 2}, game="foreign_king", seats=2, bots=("all",), time="50ms",
        start_limit="10s",
    )  # fmt: skip
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory), database=table.db) as server,
        server.arena() as arena,
    ):
        forecast = arena.forecasts.forecast_tournament(request)
        assert (forecast.matches, forecast.is_most, forecast.left_out) == (12, False, ())
        assert arena.tournaments.list_tournaments().items == ()
