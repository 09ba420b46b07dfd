"""The whole arena: a round robin of instant bots from the command to the last rating, and where a decision's time goes.

    python -m benchmarks.arena [--matches 300] [--workers 2] [--rounds 3] [--seconds 5]
    python -m benchmarks.arena --matches 10000 --rounds 0     # how much of a long run is play
    python -m benchmarks.arena --matches 0 --rounds 8         # the parts of a decision alone
    python -m benchmarks.arena --rounds 0 --language c        # what bots of a template cost, which speak lines

Runs the real command line in a fresh directory with three instant bots of The Foreign King in processes of their own,
and measures from outside: wall time, start-up included; decisions a second, forced ones included; the share of the time
in which each worker had a match whose bots were asked; the processor time of coordinator, workers, launchers and bots;
and the arena's own memory, that is the highest proportional set size (PSS) of all but the bots.

Then `arena doctor --profile` splits a decision's processor time into parts, in turn with a bare gRPC echo, in whose
round trips each part is told as well, since these can be compared between machines. For a comparison with the code of
an earlier commit see `benchmarks.decision_cost`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc

from arena.hosting.procfs.processes import list_children
from arena.hosting.procfs.usage import proportional_bytes
from arena.hosting.user_directories import SOCKET_NAME, runtime_directory
from arena.profiling.split import Role, cpu_by_role
from benchmarks.baseline import ROOT

NAMES = ("instant-a", "instant-b", "instant-c")
ARENA = (sys.executable, "-m", "arena.cli.main")
GAME = "foreign_king"
MATCHES_A_BLOCK = 3
GOAL_PLAYING, GOAL_COORDINATOR = 0.92, 0.05
"""Of a run of 10,000 matches."""
_LOOK_EVERY_S = 0.25
_BARE_S = 1.5
_QUESTION_BYTES = 160
"""About what a `Decide` of The Foreign King takes; it never changes, so that figures of years can be compared."""
_ANSWER_BYTES = 24
_WARMING = 500  # round trips before anything counts: interpreters get faster


def add_bots(
    home: Path,
    count: int = len(NAMES),
    *,
    bot: Path = ROOT / "benchmarks" / "instant",
    environment: Mapping[str, str] | None = None,
) -> Sequence[str]:
    """Add so many copies of an instant bot to the database of a directory, and return their names."""
    for name in NAMES[:count]:
        directory = home / name
        shutil.copytree(bot, directory, ignore=shutil.ignore_patterns("__pycache__"))
        manifest = directory / "bot.toml"
        manifest.write_text(manifest.read_text().replace('"instant"', f'"{name}"'))
        words = [sys.executable, "-P", "-m", "arena.cli.main", "bot", "add", str(directory)]
        subprocess.run(words, cwd=home, env=environment, check=True, stdout=subprocess.DEVNULL)
    return NAMES[:count]


def own_processes(coordinator: int) -> list[int]:
    """Return the coordinator, its workers and their launchers; whatever else descends from it is a bot's."""
    workers = list_children(coordinator)
    return [coordinator, *workers, *(launcher for worker in workers for launcher in list_children(worker))]


@dataclass(slots=True)
class _Used:
    memory_bytes: int = 0  # the most that the arena's own processes had at once
    cpu_s: dict[Role, float] = field(default_factory=lambda: dict.fromkeys(Role, 0.0))

    def look(self, coordinator: int) -> None:
        """Look at a run that goes on."""
        self.memory_bytes = max(self.memory_bytes, sum(map(proportional_bytes, own_processes(coordinator))))
        seen = cpu_by_role(coordinator)
        self.cpu_s = {role: max(seen[role], self.cpu_s[role]) for role in Role}


