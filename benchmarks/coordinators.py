"""Two coordinators on one database server with bad luck: both are killed again and again, and the server goes away.

    python -m benchmarks.coordinators [--kills 20] [--matches 400] [--away 10] [--db URL] [--seed 1]

Two commands play two tournaments of one pool of deterministic bots into one PostgreSQL database, by default on a server
of this benchmark's own. Each is killed by SIGKILL at random moments, so many times, and resumed. Then the server is
stopped for some seconds while both play (only one's own is), and both must go on by themselves. In the end every result
must be there exactly once, `arena db check` must find nothing, and both tables must be those of an undisturbed
tournament in a file.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.arena import ARENA, add_bots
from ratings.ledger.check import check
from ratings.read import tournaments
from ratings.read.match_list import MatchFilter, list_matches
from ratings.store.database import open_database
from ratings.values.states import AttemptState, MatchState
from tests.support.postgres import Server, superuser

NAMES = ("first", "second")
BOTS = 2
PATIENCE_S = 900.0
LONGEST_LIFE_S = 3.0


def command(db: str, *words: str) -> Sequence[str]:
    """A command line of the arena on a database."""
    return [*ARENA, *words, "--db", db]


def order(name: str, matches: int) -> Sequence[str]:
    """What has a command play a tournament."""
    what = ("--game", "foreign_king", "--seats", "2", "--bots", "instant-a,instant-b", "--blocks", str(matches // BOTS))
    time_control = ("--time", "60s", "--start-limit", "60s")
    return ["tournament", "run", "round-robin", *what, "--seed", "7", *time_control, "--name", name, "--workers", "1"]


def start(home: Path, db: str, name: str, matches: int, *, resumes: bool) -> subprocess.Popen[bytes]:
    """Begin to play a tournament, or go on with it."""
    words = ["tournament", "resume", name, "--workers", "1"] if resumes else order(name, matches)
    with (home / f"{name}.log").open("ab") as log:
        return subprocess.Popen(command(db, *words), cwd=home, stdout=log, stderr=log)


def finished(db: str, name: str) -> int:
    """How many matches of a tournament have a result; 0 as long as there is none."""
    database = open_database(db)
    try:
        found = [row for row in tournaments.list_tournaments(database).items if row.tournament.name == name]
        return found[0].progress.finished if found else 0
    finally:
        database.close()


def kill_again_and_again(home: Path, db: str, matches: int, kills: int, chance: random.Random) -> int:
    """Kill both coordinators so many times in all, at random moments; how many of them were alive."""
    running = {name: start(home, db, name, matches, resumes=False) for name in NAMES}
    while not all(finished(db, name) for name in NAMES):
        time.sleep(0.2)
    killed = 0
    for number in range(kills):
        name = NAMES[number % 2]
        before, until_s = finished(db, name), time.monotonic() + PATIENCE_S
        while number % 4 < 2 and finished(db, name) == before and time.monotonic() < until_s:
            time.sleep(0.1)  # every second life of each is long enough to play
        time.sleep(chance.uniform(0.0, LONGEST_LIFE_S))
        killed += running[name].poll() is None
        running[name].kill()
        running[name].wait()
        print(f"kill {number + 1}: {name} after {finished(db, name)} matches", flush=True)
        if finished(db, name) < matches:
            running[name] = start(home, db, name, matches, resumes=True)
    for process in running.values():
        process.kill()
        process.wait()
    return killed


def play_on_without(home: Path, db: str, server: Server | None, away_s: float) -> bool:
    """Play what is left, with the server away for a while; whether both commands end well by themselves."""
    left = [name for name in NAMES if not _is_over(db, name)]
    before = {name: finished(db, name) for name in left}
    running = {name: start(home, db, name, 0, resumes=True) for name in left}
    while any(finished(db, name) == before[name] and running[name].poll() is None for name in left):
        time.sleep(0.1)
    if server is not None and any(process.poll() is None for process in running.values()):
        print(f"the server is away for {away_s:g} s", flush=True)
        server.stop()
        time.sleep(away_s)
        server.start()
    codes = {name: process.wait(PATIENCE_S) for name, process in running.items()}
    print(f"exit codes: {codes}", flush=True)
    for name, code in codes.items():
        if code:
            print((home / f"{name}.log").read_text(encoding="utf-8", errors="replace")[-1500:])
    return not any(codes.values())


def _is_over(db: str, name: str) -> bool:
    database = open_database(db)
    try:
        return tournaments.tournament_row(database, tournaments.find_tournament(database, name).id).progress.is_over
    finally:
        database.close()


def results(db: str, name: str) -> tuple[list[tuple[Any, ...]], Counter[AttemptState]]:
    """Every result of a tournament in order, and how its attempts ended."""
    database = open_database(db)
    try:
        tournament = tournaments.find_tournament(database, name)
        found = list_matches(database, MatchFilter(tournament_id=tournament.id), limit=None).items
        games = sorted((one.block_index, one.match.rotation, one.match.state, one.match.game_digest) for one in found)
        with database.engine.connect() as connection:
            words = (
                "SELECT a.state FROM attempt a JOIN match m ON m.id = a.match_id "
                f"WHERE m.tournament_id = '{tournament.id}'"
            )
            states = Counter(AttemptState(state) for (state,) in connection.exec_driver_sql(words))
        return games, states
    finally:
        database.close()


def table(home: Path, db: str, name: str) -> Any:
    """The table of a tournament."""
    words = command(db, "tournament", "standings", name, "--json")
    rows = json.loads(subprocess.run(words, cwd=home, check=True, capture_output=True).stdout)
    return [{name: value for name, value in row.items() if name != "version_id"} for row in rows]


def is_whole(home: Path, db: str, matches: int, expected: tuple[Any, Any]) -> bool:
    """Tell what became of both tournaments, and return whether all is well."""
    is_well = True
    for name in NAMES:
        games, states = results(db, name)
        same = (games, table(home, db, name)) == expected
        once = states[AttemptState.FINISHED] == matches and all(game[2] == MatchState.FINISHED for game in games)
        print(f"{name}: {len(games)} results, each once: {once}; as undisturbed: {same}; attempts {dict(states)}")
        is_well &= same and once
    database = open_database(db)
    problems = check(database)
    database.close()
    print(f"arena db check: {problems or 'in order'}")
    return is_well and not problems


@contextmanager
def own_server() -> Iterator[tuple[Server, str]]:
    """A server that may be stopped, and a database on it."""
    server = Server()
    server.start()
    try:
        with superuser(server.url) as connection:
            connection.execute(b"CREATE DATABASE book")
        yield server, server.url.rpartition("/")[0] + "/book"
    finally:
        server.close()


def run(home: Path, db: str, server: Server | None, options: argparse.Namespace) -> bool:
    """Play everything, and return whether all is well."""
    names = add_bots(home, BOTS)
    subprocess.run(command("arena.db", *order("here", options.matches)), cwd=home, check=True, capture_output=True)
    here = str(home / "arena.db")
    expected = results(here, "here")[0], table(home, here, "here")
    os.environ["ARENA_STORE"] = str(home / "store")
    (home / "store").mkdir()
    for name in names:
        subprocess.run(command(db, "bot", "add", name), cwd=home, check=True, capture_output=True)
    killed = kill_again_and_again(home, db, options.matches, options.kills, random.Random(options.seed))
    print(f"{killed} of {options.kills} kills met a coordinator that lived", flush=True)
    goes_on = play_on_without(home, db, server, options.away)
    return is_whole(home, db, options.matches, expected) and goes_on


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if nothing was lost or doubled."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coordinators", description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--away", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--db", default="")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as home:
        if options.db:
            return 0 if run(Path(home), options.db, None, options) else 1
        with own_server() as (server, db):
            return 0 if run(Path(home), db, server, options) else 1


if __name__ == "__main__":
    sys.exit(main())
