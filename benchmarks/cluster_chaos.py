"""A cluster with bad luck: machines are killed and stand still, the coordinator is killed; nothing is lost or doubled.

    python -m benchmarks.cluster_chaos [--matches 200] [--pause 30] [--away 10] [--postgres] [--only machine,pause]

Two machines of one core, each a raylet of this one, play a tournament of deterministic bots. In the middle of it

- `machine`: the raylet of one is killed by SIGKILL, with all that it had started;
- `coordinator`: the command is killed by SIGKILL, and `arena tournament resume` goes on;
- `pause`: all processes of one machine stand still for half a minute, and go on;
- `database`: the database server is away for ten seconds, with every connection cut (with `--postgres` only).

Each time all results must be there exactly once, the table and every game those of a run on this machine with the same
seed, and no process may be left. With `--postgres` they play into a server that this starts, and else into a file.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.arena import ARENA, add_bots
from benchmarks.coordinators import own_server
from ratings.errors import NotFoundError
from ratings.read import tournaments
from ratings.read.match_list import MatchFilter, list_matches
from ratings.store.database import open_database
from tests.support.postgres import Server
from tests.support.processes import marked_processes
from tests.support.small_cluster import SmallCluster, processes_of, small_cluster

PARTS = ("machine", "coordinator", "pause", "database")
PATIENCE_S = 600.0
AGAIN_S = 20.0
"""So long a killed machine's end may take to be known everywhere, and processes to be gone."""
BOTS = 2
OURS = ("arena.worker", "ray::Slot", "ray::NodeAgent")


@dataclass(frozen=True)
class Place:
    """Where the tournaments are."""

    home: Path
    db: str
    address: str
    blocks: int
    server: Server | None = None

    def command(self, *words: str) -> Sequence[str]:
        """A command line of the arena on the cluster."""
        return [*ARENA, "tournament", *words, "--db", self.db, "--executor", "ray", "--address", self.address]

    def order(self, name: str) -> Sequence[str]:
        """What makes a command play a tournament."""
        bots = ",".join(("instant-a", "instant-b"))
        what = ("--game", "foreign_king", "--seats", "2", "--bots", bots, "--blocks", str(self.blocks))
        return ["run", "round-robin", *what, "--seed", "7", "--time", "60s", "--start-limit", "60s", "--name", name]

    def results(self, name: str) -> list[tuple[Any, ...]]:
        """Every result of a tournament, in order."""
        database = open_database(self.db)
        try:
            tournament = tournaments.find_tournament(database, name)
            found = list_matches(database, MatchFilter(tournament_id=tournament.id), limit=None).items
            return sorted(
                (one.block_index, one.match.rotation, one.match.state, one.match.game_digest) for one in found
            )
        finally:
            database.close()

    def finished(self, name: str) -> int:
        """How many matches have a result; 0 as long as there is no such tournament."""
        database = open_database(self.db)
        try:
            tournament = tournaments.find_tournament(database, name)
            return tournaments.tournament_row(database, tournament.id).progress.finished
        except NotFoundError:
            return 0
        finally:
            database.close()

    def table(self, name: str) -> Any:
        """The table of a tournament."""
        said = subprocess.run(
            [*ARENA, "tournament", "standings", name, "--db", self.db, "--json"],
            cwd=self.home,
            check=True,
            capture_output=True,
        )
        return [{name: value for name, value in row.items() if name != "version_id"} for row in json.loads(said.stdout)]


@contextmanager
def playing(place: Place, name: str) -> Iterator[subprocess.Popen[str]]:
    """A tournament that is played on the cluster, at the moment in which a third of it is over."""
    log = (place.home / f"{name}.log").open("w", encoding="utf-8")
    process = subprocess.Popen(place.command(*place.order(name)), cwd=place.home, stdout=log, stderr=log, text=True)
    try:
        deadline_s = time.monotonic() + PATIENCE_S
        while place.finished(name) < place.blocks * BOTS // 3:
            if process.poll() is not None or time.monotonic() > deadline_s:
                raise RuntimeError(f"it did not play: {log.name}")
            time.sleep(0.05)
        yield process
        process.wait(PATIENCE_S)
    finally:
        if process.poll() is None:
            process.kill()
        log.close()
        print((place.home / f"{name}.log").read_text(encoding="utf-8").rstrip().rpartition("PLACE")[0][-1500:])


def send(pids: Sequence[int], number: signal.Signals) -> None:
    """Send a signal to processes, those left out that have ended."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def play_part(part: str, place: Place, cluster: SmallCluster, options: argparse.Namespace) -> None:
    """Play a tournament, and have it meet with its accident."""
    nodes = [cluster.add(), cluster.add()]
    with playing(place, part) as process:
        if part == "coordinator":
            process.kill()
            process.wait()
        elif part == "database":
            assert place.server is not None
            place.server.stop()
            time.sleep(options.away)
            place.server.start()
        else:
            pids = processes_of(nodes[0])
            send(pids, signal.SIGKILL if part == "machine" else signal.SIGSTOP)
        if part == "pause":
            time.sleep(options.pause)
            send(pids, signal.SIGCONT)
    if part == "coordinator":
        subprocess.run(place.command("resume", part), cwd=place.home, check=True, stdout=subprocess.DEVNULL)
    for node in nodes:
        cluster.remove(node)


def is_as_it_must_be(part: str, place: Place, expected: tuple[Any, Any], mark: str) -> bool:
    """Tell what became of a part, and return whether all is well."""
    results, table = place.results(part), place.table(part)
    deadline_s = time.monotonic() + AGAIN_S
    while (left := _left(mark)) and time.monotonic() < deadline_s:
        time.sleep(0.2)
    is_same = (results, table) == expected
    print(f"{part}: {len(results)} results, as on this machine: {is_same}; processes left: {len(left)}", flush=True)
    for line in left:
        print(f"  {line}")
    return is_same and not left


def _left(mark: str) -> list[str]:
    return [line for line in marked_processes(mark).values() if any(name in line for name in OURS)]


def run(home: Path, server: Server | None, db: str, options: argparse.Namespace) -> bool:
    os.environ["HOME"], mark = str(home), f"HOME={home}"
    add_bots(home, BOTS)
    blocks = options.matches // BOTS
    here = Place(home, "arena.db", "", blocks)
    with small_cluster(0) as cluster:
        order = [*ARENA, "tournament", *here.order("here"), "--db", here.db]
        subprocess.run(order, cwd=home, check=True, stdout=subprocess.DEVNULL)
        os.chdir(home)
        expected = here.results("here"), here.table("here")
        print(f"here: {len(expected[0])} results", flush=True)
        place = Place(home, db or here.db, cluster.address, blocks, server)
        if server is not None:
            for name in ("instant-a", "instant-b"):
                subprocess.run([*ARENA, "bot", "add", name, "--db", place.db], cwd=home, check=True)
        is_well = True
        for part in options.only.split(","):
            if part == "database" and server is None:
                continue
            play_part(part, place, cluster, options)
            is_well &= is_as_it_must_be(part, place, expected, mark)
    return is_well


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster_chaos", description=__doc__)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--pause", type=float, default=30.0)
    parser.add_argument("--away", type=float, default=10.0)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--only", default=",".join(PARTS))
    options = parser.parse_args(arguments)
    nowhere: AbstractContextManager[tuple[Server | None, str]] = nullcontext((None, ""))
    with tempfile.TemporaryDirectory() as home, own_server() if options.postgres else nowhere as (server, db):
        return 0 if run(Path(home), server, db, options) else 1


if __name__ == "__main__":
    sys.exit(main())
