"""Has 200 remote bots connect to a service and 50 of them play: what it needs, and what a decision takes above the bot.

    python -m benchmarks.remote_load [--connected 200] [--playing 50] [--seconds 60]

A real `arena serve` takes the bots over TCP with TLS, each on a connection of its own, from one process beside it.
Those that play meet in pairs, always the same, so that all of them play all the time; they answer after THINK_S. Each
answer carries, as its note, how long the bot had the question, and the replays hold how long the arena waited for the
answer: the difference is what connection, service and the client's own library took. It fails if the service needs more
than 400 MB with all its processes, if that difference is above 20 ms at the 99th percentile, or if a bot made a fault.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from arena.match.replay import load
from benchmarks.phases import Phase, measure
from benchmarks.remote_crowd import Crowd, Habits, make_token, plan_pairs
from ratings.read.matches import replays
from ratings.store.database import open_database
from tests.support.places import Place
from tests.support.serving import serving

GOAL_MB = 400
GOAL_MS = 20.0
THINK_S = 0.1
WARM_UP_S = 5.0
BLOCKS = 200
"""More than anybody waits for."""


def _overheads_ms(place: Place, phase: Phase) -> list[float]:
    """What each decision took above the time that its bot had it, of the matches that lie wholly in the phase."""
    found = []
    with closing(open_database(place.db)) as database:
        for match, stored in replays(database):
            if stored is None or (match.started_at_us or 0) < phase.begun_us:
                continue
            entries = load(stored)["entries"]
            found += [(one["elapsed_us"] - int(one["note"])) / 1000 for one in entries if one.get("note")]
    return sorted(found)


def _faults(place: Place) -> int:
    with closing(open_database(place.db)) as database:
        return sum(len(load(stored)["result"]["faults"]) for _, stored in replays(database) if stored is not None)


def _judge(place: Place, phase: Phase) -> int:
    found = _overheads_ms(place, phase)
    if not found:
        raise SystemExit("no match was finished in the time; give more with --seconds")
    half, most = found[len(found) // 2], found[len(found) * 99 // 100]
    cpu = ", ".join(f"{name} {share:.0%}" for name, share in phase.cpu.items())
    faults, memory = _faults(place), phase.highest.all_mb
    print(f"memory of the service with all its processes: {memory:.0f} MB (goal: under {GOAL_MB}); cores: {cpu}")
    print(f"{len(found):,} decisions, above the bot's own time: median {half:.1f} ms, 99 % {most:.1f} ms", end=" ")
    print(f"(goal: under {GOAL_MS:g}), longest {found[-1]:.1f} ms; faults: {faults}")
    return int(memory >= GOAL_MB or most >= GOAL_MS or faults > 0)


def _serve(connected: int, playing: int, seconds: float) -> int:
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        place = Place(Path(directory))
        token = make_token(place)
        limits = ("--set", "limits.versions=0", "--set", "limits.uploads_per_hour=0")
        words = ("--tls-self-signed", "--play-address", "127.0.0.1:0", "--workers", "1", "--stop-grace", "0", *limits)
        with serving(place, *words) as served:
            certificate = place.directory / "tls" / "cert.pem"
            begun = time.monotonic()
            with Crowd(served.addresses["play"], certificate, token, Habits(connected, THINK_S)) as crowd:
                crowd.wait_until(lambda: len(crowd.here) == connected, f"{connected} bots connect")
                refused = sum(count for what, count in crowd.told.items() if what.startswith("gone"))
                took = time.monotonic() - begun
                print(f"{connected} bots that came at once: here after {took:.1f} s; sent away meanwhile: {refused}")
                plan_pairs(place, playing, BLOCKS)
                time.sleep(WARM_UP_S)
                phase = measure(served.pid, seconds, crowd.pid)
            served.stop()
        return _judge(place, phase)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.remote_load", description=__doc__.splitlines()[0])
    parser.add_argument("--connected", type=int, default=200)
    parser.add_argument("--playing", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args(arguments)
    return _serve(options.connected, options.playing, options.seconds)


if __name__ == "__main__":
    sys.exit(main())
