from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from arena.service.home import Home, make_home
from arena.service.maintenance.disk_forecast import DAYS, DOCUMENTED_BYTES_A_MATCH, FEWEST_TO_TELL, forecast
from arena.service.settings import RetentionSection
from ratings.read.retention import Volume, volume
from ratings.store.database import Database, open_database
from tests.ratings import book

ROOT = Path(__file__).resolve().parents[3]
NONE = RetentionSection(logs_days=0, logs_mb=0)
MEASURED = Volume(finished=1000, last_week=700, replays=1000, replay_bytes=2000.0, logs=2000, log_bytes=500.0)


@pytest.fixture
def new_home(tmp_path: Path) -> Home:
    made = make_home(tmp_path / "h", "")
    with made.database.open("wb") as file:
        os.truncate(file.fileno(), 4_000_000)  # 1000 bytes of facts a match, 2000 of replay, 1000 of logs
    return made


def test_without_limits_everything_that_is_played_stays(new_home: Home) -> None:
    found = forecast(new_home, MEASURED, [], 5, NONE)
    assert (found.bytes_a_match, found.is_measured, found.pace.matches_a_day) == (4000, True, 100)
    assert found.in_a_year_bytes == 4_000_000 + DAYS * 100 * 4000


@pytest.mark.parametrize(
    ("kept", "a_match_stays"),
    [
        (RetentionSection(logs_days=10, logs_mb=0), 3000),
        (RetentionSection(logs_days=0, logs_mb=1), 3000),
        (RetentionSection(logs_days=10, logs_mb=0, replays_days=10), 1000),
    ],
)
def test_what_retention_removes_is_taken_off(new_home: Home, kept: RetentionSection, a_match_stays: int) -> None:
    found = forecast(new_home, MEASURED, [], 5, kept)
    assert found.in_a_year_bytes == pytest.approx(DAYS * 100 * a_match_stays, abs=5_000_000)


def test_open_ladders_set_the_pace_and_keep_their_replays(new_home: Home) -> None:
    found = forecast(new_home, MEASURED, [500, 100], 5, RetentionSection(logs_days=10, logs_mb=0, replays_days=10))
    assert found.pace.matches_a_day == 600
    assert found.in_a_year_bytes == pytest.approx(DAYS * 600 * 3000, rel=0.1)
    assert any("replays of an open season are kept" in line for line in found.lines())
    assert forecast(new_home, MEASURED, [500, 0], 5, NONE).pace.matches_a_day == 100


def test_before_there_are_matches_the_documented_figure_and_the_default_pace_count(new_home: Home) -> None:
    found = forecast(new_home, Volume(finished=FEWEST_TO_TELL - 1), [], 5, NONE)
    assert (found.bytes_a_match, found.is_measured) == (DOCUMENTED_BYTES_A_MATCH, False)
    assert found.pace.matches_a_day == 5


def test_a_year_that_does_not_fit_is_a_warning(new_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not any(line.startswith("warning") for line in forecast(new_home, MEASURED, [12_000], 5, NONE).lines()[:2])
    usage = shutil.disk_usage(new_home.directory)
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage._replace(free=10**9))
    lines = forecast(new_home, MEASURED, [12_000], 5, NONE).lines()
    assert "at 12,000 matches a day (the pace of the open ladders) this home" in lines[1]
    assert "will hold about 17.5 GB in a year; 1.0 GB are free" in lines[1]
    assert lines[-1].startswith("warning: that does not fit; lower matches_per_day")


def test_the_volume_is_that_of_the_database(tmp_path: Path) -> None:
    database: Database = open_database(tmp_path / "arena.db")
    try:
        tournament = book.create(database, book.add_bots(database, ("ada", "bob", "cyd")).values())
        assert volume(database) == Volume()
        for match in book.take(database, tournament):
            book.record(database, match, replay=b"x" * 50)
        assert volume(database) == Volume(finished=3, last_week=3, replays=3, replay_bytes=50.0)
        assert volume(database, at_us=2**52).last_week == 0
    finally:
        database.close()


def test_the_documented_figure_stands_in_the_document() -> None:
    text = (ROOT / "docs/deploy.md").read_text(encoding="utf-8")
    assert f"about {DOCUMENTED_BYTES_A_MATCH // 1024} KB" in text
