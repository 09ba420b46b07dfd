"""What many spectators of one live match cost: the processor time of the pages' process, and the bots' clocks.

    python benchmarks/web_live.py [SPECTATORS] [--game GAME] [--pairs N]

A real service plays matches one after another, of bots that compute and sleep so that about 20 moves a second are made;
how long they sleep is found by the first match. Then N pairs of matches follow: nobody watches the first of a pair, and
SPECTATORS streams (500) are told the second. Printed are the moves a second, the share of one core that the process of
the pages took while all were told, how often a spectator was told, and what the bots were charged for a decision with
and without spectators, with the difference and its 95 % interval (whole matches are drawn again and again).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from arena.match.replay import load
from arena.web.app import open_site
from tests.support.places import Place, write_manifest
from tests.support.serving import plan, serving

SPECTATORS = 500
PAIRS = 10
MOVE_S = 0.05
RESAMPLES = 2_000
NAMES = ("ant", "bee", "cat")
BOT = """
import os, pathlib, time
from bots.kit import Bot, Decision, run

PAUSE = pathlib.Path(os.environ["ARENA_BOT_DIR"], "pause")

class Slow(Bot):
    def decide(self, decision: Decision) -> int:
        sum(range(100_000))
        time.sleep(float(PAUSE.read_text()) if PAUSE.exists() else 0.04)
        return decision.match.random.choice(decision.legal_actions)

run(Slow())
"""


def processor_s(process: int) -> float:
    """The processor time of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Crowd:
    """Spectators of one match, and what they saw since all were there."""

    size: int
    process: int
    there: int = 0
    told: int = 0
    first_ply: int = 0
    began: tuple[float, float] = (0.0, 0.0)
    ended: tuple[float, float] = (0.0, 0.0)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    gone: int = 0

    def come(self, ply: int) -> None:
        """Count one who has been told for the first time."""
        self.there += 1
        self.first_ply = max(self.first_ply, ply)
        if self.there == self.size:
            self.began = time.monotonic(), processor_s(self.process)

    def count_message(self) -> None:
        """Count that somebody was told more."""
        self.told += self.there == self.size

    def leave(self) -> None:
        """Count one who was told everything."""
        self.gone += 1
        if self.gone == self.size:
            self.ended = time.monotonic(), processor_s(self.process)
            self.over.set()

    @property
    def seconds(self) -> float:
        """How long all of them were told."""
        return self.ended[0] - self.began[0]

    @property
    def used_s(self) -> float:
        """The processor time of the pages meanwhile."""
        return self.ended[1] - self.began[1]