@dataclass(frozen=True, slots=True)
class _Played:
    """What the database tells of a tournament. Instants are in seconds of the clock of the day."""

    matches: int
    rated: int
    plies: int
    decisions: int
    played_s: float  # the durations of all matches, added up
    first_s: float  # when the first match began
    last_s: float  # when the last one was over

    @classmethod
    def read(cls, database: Path) -> _Played:
        """Read what was played."""
        query = (
            "SELECT count(*), sum(plies), sum(decisions), sum(duration_us) / 1e6, min(started_at_us) / 1e6,"
            " max(started_at_us + duration_us) / 1e6 FROM match WHERE state = 'finished'"
        )
        with closing(sqlite3.connect(database)) as connection:
            matches, *figures = connection.execute(query).fetchone()
            (rated,) = connection.execute("SELECT count(DISTINCT match_id) FROM rating_change").fetchone()
        return cls(matches, rated, *(figure or 0 for figure in figures))


def _instant_bot(home: Path, language: str) -> Path:
    """Return the directory of an instant bot: with the kit, or, for a language, the one of its template."""
    if not language:
        return ROOT / "benchmarks" / "instant"
    words = ["bot", "new", str(home / "new"), "--name", "instant", "--game", GAME, "--language", language]
    words += ["--protocol", "lines"] if language == "python" else []
    subprocess.run([*ARENA, *words], cwd=home, check=True, stdout=subprocess.DEVNULL)
    return home / "new"


