"""kill -9 of a whole service, again and again: after each restart everything goes on, and in the end nothing is amiss.

    python -m benchmarks.service_killing [--kills 20] [--seed 1]

A service plays a ladder, tournaments are queued, versions are submitted for admission and clients hand bots in over the
network all the while. At random moments `arena serve` is killed, alone, and started again; the clients go on by
themselves. It fails if a process or a file outlives a kill, if a match is lost or counted twice, if an admission is not
decided in the end, if the final table of a tournament differs from that of an undisturbed one, or if a bot that a
client handed in is not there, not intact or there twice, or an upload is left.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import socket
import sqlite3
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

from arena.hosting.content import content_hash
from arena.rpc.quiet import keep_grpc_quiet
from arena.service.server.tls import make_certificate
from benchmarks.submission_clients import Client
from benchmarks.uploaders import Uploaders
from ratings.ledger.service import ServiceLedger
from ratings.read.bots import all_versions
from ratings.store.database import open_database
from ratings.values.states import Scope
from tests.support.patience import ANY_TIME
from tests.support.places import CHOICES, Place, write_quick_bot
from tests.support.serving import Served, plan, serving, wait_for_counts

PATIENCE_S = 600.0
BLOCKS = 4
MOST_DELAY_S = 6.0
GOAL_S = 2.0
OF_TOURNAMENT = (
    'SELECT bot.name, block."index", rotation, seat, rank, game_digest FROM match '
    "JOIN match_seat ON match_seat.match_id = match.id JOIN block ON block.id = match.block_id "
    "JOIN version ON version.id = version_id JOIN bot ON bot.id = version.bot_id "
    "JOIN tournament ON tournament.id = match.tournament_id WHERE tournament.name = ? ORDER BY 2, 3, 4"
)
OWNERS = ("ada", "eve", "joe")
UPLOADED = "SELECT owner.name, content_hash FROM version JOIN bot ON bot.id = bot_id JOIN owner ON owner.id = owner_id"
OWN_ADMISSIONS = (
    "SELECT state, count(*) FROM admission JOIN version ON version.id = version_id JOIN bot ON bot.id = bot_id "
    "WHERE owner_id IS NULL GROUP BY state"
)
OPEN_ADMISSIONS = "SELECT count(*) FROM admission WHERE state IN ('queued', 'running')"
OPEN_MATCHES = (
    "SELECT count(*) FROM match JOIN tournament ON tournament.id = match.tournament_id "
    "WHERE tournament.format = 'round-robin' AND state IN ('planned', 'leased')"
)


def _fresh(directory: Path) -> Place:
    directory.mkdir()
    place = Place(directory)
    place.ok("bot", "add", *(write_quick_bot(directory / "sources" / name, name) for name in CHOICES))
    return place


def ask(place: Place, query: str, *values: object) -> list[Any]:
    """Return the rows of a query of the database of a place."""
    with closing(sqlite3.connect(place.db)) as connection:
        return connection.execute(query, values).fetchall()


def _submit(place: Place, number: int) -> None:
    """Queue the admission of a new version, as a submission does."""
    name = f"newcomer{number}"
    source = write_quick_bot(place.directory / "sources" / name, list(CHOICES)[number % len(CHOICES)], name=name)
    with (source / "bot.toml").open("a", encoding="utf-8") as manifest:
        manifest.write('games = ["rex_romanorum"]\n')
    place.ok("bot", "add", source)
    with closing(open_database(place.db)) as database:
        (version,) = [one.version.id for one in all_versions(database) if one.bot.name == name]
        ServiceLedger(database).request_admission(version)


def _serving(place: Place, address: str) -> AbstractContextManager[Served]:
    limits = ("limits.uploads_per_hour=100000", "limits.versions=100000", "limits.stored_mb=100000")
    sets = [word for limit in limits for word in ("--set", limit)]
    return serving(place, "--workers", "2", *sets, address=address)


def _kill_once(place: Place, address: str, delay_s: float, number: int) -> tuple[float, list[str]]:
    """Serve, queue something, kill after the delay; seconds until all processes had ended, and what was wrong."""
    with _serving(place, address) as served:
        plan(place, blocks=BLOCKS, name=f"cup{number}")
        _submit(place, number)
        time.sleep(delay_s)
        os.kill(served.pid, signal.SIGKILL)
        begun = time.perf_counter()
        while place.processes() and time.perf_counter() - begun < PATIENCE_S:
            time.sleep(0.01)
        seconds = time.perf_counter() - begun
    return seconds, [] if seconds <= GOAL_S else [f"processes outlived it by {seconds:.1f} s"]


def _enrol(place: Place) -> tuple[str, list[tuple[str, Client]]]:
    """Make owners with a token each; the address that they reach the service at, and how."""
    tls = make_certificate(place.directory / "tls", ["localhost"])
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    certificate, clients = tls.certificate.read_text(encoding="ascii"), []
    with closing(open_database(place.db)) as database:
        ledger = ServiceLedger(database)
        for owner in OWNERS:
            ledger.add_owner(owner)
            token = ledger.new_token(owner, name="laptop", scope=Scope.COMPETITOR).secret
            clients.append((owner, Client(address, certificate, "localhost", token)))
    return address, clients


def _check_uploads(place: Place, uploaders: Uploaders) -> list[str]:
    """What is wrong with the bots that clients handed in: each is there once and intact, and nothing else is left."""
    handed_in = Counter((owner, source.content_hash) for owner, source in uploaders.handed_in)
    found = Counter(ask(place, UPLOADED))
    wrong = [] if found == handed_in else [f"handed in {len(handed_in)} bots, there are {found.total()}"]
    store = place.directory / "arena.bots"
    wrong += [f"{name} is not intact" for _, name in handed_in if content_hash(store / name) != name]
    left = [path.name for path in store.glob(".*")]
    left += [path.name for path in (place.directory / "uploads").iterdir() if path.name != ".history"]
    return [*wrong, *uploaders.wrong(), *([f"left of uploads: {left}"] if left else [])]


def _finish(place: Place, address: str, uploaders: Uploaders) -> list[str]:
    """Serve until everything but the ladder is over; what was wrong."""
    with _serving(place, address) as served:
        if not uploaders.wait(PATIENCE_S):
            return [f"clients are not done in {PATIENCE_S:g} s: {uploaders.failures}"]
        end = time.monotonic() + PATIENCE_S
        while ask(place, OPEN_MATCHES) != [(0,)] or ask(place, OPEN_ADMISSIONS) != [(0,)]:
            if time.monotonic() > end:
                return [f"not done in {PATIENCE_S:g} s: {ask(place, OPEN_MATCHES)}, {ask(place, OPEN_ADMISSIONS)}"]
            time.sleep(0.2)
        place.ok("ladder", "close", "king3", "--why", "the end")
        code = served.stop()
    return [] if code == 0 else [f"exit code {code}"]


def check_home(place: Place) -> list[str]:
    """What is wrong with the database of a place whose service has stopped, ratings included, and with its files."""
    checked = place.arena("db", "check")
    wrong = [f"db check: {checked.out.strip()}"] if checked.code else []
    left = [path.name for path in place.directory.iterdir() if path.name.endswith((".lock", "-wal", "-shm"))]
    left += [path.name for path in (place.directory / "run").iterdir() if path.name != "lock"]
    return [*wrong, *([f"left behind: {left}"] if left else [])]


def _check(place: Place, kills: int, expected: Sequence[tuple[object, ...]]) -> list[str]:
    other = [number for number in range(kills) if ask(place, OF_TOURNAMENT, f"cup{number}") != expected]
    wrong = [f"cup{number} ended otherwise than undisturbed" for number in other] + check_home(place)
    states = ask(place, OWN_ADMISSIONS)
    if states != [("admitted", kills)]:
        wrong.append(f"admissions: {states}")
    return wrong


def _undisturbed(home: Path) -> list[tuple[object, ...]]:
    place = _fresh(home / "undisturbed")
    plan(place, blocks=BLOCKS, name="cup0")
    place.ok("tournament", "resume", "cup0")
    wait_for_counts(place, {"finished": 3 * BLOCKS})
    return ask(place, OF_TOURNAMENT, "cup0")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if nothing was left, lost or doubled."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service_killing", description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    keep_grpc_quiet()
    rng, wrong, times = random.Random(options.seed), [], []
    with tempfile.TemporaryDirectory(prefix="ka-") as name:
        home = Path(name)
        expected = _undisturbed(home)
        place = _fresh(home / "killed")
        place.ok("ladder", "open", "king3", "--game", "foreign_king", "--seats", "3", *ANY_TIME)
        address, clients = _enrol(place)
        with Uploaders(clients, home / "uploaded") as uploaders:
            for number in range(options.kills):
                seconds, faults = _kill_once(place, address, rng.uniform(0, MOST_DELAY_S), number)
                times.append(seconds)
                wrong += faults
                print(f"  kill {number + 1:>2}: all processes gone after {seconds:.2f} s; {place.counts()}", flush=True)
        wrong += _finish(place, address, uploaders)
        wrong += _check(place, options.kills, expected) + _check_uploads(place, uploaders)
    print(f"{len(uploaders.handed_in)} bots handed in, {uploaders.resumed} of them resumed after a kill")
    print(f"{len(times)} kills, processes gone after {statistics.median(times):.2f} s, at most {max(times):.2f} s")
    print("\n".join(wrong) or "nothing left, lost or doubled")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
