"""Who plays a tournament: whoever holds its lock and lives, or of a database elsewhere, a lease that is not over."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.tournament.errors import AlreadyRunningError
from arena.tournament.playing import (
    exclusive,
    hold,
    holder_of,
    home_lock,
    lock_path,
    player_of,
    players_beside,
    service_of,
)
from ratings.ledger.ledger import LeaseRequest, Ledger
from ratings.store.database import Database, open_database
from tests.ratings import book
from tests.support.patience import PATIENCE_S
from tests.support.processes import wait_until

HOLD = (
    "import sys\n"
    "from arena.tournament.playing import hold\n"
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


@pytest.mark.host_fault("command-killed")
def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    holder = (
        "import os, pathlib, signal, sys\n"
        "from arena.tournament.playing import exclusive\n"
        "with exclusive(pathlib.Path(sys.argv[1])):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", holder, str(tmp_path / "lock")], check=False)
    assert killed.returncode == -9
    assert (tmp_path / "lock").exists()
    with exclusive(tmp_path / "lock"):
        pass
