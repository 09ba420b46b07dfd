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
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import grpc

from arena.match.replay import load
from arena.tournament.formats.roundrobin import RoundRobin
from arena.v1 import play_pb2
from arena.v1.play_pb2_grpc import PlayServiceStub
from benchmarks.phases import Phase, measure
from ratings.ledger.service import ServiceLedger
from ratings.read.bots import list_bots
from ratings.read.matches import replays
from ratings.store.database import open_database
from ratings.store.states import Scope
from tests.support.places import Place
from tests.support.serving import Served, plan, serving

GOAL_MB = 400
GOAL_MS = 20.0
THINK_S = 0.1
MOST_PLIES = 60
"""Then a bot gives up: who always takes the first action plays for long."""
PATIENCE_S = 180.0
WARM_UP_S = 5.0
OWNER = "ada"
BLOCKS = 200
_OPTIONS = (
    ("grpc.use_local_subchannel_pool", 1),  # otherwise all channels of a process share one connection
    ("grpc.enable_http_proxy", 0),
    ("grpc.ssl_target_name_override", "localhost"),
)


# The bots, in a process of their own.


Stream = grpc.aio.StreamStreamCall[play_pb2.PlayRequest, play_pb2.PlayResponse]


async def _answer(stream: Stream, decide: play_pb2.Decide, at: float) -> None:
    if decide.ply >= MOST_PLIES:
        await stream.write(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=decide.match_id)))
        return
    await asyncio.sleep(THINK_S)
    own_us = round((time.perf_counter() - at) * 1_000_000)
    act = play_pb2.Act(match_id=decide.match_id, ply=decide.ply, actions=decide.legal_actions[:1], note=str(own_us))
    await stream.write(play_pb2.PlayRequest(act=act))


async def _stay(address: str, credentials: grpc.ChannelCredentials, token: str, name: str) -> None:
    """Play as one bot, and connect again when the stream has ended; who is not let in the first time is told of."""
    why = await _play(address, credentials, token, name)
    if why:
        print(f"{name} was not let in: {why}", file=sys.stderr)
    while True:
        await asyncio.sleep(1)
        await _play(address, credentials, token, name)


async def _play(address: str, credentials: grpc.ChannelCredentials, token: str, name: str) -> str:
    """Connect as one bot, and play until the stream ends; return why it was not let in, or nothing if it was."""
    why = "the stream ended"
    async with grpc.aio.secure_channel(address, credentials, options=_OPTIONS) as channel:
        stub = PlayServiceStub(channel)  # type: ignore[no-untyped-call]
        stream = stub.Play(metadata=(("authorization", f"Bearer {token}"),))
        join = play_pb2.Join(name=name, protocol_major=1, games=["foreign_king"], version="1")
        try:
            await stream.write(play_pb2.PlayRequest(join=join))
            while (response := await stream.read()) is not grpc.aio.EOF:
                why = ""
                if response.WhichOneof("event") == "decide":
                    await _answer(stream, response.decide, time.perf_counter())
        except grpc.aio.AioRpcError as error:
            why = why and f"{error.code().name}: {error.details()}"
    return why


async def _crowd(address: str, certificate: Path, count: int) -> None:
    token = sys.stdin.readline().strip()
    credentials = grpc.ssl_channel_credentials(certificate.read_bytes())
    await asyncio.gather(*(_stay(address, credentials, token, _name(index)) for index in range(count)))


def _name(index: int) -> str:
    return f"bot{index:03}"


# The service.


@contextmanager
def _connected(place: Place, served: Served, token: str, count: int) -> Iterator[int]:
    """Have bots connect, and return the id of their process when all have joined."""
    words = ("--crowd", served.addresses["play"], "--connected", str(count))
    certificate = place.directory / "tls" / "cert.pem"
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.remote_load", *words, "--certificate", certificate],
        stdin=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(token + "\n")
        process.stdin.flush()
        begun = time.monotonic()
        _wait_until_known(place, count)
        print(f"{count} bots that came at once have joined after {time.monotonic() - begun:.1f} s")
        yield process.pid
        process.kill()


def _wait_until_known(place: Place, count: int) -> None:
    until = time.monotonic() + PATIENCE_S
    with closing(open_database(place.db)) as database:
        while len(list_bots(database, limit=None).items) < count:
            if time.monotonic() > until:
                raise SystemExit(f"{count} bots have not joined within {PATIENCE_S:g} s")
            time.sleep(0.5)


def _token(place: Place) -> str:
    with closing(open_database(place.db)) as database:
        ledger = ServiceLedger(database)
        ledger.add_owner(OWNER)
        return ledger.new_token(OWNER, name="crowd", scope=Scope.PLAYER).secret


def _have_play(place: Place, playing: int) -> None:
    """Plan a tournament for each pair, longer than anybody waits."""
    for index in range(0, playing, 2):
        bots = [f"{OWNER}/{_name(one)}" for one in (index, index + 1)]
        plan(place, bots=bots, name=f"pair{index // 2}", form=RoundRobin(2, BLOCKS))


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
        token = _token(place)
        limits = ("--set", "limits.versions=0", "--set", "limits.uploads_per_hour=0")
        words = ("--tls-self-signed", "--play-address", "127.0.0.1:0", "--workers", "1", "--stop-grace", "0", *limits)
        with serving(place, *words) as served, _connected(place, served, token, connected) as crowd:
            _have_play(place, playing)
            time.sleep(WARM_UP_S)
            phase = measure(served.pid, seconds, crowd)
            served.stop()
        return _judge(place, phase)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.remote_load", description=__doc__.splitlines()[0])
    parser.add_argument("--connected", type=int, default=200)
    parser.add_argument("--playing", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--crowd", metavar="ADDRESS", help=argparse.SUPPRESS)
    parser.add_argument("--certificate", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.crowd:
        asyncio.run(_crowd(options.crowd, options.certificate, options.connected))
        return 0
    return _serve(options.connected, options.playing, options.seconds)


if __name__ == "__main__":
    sys.exit(main())
