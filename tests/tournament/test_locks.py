"""Who plays a tournament, how fast it goes, and when it will be over."""

from __future__ import annotations

import os
import platform
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.match.result import MatchResult
from arena.match.worker_report import MatchReport
from arena.tournament.errors import AlreadyRunningError
from arena.tournament.locks import (
    exclusive,
    hold,
    holder_of,
    home_lock,
    lock_path,
    player_of,
    players_beside,
    service_of,
)
from arena.tournament.rate_limit import BURST_S, DAY_S, MatchRateLimit, matches_to_look_at, pace_after
from arena.tournament.run_progress import RunProgress, RunTally
from ratings.ledger.ledger import LeaseRequest, Ledger
from ratings.store.database import Database, open_database
from tests.ratings import book
from tests.support.patience import PATIENCE_S
from tests.support.processes import wait_until

HOLD = (
    "import sys\n"
    "from arena.tournament.locks import hold\n"
    "from ratings.store.database import open_database\n"
    "with hold(open_database(sys.argv[1]), sys.argv[2]):\n"
    "    print('held', flush=True)\n"
    "    sys.stdin.read()\n"
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(tmp_path / "arena.db")
    yield opened
    opened.close()


@pytest.fixture
def path_elsewhere(tmp_path: Path) -> Path:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    return elsewhere


@pytest.fixture
def tournament(database: Database) -> str:
    return book.create(database, book.add_bots(database, ("ada", "bob", "cyd")).values())


@contextmanager
def held(database: Database, tournament: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that plays a tournament."""
    command = [sys.executable, "-c", HOLD, database.url.render_as_string(hide_password=False), tournament]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


@pytest.mark.both_databases
@pytest.mark.host_fault("command-killed")
def test_a_second_who_would_play_is_told_who_does_until_that_process_is_killed(
    database: Database, tournament: str, path_elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert player_of(database, tournament) is None
    with held(database, tournament) as process:
        found = player_of(database, tournament)
        assert found is not None
        assert (found.pid, found.host) == (process.pid, platform.node())
        assert players_beside(database) == {found}
        monkeypatch.chdir(path_elsewhere)
        told = pytest.raises(AlreadyRunningError, match=rf"process {process.pid}\b.* is playing this tournament now")
        with told, hold(database, tournament):
            pass
        process.send_signal(signal.SIGKILL)
        assert process.wait(PATIENCE_S) == -signal.SIGKILL
        wait_until(lambda: player_of(database, tournament) is None)
        assert players_beside(database) == frozenset()
    with hold(database, tournament):
        assert player_of(database, tournament) is not None
    assert player_of(database, tournament) is None


@pytest.mark.both_databases
def test_leases_of_the_dead_do_not_count(database: Database, tournament: str) -> None:
    Ledger(database).settle(tournament, request=LeaseRequest("elsewhere:1", 4, 10**12))
    assert player_of(database, tournament) is None


def test_a_service_plays_all_that_lies_in_its_home(database: Database, tmp_path: Path) -> None:
    assert service_of(database) is None
    home_lock(tmp_path / "arena.db").parent.mkdir()
    with exclusive(home_lock(tmp_path / "arena.db")):
        found = service_of(database)
        assert found is not None
        assert found.pid == os.getpid()


@pytest.mark.both_databases
def test_looking_at_a_lock_neither_makes_nor_takes_it(tmp_path: Path) -> None:
    assert holder_of(tmp_path / "lock") is None
    assert list(tmp_path.iterdir()) == []
    with exclusive(tmp_path / "lock"):
        for _ in range(2):
            assert holder_of(tmp_path / "lock") is not None
    assert holder_of(tmp_path / "lock") is None


def test_the_lock_lies_beside_the_database(tmp_path: Path) -> None:
    assert lock_path(tmp_path / "arena.db", "0198-7") == tmp_path / "arena.db-0198-7.lock"


@pytest.mark.host_fault("two-commands-play-one-tournament")
def test_a_lock_that_is_held_is_refused_naming_its_holder(tmp_path: Path) -> None:
    with (
        exclusive(tmp_path / "lock"),
        pytest.raises(AlreadyRunningError, match=f"process {os.getpid()} is playing this tournament now; wait"),
        exclusive(tmp_path / "lock"),
    ):
        pass


def test_a_lock_can_be_taken_again_and_leaves_nothing_behind(tmp_path: Path) -> None:
    for _ in range(2):
        with exclusive(tmp_path / "lock"):
            assert (tmp_path / "lock").exists()
        assert list(tmp_path.iterdir()) == []


def test_two_locks_do_not_hinder_each_other(tmp_path: Path) -> None:
    with exclusive(tmp_path / "one"), exclusive(tmp_path / "other"):
        pass


@pytest.mark.host_fault("lock-removed")
def test_a_lock_whose_file_was_removed_is_made_again_by_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with exclusive(path) as keep:
        for _ in range(2):
            path.unlink()
            assert holder_of(path) is None
            keep()
            found = holder_of(path)
            assert found is not None
            assert found.pid == os.getpid()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.host_fault("lock-removed")
def test_a_lock_that_another_took_meanwhile_is_lost_and_left_to_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with exclusive(path) as keep:
        path.unlink()
        with exclusive(path) as others:
            with pytest.raises(AlreadyRunningError, match=f"process {os.getpid()} is playing this tournament now"):
                keep()
            others()
            assert holder_of(path) is not None
        with exclusive(path):
            pass
        path.touch()  # another's
    assert path.exists()


@pytest.mark.host_fault("lock-removed")
def test_a_lock_whose_directory_is_gone_is_nobodys(tmp_path: Path) -> None:
    directory = tmp_path / "home"
    directory.mkdir()
    with exclusive(directory / "lock") as keep:
        shutil.rmtree(directory)
        keep()


@pytest.mark.host_fault("command-killed")
def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    holder = (
        "import os, pathlib, signal, sys\n"
        "from arena.tournament.locks import exclusive\n"
        "with exclusive(pathlib.Path(sys.argv[1])):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", holder, str(tmp_path / "lock")], check=False)
    assert killed.returncode == -9
    assert (tmp_path / "lock").exists()
    with exclusive(tmp_path / "lock"):
        pass


RESULT = MatchResult(ranks=(1, 2), by_rules=True, rated=True, forfeits=(), resigned=(), faults=(), details={})
REPORT = MatchReport("m", 1, RESULT, 21, 10, 1_700_000_000_000_000, 1000, "ab", "cd", b"replay")
EXAMPLES = settings(max_examples=30)


def left_s(now: RunProgress) -> float | None:
    """The seconds to the end that the line of progress tells, or `None` while they are not known."""
    return (now.total - now.over) / now.speed if now.speed else None


def test_the_speed_is_that_of_this_run_and_says_when_it_ends() -> None:
    tally = RunTally(finished=10, void=2, total=40, started_s=100.0)
    fresh = tally.at(100.0)
    assert (fresh.speed, fresh.over) == (None, 12)
    assert tally.at(204.0).speed is None  # no match has ended
    tally.count_lost(again=True)
    tally.count_lost(again=False)
    tally.count_planned(2)
    now = tally.at(105.0)
    assert (now.lost, now.void, now.total, now.finished, tally.open) == (2, 3, 42, 10, 29)


def test_matches_of_earlier_runs_are_over_but_not_fast() -> None:
    tally = RunTally(finished=10, void=0, total=30, started_s=7.0)
    for _ in range(3):
        tally.count_lost(again=True)
        tally.count_report(REPORT)
    assert tally.open == 30 - 10 - 3
    tally.correct(finished=13, void=2, total=30, is_cancelled=False)
    now = tally.at(7.0 + 60.0)
    assert (now.played, now.plies, now.decisions) == (3, 3 * 21, 3 * 10)
    assert now.speed == pytest.approx(3 / 60.0)


def test_the_estimate_does_not_count_the_start() -> None:
    """Two matches at once, each of a second; workers and bots take ten seconds before the first begins."""
    tally, ended_at_s = RunTally(finished=0, void=0, total=40, started_s=0.0, lanes=2), 10.0
    estimates = []
    for _ in range(4):
        ended_at_s += 1.0
        for lane in range(2):
            tally.count_report(REPORT)
            estimates.append(left_s(tally.at(ended_at_s + lane / 10)))
    assert estimates[:3] == [None, None, None]  # until each lane has played one without its start
    truth = [(40 - played) / 2 for played in range(4, 9)]  # counted with the start, the first were above 100
    assert estimates[3:] == pytest.approx(truth, rel=0.35)


def test_slow_matches_are_estimated_from_the_first_result() -> None:
    tally = RunTally(finished=0, void=0, total=4, started_s=0.0, lanes=2)
    tally.count_report(REPORT)
    assert left_s(tally.at(59.0)) is None
    assert left_s(tally.at(100.0)) == pytest.approx(300.0)


@EXAMPLES
@given(st.floats(1, 100_000), st.lists(st.floats(0, 5000), max_size=50))
def test_never_more_than_the_rate_and_one_burst(matches_per_day: float, pauses: list[float]) -> None:
    pace, now, taken = MatchRateLimit(matches_per_day, 0.0), 0.0, 0
    for pause in pauses:
        now += pause
        while pace.wait_s(now) == 0 and taken < 10_000:
            pace.take(now)
            taken += 1
    rate = matches_per_day / DAY_S
    assert taken <= rate * now + max(1.0, rate * BURST_S) + 1e-6


@EXAMPLES
@given(st.floats(1, 100_000))
def test_who_waits_as_long_as_told_may_go_on(matches_per_day: float) -> None:
    pace, now = MatchRateLimit(matches_per_day, 0.0), 0.0
    for _ in range(500):
        wait = pace.wait_s(now)
        now += wait * (1 + 1e-9)
        assert pace.wait_s(now) <= 1e-3
        pace.take(now)


def test_a_match_that_was_not_played_is_given_back() -> None:
    pace = MatchRateLimit(1, 0.0)
    pace.take(0.0)
    assert pace.wait_s(0.0) > 0
    pace.give_back()
    assert pace.wait_s(0.0) == 0


@EXAMPLES
@given(st.integers(24, 50_000), st.integers(0, 3 * 86_400))
def test_a_pace_that_is_taken_up_again_never_allows_more_than_one_that_was_kept(rate: int, quiet_s: int) -> None:
    kept, began, now = MatchRateLimit(rate, 0.0), [], 0.0
    for _ in range(matches_to_look_at(rate) + 5):
        now += kept.wait_s(now)
        kept.take(now)
        began.append(now)
    now += quiet_s
    taken_up = pace_after(rate, began[-matches_to_look_at(rate) :], now)
    assert taken_up.wait_s(now) >= kept.wait_s(now) - 1e-6
    assert taken_up.wait_s(now) <= DAY_S / rate + 1e-6


def test_a_pace_is_full_for_who_has_played_little() -> None:
    assert pace_after(48, [], 100.0).wait_s(100.0) == 0.0
    assert pace_after(48, [99.0], 100.0).wait_s(100.0) == 0.0
    assert pace_after(48, [98.0, 99.0], 100.0).wait_s(100.0) > 0.0
