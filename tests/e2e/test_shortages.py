"""What a machine runs out of for a while, for real: processes under a tournament, room on a service's disk."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing

import pytest

from tests.support.machines import SmallUser, run_on_small_disk
from tests.support.patience import PATIENCE_S
from tests.support.places import CHOICES, Place, wait_for_end, write_quick_bot
from tests.support.processes import wait_until

BLOCKS = 1
MATCHES = 3 * BLOCKS
LOOKS = 3
"""So often in a row there is no bot while none can be started."""
# The time to start is the usual one: a bot that finds no room for a thread may wait for ever.
ORDER = ["tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "3", "--bots", ",".join(CHOICES)]
ORDER += ["--blocks", str(BLOCKS), "--seed", "11", "--name", "monday", "--time", f"{PATIENCE_S:g}s"]
COLD = ["--workers", "2", "--warm-memory", "0"]
"""So every match starts its bots."""

TELL = "HELD.exists() and not pathlib.Path.home().joinpath(f'asked-{os.getpid()}').touch()"
"""A bot that is held says so by a file."""


@pytest.fixture
def held(place: Place) -> Place:
    """A place with three bots that can be held in every match."""
    sources = [write_quick_bot(place.directory / "sources" / name, name) for name in CHOICES]
    for source in sources:
        main = source / "main.py"
        main.write_text(main.read_text(encoding="utf-8").replace("len(MATCHES) > 2", TELL), encoding="utf-8")
    place.ok("bot", "add", *sources)
    return place


def faults(place: Place) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(place.db)) as connection:
        return connection.execute("SELECT * FROM fault").fetchall()


def bots(place: Place) -> list[int]:
    """The processes of bots."""
    return [pid for pid, command in place.processes().items() if "main.py" in command]


@pytest.mark.needs("minutes")
@pytest.mark.host_fault("no-process-for-a-while")
def test_a_real_shortage_of_processes_costs_no_match_and_no_bot(held: Place) -> None:
    database = held.db.read_bytes()
    held.ok(*ORDER, "--workers", "1")
    undisturbed = held.table()
    held.put_back(database)
    held.hold()
    user = SmallUser(held.directory)
    with held.on_terminal(*ORDER, *COLD, through=user.words) as terminal:
        wait_until(lambda: len(list(held.directory.glob("asked-*"))) == 2)  # one in each match; the others have joined
        playing = bots(held)
        with user.crowded(held.processes()):
            held.release()
            assert all(wait_for_end(pid, PATIENCE_S) for pid in playing)
            waiting = {"finished": 2, "leased": MATCHES - 2}
            wait_until(lambda: held.counts() == waiting)
            for _ in range(LOOKS):
                assert not bots(held)
            assert held.counts() == waiting
        assert terminal.end() == 0, terminal.text
    assert held.counts() == {"finished": MATCHES}
    assert held.table() == undisturbed
    assert faults(held) == []
    held.ok("db", "check")


@pytest.mark.host_fault("few-descriptors", "ulimit-of-file-size", "ulimit-of-the-stack")
@pytest.mark.parametrize(
    ("limit", "why"),
    [
        ("-n 300", "allows a process 300 open files (ulimit -n), and the arena needs 1024;"),
        ("-f 2000", "sets a limit of 2000 (ulimit -f), and bots need 65536;"),
        ("-s 1024", "sets a limit of 1024 (ulimit -s), and bots need 8192;"),
    ],
)
def test_what_plays_with_limits_that_are_too_low_is_refused_before_anything_is_planned(
    place: Place, limit: str, why: str
) -> None:
    sources = [write_quick_bot(place.directory / "sources" / name, name) for name in ("first", "last")]
    place.ok("bot", "add", *sources)
    playing = ["--game", "foreign_king", "--bots", "first,last"]
    told = [
        place.arena(*words, through=["bash", "-c", f'ulimit {limit}; exec "$@"', "bash"])
        for words in (
            ["tournament", "run", "round-robin", "--seats", "2", *playing],
            ["match", "run", *playing],
            ["bot", "test", sources[0]],
            ["serve", "--home", place.directory / "home"],
        )
    ]
    assert [one.code for one in told] == [1] * 4
    for one in told:
        assert why in one.err
        assert "fault of the arena" not in one.err
    assert place.counts() == {}
    assert faults(place) == []


@pytest.mark.needs("minutes")
@pytest.mark.host_fault("disk-full-under-a-service")
def test_a_service_on_a_full_disk_loses_nothing_can_be_looked_at_and_goes_on_when_there_is_room(place: Place) -> None:
    words = [sys.executable, "-m", "tests.e2e.on_a_small_disk", str(place.directory)]
    told = run_on_small_disk(place.directory, 16_000, words)
    assert told == ["0 0 0 200 200 200", "False True", "False 0", "False 0", "15"]
