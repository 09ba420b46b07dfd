"""kill -9 of a service while 50 remote bots play: no match is lost or doubled, or ends by a fault that no bot made.

    python -m benchmarks.remote_killing [--bots 50] [--kills 12] [--seed 1]

A real `arena serve` takes the bots over TCP with TLS. Each plays two matches at once, in pairs whose tournaments have
an end and on a ladder that has none, where a hosted bot is a guest. In turn all the bots, the process that they are
connected to, the service alone and its whole process group are killed, always in the middle of matches; the service is
started again on the same port, and the bots come back by themselves. It fails if a process outlives a kill by more than
2 s, if a planned match is not recorded once or open, if a recorded one changes, if a match has a fault or is void, if a
bot is taken out of the ladder, or if `arena db check`, which rates all matches anew, finds anything.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path

from arena.hosting.procfs.processes import list_descendants
from arena.match.replay import load
from benchmarks.remote_crowd import PATIENCE_S, Crowd, Habits, make_token, plan_pairs
from benchmarks.service_killing import GOAL_S, OPEN_MATCHES, ask, check_home
from ratings.read.matches import replays
from ratings.store.database import open_database
from tests.support.patience import ANY_TIME
from tests.support.places import Place, write_quick_bot
from tests.support.serving import Served, serving

BOTS, REMOTE, SERVICE, GROUP = "all bots", "remote process", "service", "process group"
KINDS = (BOTS, REMOTE, SERVICE, GROUP)
MOST_DELAY_S = 8.0
SHARE = 0.9
"""Of the bots plays when something is killed, at least."""
THINK_S, MOST_PLIES, ROOM = 0.25, 40, 2
"""A match lasts some six seconds on a quiet machine."""
LADDER, GUEST = "homes", "first"
COUNT = "SELECT count(*) FROM match WHERE state = 'finished'"
FINISHED = "SELECT id, game_digest FROM match WHERE state = 'finished'"
PLAYED = (
    "SELECT count(*), count(DISTINCT block_id || ' ' || rotation) FROM match "
    "JOIN tournament ON tournament.id = match.tournament_id WHERE tournament.name = ? AND state = 'finished'"
)
OF_LADDER = (
    "SELECT state, count(*) FROM match JOIN tournament ON tournament.id = match.tournament_id "
    "WHERE format = 'ladder' GROUP BY state"
)
ATTEMPTS = "SELECT state, count(*) FROM attempt GROUP BY state"
TAKEN_OUT = "SELECT count(*) FROM entrant WHERE withdrawn_wave IS NOT NULL"


@dataclass(frozen=True, slots=True)
class Killed:
    """What was found at a kill."""

    kind: str
    bots: int
    """How many were in the middle of a match."""
    matches: int
    gone_s: float
    """Until all processes that had to end had ended."""


class Killing:
    """A home whose service is killed and started again, and its bots."""

    def __init__(self, place: Place, bots: int, rng: random.Random) -> None:
        self.place = place
        self.wrong: list[str] = []
        self._bots = bots
        self._rng = rng
        self._recorded: dict[str, str] = {}
        with closing(socket.create_server(("127.0.0.1", 0))) as free:
            self.address = f"127.0.0.1:{free.getsockname()[1]}"

    def serve(self) -> AbstractContextManager[Served]:
        """Serve, on the same port as before."""
        limits = ("--set", "limits.versions=0", "--set", "limits.uploads_per_hour=0")
        words = ("--tls-self-signed", "--play-address", self.address, "--workers", "2", "--stop-grace", "0")
        return serving(self.place, *words, *limits)

    def kill_again_and_again(self, crowd: Crowd, kills: int) -> list[Killed]:
        """Kill one after the other, and serve again whenever that was the service; each is printed."""
        found: list[Killed] = []
        while len(found) < kills:
            with self.serve() as served:
                while len(found) < kills:
                    kind = KINDS[len(found) % len(KINDS)]
                    one = self.kill(kind, served, crowd)
                    found.append(one)
                    which = f"  kill {len(found):>2}, {kind}, amid {one.bots} bots in {one.matches} matches"
                    print(f"{which}: gone after {one.gone_s:.2f} s; {self.place.counts()}", flush=True)
                    if kind in (SERVICE, GROUP):
                        break
        return found

    def kill(self, kind: str, served: Served, crowd: Crowd) -> Killed:
        """Kill when all bots are in the middle of matches, and wait until what must end has ended."""
        self._wait_until_they_play(crowd)
        time.sleep(self._rng.uniform(0, MOST_DELAY_S))
        playing = crowd.playing
        doomed = self._doomed(kind, served)
        if kind == BOTS:
            crowd.kill()
        elif kind == GROUP:
            os.killpg(served.pid, signal.SIGKILL)
        else:
            os.kill(doomed[0], signal.SIGKILL)
        gone_s = self._wait_for_end(doomed)
        crowd.forget()
        if kind == BOTS:
            crowd.start()
        self._look_at_recorded()
        return Killed(kind, len(playing), len(set().union(*playing.values())), gone_s)

    def _wait_until_they_play(self, crowd: Crowd) -> None:
        """Return when hardly a bot is between two matches, and as many matches as there are bots were played since.

        Otherwise every kill meets the same matches, and one whose process has died three times is void.
        """
        wanted, recorded = round(SHARE * self._bots), len(self._recorded)
        crowd.wait_until(
            lambda: ask(self.place, COUNT)[0][0] >= recorded + self._bots, f"{self._bots} matches are played"
        )
        crowd.wait_until(lambda: len(crowd.playing) >= wanted, f"{wanted} bots play")

    def _doomed(self, kind: str, served: Served) -> list[int]:
        """The processes that must end with what is killed, which comes first."""
        if kind == BOTS:
            return []
        pids = [served.pid]
        if kind == REMOTE:
            pids = [pid for pid, command in self.place.processes().items() if "-m arena.remote" in command]
        return [one for pid in pids for one in list_descendants(pid)]

    def _wait_for_end(self, doomed: Sequence[int]) -> float:
        begun = time.perf_counter()
        while set(doomed) & self.place.processes().keys() and time.perf_counter() - begun < PATIENCE_S:
            time.sleep(0.01)
        seconds = time.perf_counter() - begun
        self.wrong += [f"processes outlived a kill by {seconds:.1f} s"] if seconds > GOAL_S else []
        return seconds

    def _look_at_recorded(self) -> None:
        """Note what is recorded; what was so before must be there, and as it was."""
        now: dict[str, str] = dict(ask(self.place, FINISHED))
        changed = [match for match, digest in self._recorded.items() if now.get(match) != digest]
        self.wrong += [f"recorded, and not there or another game later: match {match}" for match in changed]
        self._recorded = now

    def finish(self, crowd: Crowd) -> None:
        """Serve until the tournaments are over, and stop in good order while the ladder goes on."""
        with self.serve() as served:
            self._wait_until_they_play(crowd)
            until = time.monotonic() + 2 * PATIENCE_S
            while ask(self.place, OPEN_MATCHES) != [(0,)]:
                if time.monotonic() > until:
                    self.wrong.append(f"not over in {2 * PATIENCE_S:g} s: {ask(self.place, OPEN_MATCHES)}")
                    break
                time.sleep(0.2)
            if code := served.stop():
                self.wrong.append(f"exit code {code}")
        self._look_at_recorded()

    def check(self, pairs: int, blocks: int) -> None:
        """Look at what is wrong in the end."""
        place, whole = self.place, [(2 * blocks, 2 * blocks)]
        played = {f"pair{number}": ask(place, PLAYED, f"pair{number}") for number in range(pairs)}
        self.wrong += [f"{name}: {found}, not {whole}" for name, found in played.items() if found != whole]
        if other := {state for state, _ in ask(place, OF_LADDER)} - {"finished", "planned"}:
            self.wrong.append(f"matches of the ladder that are neither recorded nor open: {other}")
        if out := ask(place, TAKEN_OUT)[0][0]:
            self.wrong.append(f"taken out of the ladder: {out}")
        with closing(open_database(place.db)) as database:
            for match, stored in replays(database):
                faults = load(stored)["result"]["faults"] if stored is not None else ["no replay"]
                self.wrong += [f"match {match.id}: {fault}" for fault in faults]
        self.wrong += check_home(place)


def _prepare(place: Place) -> str:
    """Open the ladder, with a guest, and return the token of the owner of all bots."""
    place.ok("bot", "add", write_quick_bot(place.directory / "sources" / GUEST, GUEST))
    place.ok("ladder", "open", LADDER, "--game", "foreign_king", "--seats", "2", "--remote", *ANY_TIME)
    place.ok("tournament", "join", f"{LADDER}-1", GUEST)
    return make_token(place)


def _have_all_join(killing: Killing, crowd: Crowd, bots: int, blocks: int) -> None:
    """Have all bots connect, who are known from then on, and plan the tournaments of the pairs."""
    with killing.serve() as served:
        crowd.start()
        crowd.wait_until(lambda: len(crowd.here) == bots, f"{bots} bots connect")
        plan_pairs(killing.place, bots, blocks)
        served.stop()


def _report(place: Place, crowd: Crowd, kills: Sequence[Killed]) -> None:
    states: dict[str, int] = dict(ask(place, ATTEMPTS))
    told, gone = crowd.told, [one.gone_s for one in kills]
    print(f"{len(kills)} kills amid {min(one.bots for one in kills)} to {max(one.bots for one in kills)} bots", end=" ")
    print(f"in {min(one.matches for one in kills)} to {max(one.matches for one in kills)} matches; ", end="")
    print(f"processes gone after {statistics.median(gone):.2f} s, at most {max(gone):.2f} s")
    broken = sum(one.matches for one in kills if one.kind != BOTS)
    print(
        f"recorded: {states['finished']} matches; back to the ledger went {broken} that were being played, in all",
        end=" ",
    )
    print(
        f"{states.get('failed', 0)} attempts as failed and, with those that waited, {states.get('released', 0)} others"
    )
    print(f"the bots joined {told['joined']} times, and rejoined {told['resumed']} times a match that went on")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was found; 0 if nothing is lost, doubled or left."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.remote_killing", description=__doc__)
    parser.add_argument("--bots", type=int, default=50, help="an even number")
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    pairs, blocks = options.bots // 2, options.kills + 4
    with tempfile.TemporaryDirectory(prefix="kma") as name:
        place = Place(Path(name))
        killing = Killing(place, 2 * pairs, random.Random(options.seed))
        certificate, habits = place.directory / "tls" / "cert.pem", Habits(2 * pairs, THINK_S, MOST_PLIES, ROOM)
        crowd = Crowd(killing.address, certificate, _prepare(place), habits)
        try:
            _have_all_join(killing, crowd, 2 * pairs, blocks)
            kills = killing.kill_again_and_again(crowd, options.kills)
            killing.finish(crowd)
        finally:
            crowd.kill()
        killing.check(pairs, blocks)
        _report(place, crowd, kills)
    print("\n".join(killing.wrong) or "nothing lost, doubled or left")
    return 1 if killing.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
