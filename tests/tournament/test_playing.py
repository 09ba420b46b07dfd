"""Who plays a tournament: whoever holds its lock and lives; of a database elsewhere, whose lease has not run out."""

import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.tournament.lock import exclusive, holder_of, home_lock
from arena.tournament.playing import lock_of, player_of, players_beside, service_of
from ratings.ledger.ledger import LeaseRequest, Ledger
from ratings.store.database import Database, open_database
from tests.ratings import book
from tests.support.patience import PATIENCE_S

HOLD = (
    "import pathlib, sys\n"
    "from arena.tournament.lock import exclusive\n"
    "with exclusive(pathlib.Path(sys.argv[1])):\n"
    "    print('held', flush=True)\n"
    "    sys.stdin.read()\n"
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(tmp_path / "arena.db")
    yield opened
    opened.close()


@pytest.fixture
def tournament(database: Database) -> str:
    return book.create(database, book.add_bots(database, ("ada", "bob", "cyd")).values())


@contextmanager
def held(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds a lock."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


@pytest.mark.host_fault("command-killed")
def test_a_process_that_is_killed_plays_no_more_from_that_moment(
    database: Database, tournament: str, tmp_path: Path
) -> None:
    assert player_of(database, tmp_path, tournament) is None
    with held(lock_of(database, tmp_path, tournament)) as process:
        found = player_of(database, tmp_path, tournament)
        assert found is not None
        assert (found.pid, found.host) == (process.pid, platform.node())
        assert players_beside(database) == {found}
        process.send_signal(signal.SIGKILL)
        assert process.wait(PATIENCE_S) == -signal.SIGKILL
        assert lock_of(database, tmp_path, tournament).exists()
        assert player_of(database, tmp_path, tournament) is None
        assert players_beside(database) == frozenset()


def test_leases_of_the_dead_do_not_count_beside_a_file(database: Database, tournament: str, tmp_path: Path) -> None:
    Ledger(database).settle(tournament, request=LeaseRequest("elsewhere:1", 4, 10**12))
    assert player_of(database, tmp_path, tournament) is None


@pytest.mark.parametrize(
    ("worker", "duration_us", "pid"),
    [
        ("elsewhere:77", 10**12, 77),
        ("elsewhere:77", -1, None),
        (f"{platform.node()}:{os.getpid()}", 10**12, os.getpid()),
        (f"{platform.node()}:{2**22 + 1}", 10**12, None),
    ],
    ids=["elsewhere", "run out", "alive here", "dead here"],
)
def test_to_a_database_elsewhere_a_lease_tells_until_it_runs_out_and_here_while_its_process_lives(
    database: Database,
    tournament: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    worker: str,
    duration_us: int,
    pid: int | None,
) -> None:
    Ledger(database).settle(tournament, request=LeaseRequest(worker, 4, duration_us))
    monkeypatch.setattr(Database, "path", None)
    found = player_of(database, tmp_path, tournament)
    assert (None if found is None else found.pid) == pid
    with exclusive(lock_of(database, tmp_path, tournament)):
        locked = player_of(database, tmp_path, tournament)
        assert locked is not None
        assert locked.pid == os.getpid()


def test_a_service_plays_all_that_lies_in_its_home(database: Database, tmp_path: Path) -> None:
    assert service_of(database) is None
    home_lock(tmp_path / "arena.db").parent.mkdir()
    with held(home_lock(tmp_path / "arena.db")) as process:
        found = service_of(database)
        assert found is not None
        assert found.pid == process.pid


def test_looking_at_a_lock_neither_makes_nor_takes_it(tmp_path: Path) -> None:
    assert holder_of(tmp_path / "lock") is None
    assert list(tmp_path.iterdir()) == []
    with exclusive(tmp_path / "lock"):
        for _ in range(2):
            assert holder_of(tmp_path / "lock") is not None
    assert holder_of(tmp_path / "lock") is None