def _play(matches: int, workers: int, language: str) -> bool:
    """Run a tournament and print its figures. Return whether every match was recorded and rated."""
    blocks, used = -(-matches // MATCHES_A_BLOCK), _Used()
    with tempfile.TemporaryDirectory(prefix="arena-benchmark-") as directory:
        home = Path(directory)
        names = add_bots(home, bot=_instant_bot(home, language))
        command = [*ARENA, "tournament", "run", "round-robin", "--game", GAME, "--seats", "3", "--time", "1s"]
        command += ["--bots", ",".join(names), "--blocks", str(blocks), "--seed", "1", "--workers", str(workers)]
        began_s = time.time()
        with subprocess.Popen(command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None:
                used.look(process.pid)
                time.sleep(_LOOK_EVERY_S)
        ended_s = time.time()
        played = _Played.read(home / "arena.db")
    wall_s, cpu_s = ended_s - began_s, sum(used.cpu_s.values())
    print(f"{played.matches} matches by {workers} workers in {wall_s:.1f} s, start-up included")
    print(f"{played.plies / wall_s:,.0f} decisions/s, forced ones included; {played.decisions / wall_s:,.0f} asked")
    print(f"the arena's own memory, at most: {used.memory_bytes / 2**20:.0f} MB; {cpu_s / wall_s:.2f} cores busy")
    if played.matches:
        print(f"each worker was playing {played.played_s / (wall_s * workers):.1%} of the time", end=" ")
        print(f"(goal for 10,000 matches {GOAL_PLAYING:.0%}): the first match began after", end=" ")
        print(f"{played.first_s - began_s:.2f} s, the last one ended {ended_s - played.last_s:.2f} s before the end")
        shares = (
            f"{role.value} {seconds / cpu_s:.1%}, {seconds / played.matches * 1e3:.2f} ms"
            for role, seconds in used.cpu_s.items()
        )
        print(f"processor time, and that of a match: {'; '.join(shares)}", end=" ")
        print(f"(goal for the coordinator {GOAL_COORDINATOR:.0%})")
        arena_us = (cpu_s - used.cpu_s[Role.BOT]) / played.decisions * 1e6
        print(f"of a decision asked of bots: arena {arena_us:.0f} us,", end=" ")
        print(f"bots {used.cpu_s[Role.BOT] / played.decisions * 1e6:.0f} us, start-up included")
    return process.returncode == 0 and played.matches == played.rated == blocks * MATCHES_A_BLOCK


def _pooled(found: Sequence[Mapping[str, Any]], name: str, figure: str) -> float:
    """Return the mean of a figure of a part over the decisions of all rounds."""
    weighted = [part[figure] * one["decisions"] for one in found for part in one["parts"] if part["part"] == name]
    return float(sum(weighted) / sum(one["decisions"] for one in found))


async def _bare_us(seconds: float) -> float:
    """Return the microseconds of processor time of one bare round trip, of both processes, threads included.

    Both ends are `grpc.aio` as it comes, on asyncio: whatever the arena does to be cheaper does not change it.
    """
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(runtime_directory())
        echo = _Echo()
        server = grpc.aio.server()
        handler: Any = grpc.stream_stream_rpc_method_handler(echo.serve)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bare.Echo", {"Echo": handler}),))
        address = f"unix:{directory / SOCKET_NAME}"
        server.add_insecure_port(address)
        await server.start()
        stack.push_async_callback(server.stop, 1)
        words = [sys.executable, str(ROOT / "benchmarks" / "instant" / "echo.py"), str(_ANSWER_BYTES)]
        process = await asyncio.create_subprocess_exec(*words, env={**os.environ, "ARENA_ADDRESS": address})
        stack.push_async_callback(process.wait)
        stack.callback(echo.end)
        await echo.trips(0.0, _WARMING)
        before = _used_s(process.pid)
        made = await echo.trips(seconds, 1)
        return (_used_s(process.pid) - before) / made * 1e6


class _Echo:
    def __init__(self) -> None:
        self._wanted: asyncio.Queue[tuple[float, int]] = asyncio.Queue()
        self._made: asyncio.Queue[int] = asyncio.Queue()

    async def serve(self, _requests: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Make round trips as they are wanted, until none are."""
        await context.read()
        message = b"x" * _QUESTION_BYTES
        while True:
            seconds, least = await self._wanted.get()
            if not least:
                return
            end, made = time.perf_counter() + seconds, 0
            while made < least or time.perf_counter() < end:
                await context.write(message)
                await context.read()
                made += 1
            self._made.put_nowait(made)

    async def trips(self, seconds: float, least: int) -> int:
        """Make round trips for so long, and at least so many; return how many."""
        self._wanted.put_nowait((seconds, least))
        return await self._made.get()

    def end(self) -> None:
        """End the stream."""
        self._wanted.put_nowait((0.0, 0))


def _used_s(pid: int) -> float:
    return time.process_time() + time.clock_gettime(~pid << 3 | 2)  # clock_getcpuclockid(3)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if every match was recorded and rated."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.arena", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--matches", type=int, default=300, help="0 measures the parts of a decision alone")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--rounds", type=int, default=3, help="of the parts of a decision; 0 leaves them out")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each round")
    parser.add_argument("--language", default="", help="play with the bots of its template, in JSON lines")
    options = parser.parse_args(arguments)
    is_whole = not options.matches or _play(options.matches, options.workers, options.language)
    if options.rounds:
        print()
        bare, found = [asyncio.run(_bare_us(_BARE_S))], []
        words = [*ARENA, "doctor", "--profile", "--json", "--game", GAME, "--seconds", str(options.seconds)]
        words += ["--workers", str(options.workers)]
        for _ in range(options.rounds):
            profile = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            found.append(json.loads(profile.stdout))
            bare.append(asyncio.run(_bare_us(_BARE_S)))
        echo_us = statistics.fmean(bare)
        names = [part["part"] for part in found[0]["parts"]]
        costs = {name: _pooled(found, name, "cpu_us") for name in names}
        errors = {name: _pooled(found, name, "margin_us") / math.sqrt(options.rounds) for name in names}
        total = sum(costs.values())
        had = statistics.fmean(one["busy_cores"] / min(one["cores"], one["workers"]) for one in found)
        print(f"processor time of a decision asked of bots; a bare gRPC echo in turn with it: {echo_us:.0f} us")
        print(f"{'part':12} {'us':>8} {'+-':>6} {'share':>7} {'echoes':>7}")
        for name in sorted(costs, key=lambda name: -costs[name]):
            cost = costs[name]
            print(f"{name:12} {cost:8.1f} {errors[name]:6.1f} {cost / total:7.1%} {cost / echo_us:7.3f}")
        print(f"{'all':12} {total:8.1f} {'':6} {1:7.1%} {total / echo_us:7.3f}")
        print(f"it had {had:.0%} of the cores; instant bots take over 90 % where nothing else runs")
    return 0 if is_whole else 1


if __name__ == "__main__":
    sys.exit(main())