class Spectator(asyncio.Protocol):
    """One stream; it reads no more of it than it must, for it runs on the machine that it measures."""

    def __init__(self, crowd: Crowd, request: bytes) -> None:
        self._crowd, self._request = crowd, request
        self._is_there = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Count what is told."""
        if self._is_there:
            if b"event: more" in data:
                self._crowd.count_message()
        elif found := re.search(rb"\nid: \d+\.(\d+)", data):
            self._is_there = True
            self._crowd.come(int(found[1]) - 1)

    def connection_lost(self, _: Exception | None) -> None:
        """Be counted as gone."""
        self._crowd.leave()


async def gather(process: int, address: str, match: str, count: int) -> Crowd:
    """Let a crowd watch a match to its end."""
    place, crowd = urlsplit(address), Crowd(count, process)
    request = f"GET /live?match={match}&lang=en HTTP/1.1\r\nHost: {place.netloc}\r\nConnection: close\r\n\r\n".encode()
    loop = asyncio.get_running_loop()
    assert place.hostname is not None
    assert place.port is not None
    for _ in range(count):
        await loop.create_connection(lambda: Spectator(crowd, request), place.hostname, place.port)
    await crowd.over.wait()
    return crowd


@dataclass(frozen=True, slots=True)
class Played:
    """A match that was played: its plies, how long it took, and what was charged for decisions from a ply on."""

    plies: int
    seconds: float
    charged_ms: Sequence[float]


def played(db: Path, match: str, first_ply: int = 0) -> Played:
    """Read a match."""
    with open_site(str(db)) as site:
        found = site.arena.matches.get_match(match)
        entries = load(site.arena.replays.get_replay(match).data)["entries"][first_ply:]
    charged = [one["charged_us"] / 1000 for one in entries if one.get("charged_us") is not None]
    assert found.plies is not None
    assert found.duration_us is not None
    return Played(found.plies, found.duration_us / 1e6, charged)


def at(share: float, figures: Sequence[float]) -> float:
    """The figure below which that share of them lies."""
    ordered = sorted(figures)
    return ordered[int(share * (len(ordered) - 1))]


def difference(
    quiet: Sequence[Sequence[float]], watched: Sequence[Sequence[float]], of: Callable[[Sequence[float]], float]
) -> tuple[float, float]:
    """The 95 % interval of the difference of a figure over all decisions, by drawing matches again."""
    draw = random.Random(1)

    def once(matches: Sequence[Sequence[float]]) -> float:
        return of([one for match in draw.choices(matches, k=len(matches)) for one in match])

    found = sorted(once(watched) - once(quiet) for _ in range(RESAMPLES))
    return found[int(0.025 * RESAMPLES)], found[int(0.975 * RESAMPLES)]


def wait_until_over(place: Place, count: int) -> None:
    """Return when so many matches are over."""
    while place.counts().get("finished", 0) < count:
        time.sleep(0.1)


def set_pace(place: Place, match: Played) -> float:
    """Have the bots sleep so that a move takes MOVE_S in all; the pause in seconds."""
    pause = max(0.0, 0.04 - (match.seconds - MOVE_S * match.plies) / len(match.charged_ms))
    for version in place.db.with_suffix(".bots").iterdir():
        (version / "pause").write_text(f"{pause:.6f}", encoding="ascii")
    return pause


def add_bots(place: Place) -> None:
    """Add the bots that play."""
    for name in NAMES:
        source = place.directory / "sources" / name
        source.mkdir(parents=True)
        (source / "main.py").write_text(BOT, encoding="utf-8")
        place.ok("bot", "add", write_manifest(source, name))


def print_table(quiet: Sequence[Played], watched: Sequence[Played], crowds: Sequence[Crowd]) -> None:
    """Print what was found."""
    seconds, size = sum(one.seconds for one in crowds), crowds[0].size
    moves = sum(one.plies - crowd.first_ply for one, crowd in zip(watched, crowds, strict=True)) / seconds
    shares = [100 * one.used_s / one.seconds for one in crowds]
    print(f"{size} spectators of {len(crowds)} matches, {seconds:.0f} s in which all were told: {moves:.1f} moves/s")
    print(
        f"the pages took {100 * sum(one.used_s for one in crowds) / seconds:.1f} % of a core, at most {max(shares):.1f}"
    )
    print(f"each was told {sum(one.told for one in crowds) / size / seconds:.2f} times a second")
    rate = sum(one.plies for one in quiet) / sum(one.seconds for one in quiet)
    print(f"nobody watching: {len(quiet)} matches, {rate:.1f} moves/s")
    without, with_them = [one.charged_ms for one in quiet], [one.charged_ms for one in watched]
    for name, share in (("median", 0.5), ("p99", 0.99)):
        before, after = (at(share, [one for match in arm for one in match]) for arm in (without, with_them))
        low, high = difference(without, with_them, lambda found, share=share: at(share, found))  # type: ignore[misc]
        print(f"charged, {name}: {before:.2f} ms without, {after:.2f} with; difference {low:+.2f} to {high:+.2f} ms")
    print(f"decisions: {sum(map(len, without))} without, {sum(map(len, with_them))} with")
    means = [statistics.mean(chain.from_iterable(arm)) for arm in (without, with_them)]
    print(f"charged, mean: {means[0]:.2f} and {means[1]:.2f} ms")


def measure(place: Place, process: int, address: str, matches: Sequence[str], count: int) -> None:
    """Find the pace by the first match, then have every other one watched; print what was found."""
    quiet, watched, crowds = [], [], []
    wait_until_over(place, 1)
    pause = set_pace(place, played(place.db, matches[0]))
    print(f"the bots sleep {1000 * pause:.1f} ms", flush=True)
    for number in range(1, len(matches) - 1, 2):
        wait_until_over(place, number + 1)
        crowds.append(asyncio.run(gather(process, address, matches[number + 1], count)))
        wait_until_over(place, number + 2)
        quiet.append(played(place.db, matches[number], 20))
        watched.append(played(place.db, matches[number + 1], crowds[-1].first_ply))
    print_table(quiet, watched, crowds)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("spectators", type=int, nargs="?", default=SPECTATORS)
    parser.add_argument("--game", default="foreign_king")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    chosen = parser.parse_args()
    needed = 1 + 2 * chosen.pairs
    with tempfile.TemporaryDirectory(prefix="kma-web-live-") as directory:
        place = Place(Path(directory))
        add_bots(place)
        with serving(place, "--workers", "1", "--set", "service.leak_checks=0%", web="127.0.0.1:0") as served:
            plan(place, blocks=-(-needed // 3), bots=NAMES, game=chosen.game)
            with open_site(str(place.db)) as site:
                found = site.arena.matches.list_matches("monday", limit=None).items
            matches = [one.id for one in sorted(found, key=lambda one: one.position)][:needed]
            (process,) = [pid for pid, line in place.processes().items() if " arena.web " in line]
            measure(place, process, served.addresses["web"], matches, chosen.spectators)
            served.stop()


if __name__ == "__main__":
    main()
