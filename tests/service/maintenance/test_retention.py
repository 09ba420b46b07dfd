"""What is kept and what is given up, and how long the disk will do."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import pytest

from arena.hosting.builds import BuildStore
from arena.hosting.store import VersionStore
from arena.i18n.catalogue import translate
from arena.service.activities.housekeeping import HomeSweeper, Housekeeper
from arena.service.home import Home, make_home
from arena.service.logs import get_logger
from arena.service.maintenance.disk_forecast import DAYS, DOCUMENTED_BYTES_A_MATCH, FEWEST_TO_TELL, forecast
from arena.service.maintenance.retention import NOTICE_US, RetentionResult, enforce_limits, retention_report
from arena.service.settings import RetentionSection
from arena.service.task_supervision import Health, Supervisor
from ratings.ledger.ledger import Ledger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.accounts import list_notices
from ratings.read.bots import find_version
from ratings.read.retention import DAY_US, Limits, Volume, removals, volume
from ratings.store.database import Database, open_database
from ratings.store.identifiers import now_us
from tests.ratings import book
from tests.service.homes import add_bot, small_home
from tests.support.patience import PATIENCE_S, until

MONTH = Limits(replays_days=30)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return small_home(tmp_path / "h")


@pytest.fixture
def database(home: Home) -> Iterator[Database]:
    database = open_database(home.database)
    yield database
    database.close()


def test_nothing_goes_before_it_was_told_a_day_ago(database: Database) -> None:
    at_us = now_us() + 31 * DAY_US
    first = enforce_limits(database, MONTH, at_us=at_us)
    assert (first.done, len(first.announced)) == ((), 1)
    (notice,) = list_notices(database).items
    assert "replays of 3 matches" in notice.sentence
    assert "over 30 days old" in notice.sentence
    assert "download before what you want to keep" in notice.sentence
    for wait_us in (0, NOTICE_US - 1):
        again = enforce_limits(database, MONTH, at_us=at_us + wait_us)
        assert (again.done, again.announced) == ((), ())
        assert book.count(database, "replay") == 3
    last = enforce_limits(database, MONTH, at_us=at_us + NOTICE_US)
    assert [removal.items for removal in last.done] == [3]
    assert book.count(database, "replay") == 0
    assert enforce_limits(database, MONTH, at_us=at_us + 2 * NOTICE_US) == enforce_limits(database, MONTH)
    assert len(list_notices(database).items) == 1


def test_an_announcement_is_dropped_if_the_limit_is_lifted_in_time(database: Database) -> None:
    at_us = now_us() + 31 * DAY_US
    enforce_limits(database, MONTH, at_us=at_us)
    enforce_limits(database, Limits(), at_us=at_us + NOTICE_US)
    assert book.count(database, "replay") == 3
    assert removals(database, pending=True) == []


def test_a_removal_that_is_stopped_goes_on_the_next_time(database: Database) -> None:
    at_us = now_us() + 31 * DAY_US
    enforce_limits(database, MONTH, at_us=at_us)
    stopped = enforce_limits(database, MONTH, at_us=at_us + NOTICE_US, is_stopping=lambda: True)
    assert stopped.done == ()
    assert book.count(database, "replay") == 3
    enforce_limits(database, MONTH, at_us=at_us + NOTICE_US)
    assert book.count(database, "replay") == 0


def test_owners_are_told_of_their_versions_and_of_nobody_elses(home: Home, database: Database) -> None:
    for owner in ("ann", "ben"):
        version, _ = Ledger(database).add_version(bot="fox", owner=owner, content_hash=owner, manifest={})
        ServiceLedger(database).withdraw_version(version.id, actor=owner)
    enforce_limits(database, Limits(archives_days=5), at_us=now_us() + 6 * DAY_US)
    assert list_notices(database).items == ()
    for owner, other in (("ann", "ben"), ("ben", "ann")):
        id_ = ServiceLedger(database).set_owner_limits(owner, {}).id
        (notice,) = list_notices(database, owner_id=id_).items
        assert f"{owner}/fox version 1" in notice.sentence
        assert other not in notice.sentence


def housekeeper(home: Home, database: Database) -> Housekeeper:
    section = RetentionSection(logs_days=0, logs_mb=0, archives_days=1)
    log = get_logger("test")
    return Housekeeper(home, database, section, Supervisor(Health(), log), log)


def test_the_house_is_kept_at_the_start(home: Home, database: Database) -> None:
    async def look_once() -> None:
        keeper = housekeeper(home, database)
        await keeper.look()
        async with asyncio.timeout(PATIENCE_S):
            while left.exists():
                await asyncio.sleep(0.01)
        left.mkdir()
        await keeper.look()  # not again: an hour has not passed
        await keeper.close()

    left = home.store / ".adding-left"
    left.mkdir()
    asyncio.run(look_once())
    assert left.exists()
    assert len(VersionStore(home.store).hashes()) == 3


def test_who_keeps_house_again_begins_at_once_and_is_not_stopped(home: Home, database: Database) -> None:
    stopped: list[bool] = []
    kept = threading.Event()

    def keep(_database: Database, _limits: Limits, *, is_stopping: Callable[[], bool]) -> RetentionResult:
        stopped.append(is_stopping())
        kept.set()
        return RetentionResult((), ())

    async def keep_twice() -> None:
        keeper = housekeeper(home, database)
        await keeper.close()  # as a service that does not look after this
        for _ in range(2):
            kept.clear()
            await keeper.look()
            await until(kept.is_set)
            await keeper.close()

    with mock.patch("arena.service.activities.housekeeping.enforce_limits", keep):
        asyncio.run(keep_twice())
    assert stopped == [False, False]


def test_every_service_sweeps_what_lies_in_its_own_home(home: Home, database: Database) -> None:
    (kept,), gone, runtime = VersionStore(home.store).hashes()[:1], "a" * 64, "b" * 64
    home.builds.mkdir(exist_ok=True)
    for version in (kept, gone):
        (home.builds / f"{version}-{runtime}").mkdir()
        (home.builds / f"{version}-{runtime}.log").write_text("built\n", encoding="ascii")
    left = home.uploads / ".unmade-left"
    left.mkdir(parents=True)
    sweeper = HomeSweeper(home, database, Supervisor(Health(), get_logger("test")), get_logger("test"))
    sweeper.run_once()
    assert BuildStore(home.builds).versions() == {kept}
    assert not left.exists()


def test_files_that_were_given_up_are_collected_and_the_others_stay(home: Home, database: Database) -> None:
    gone = add_bot(home, "drawn", name="old")
    ServiceLedger(database).withdraw_version(gone, actor="operator")
    hash_ = find_version(database, "old").version.content_hash
    os.utime(home.store / hash_, (0, 0))
    limits = Limits(archives_days=1)
    enforce_limits(database, limits, at_us=now_us() + 2 * DAY_US)
    enforce_limits(database, limits, at_us=now_us() + 4 * DAY_US)
    housekeeper(home, database).run_once()
    assert hash_ not in VersionStore(home.store).hashes()
    assert len(VersionStore(home.store).hashes()) == 3


def test_a_look_changes_nothing_and_applying_announces(home: Home, database: Database) -> None:
    database.close()
    home.settings_file.write_text("[retention]\nreplays_mb = 1\n", encoding="ascii")
    (line,) = retention_report(home, {}, applies=False).lines()
    assert "nothing is to be removed" in line
    tournament = book.create(database, [find_version(database, name).version.id for name in ("first", "last", "drawn")])
    for match in book.take(database, tournament):
        book.record(database, match, replay=b"x" * 400_000, started_at_us=now_us())
    (line,) = retention_report(home, {}, applies=False).lines()
    assert line.startswith("to be announced: replays of ")
    assert "more than 1 MB" in line
    assert removals(database) == []
    (line,) = retention_report(home, {}, applies=True).lines()
    assert line.startswith("announced: replays (the oldest of more than 1 MB) will be removed after ")
    (line,) = retention_report(home, {}, applies=False).lines()
    assert "(die ältesten von mehr als 1 MB)" in translate(line, "de")
    assert book.count(database, "replay") == 6


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
