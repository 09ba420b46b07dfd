"""A service with remote bots: it is killed, its process of remote bots is killed, tokens are revoked, it is stopped."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import IO

import pytest

from arena.tournament.formats.roundrobin import RoundRobin
from ratings.ledger.service_ledger import ServiceLedger
from ratings.store.database import open_database
from ratings.values.states import Scope
from tests.support.places import ARENA, Place, Served, plan, serving, wait_for_counts
from tests.support.processes import wait_until
from tests.support.remote_bots import Crowd

pytestmark = pytest.mark.needs("minutes")
BLOCKS = 3
MATCHES = 2 * BLOCKS
NAMES = ("fox", "owl")
BOTS = tuple(f"ada/{name}" for name in NAMES)
WORDS = ("--tls-self-signed", "--workers", "1", "--play-address")


@pytest.fixture
def token(place: Place) -> str:
    """The token of an owner of bots."""
    database = open_database(place.db)
    try:
        ledger = ServiceLedger(database)
        ledger.add_owner("ada")
        return ledger.new_token("ada", name="home", scope=Scope.PLAYER).secret
    finally:
        database.close()


@contextmanager
def gathered(place: Place, served: Served, token: str) -> Iterator[Crowd]:
    """Both bots, which have joined."""
    port = int(served.addresses["play"].rpartition(":")[2])
    with Crowd(port, place.directory / "tls" / "cert.pem", token, NAMES) as crowd:
        wait_until(lambda: bots_in_book(place) == len(NAMES))
        yield crowd


def bots_in_book(place: Place) -> int:
    with closing(sqlite3.connect(place.db)) as connection:
        return int(connection.execute("SELECT count(*) FROM version").fetchone()[0])


def attempts(place: Place) -> dict[str, int]:
    """How many attempts ended how."""
    with closing(sqlite3.connect(place.db)) as connection:
        return dict(connection.execute("SELECT state, count(*) FROM attempt GROUP BY state"))


def lost_attempts(place: Place) -> int:
    """How many attempts ended for a reason of the host's, whether they counted or not."""
    with closing(sqlite3.connect(place.db)) as connection:
        return int(connection.execute("SELECT count(*) FROM attempt WHERE cause IS NOT NULL").fetchone()[0])


def remote_process(place: Place) -> int:
    """The id of the process to which the bots are connected."""
    (found,) = [pid for pid, command in place.processes().items() if "-m arena.remote" in command]
    return found


@contextmanager
def watching(place: Place, served: Served, match: str) -> Iterator[IO[str]]:
    """What the command shows of a match of the service, and then its exit code, behind the first line."""
    words = ("--server", f"unix:{served.addresses['socket']}", "match", "watch", match)
    script = '"$@" 2>&1; echo "exit code $?"'
    command = ["sh", "-c", script, "sh", *ARENA, *words]
    with subprocess.Popen(command, env=place.environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith(f"match {match}: foreign_king, 0 ada/")
            yield process.stdout
        finally:
            process.kill()


@pytest.mark.host_fault("process-of-remote-bots-killed", "service-killed", "bridge-killed")
def test_whoever_is_killed_no_match_of_remote_bots_is_lost_or_doubled(place: Place, token: str) -> None:
    with serving(place, *WORDS, "127.0.0.1:0") as served, gathered(place, served, token) as crowd:
        plan(place, blocks=BLOCKS, bots=BOTS, form=RoundRobin(2, BLOCKS))
        wait_until(lambda: len(crowd.asked) >= 3)
        match = min(crowd.asked)
        with watching(place, served, match) as shown:
            crowd.asked.clear()  # now, for they may be asked again before anything here knows that they have come back
            os.kill(remote_process(place), signal.SIGKILL)
            lines = list(shown)
            assert "over, without a result\n" in lines
            assert "it may be played again, then watch it again" in "".join(lines)
            assert lines[-1] == "exit code 1\n"
        wait_until(lambda: lost_attempts(place) >= 3)
        wait_until(lambda: len(crowd.asked) >= 3)  # they have connected again, to the same port
        os.kill(served.pid, signal.SIGKILL)
        served.terminal.end()
        with serving(place, *WORDS, f"127.0.0.1:{crowd.port}") as served, watching(place, served, match) as shown:
            crowd.release()
            first_move = shown.readline()
            with watching(place, served, match) as shown_to_who_came_late:
                wait_for_counts(place, {"finished": MATCHES})
                assert attempts(place)["finished"] == MATCHES
                lines = [first_move, *shown]
                assert list(shown_to_who_came_late) == lines
            assert lines[-2].startswith("over by the rules: ranks of the seats 0 ")
            assert lines[-1] == "exit code 0\n"
            stored = place.ok("match", "watch", match).out.splitlines(keepends=True)
            assert stored[1:] == lines[:-1]


@pytest.mark.hostile("play-on-with-a-revoked-token")
def test_a_revoked_token_ends_its_streams_and_a_stop_ends_all_with_the_reason(place: Place, token: str) -> None:
    with serving(place, *WORDS, "127.0.0.1:0", "--stop-grace", "0") as served:
        with gathered(place, served, token) as crowd:
            plan(place, blocks=BLOCKS, bots=BOTS, form=RoundRobin(2, BLOCKS))
            wait_until(lambda: len(crowd.asked) >= 3)
            assert served.stop() == 0
            wait_until(lambda: "STOPPING" in crowd.reasons)
        assert "failed" not in attempts(place)
        assert place.counts() == {"planned": MATCHES}
    with serving(place, *WORDS, "127.0.0.1:0") as served, gathered(place, served, token) as crowd:
        wait_until(lambda: bool(crowd.asked))
        place.ok("token", "revoke", "home", "--owner", "ada", "--db", place.db)
        wait_until(lambda: crowd.reasons.count("TOKEN_UNKNOWN") >= len(NAMES))
