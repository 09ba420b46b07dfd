"""The referee: round trips per second of instant bots, against bare grpc.aio streams with messages of the same sizes.

    python -m benchmarks.referee [--seconds 2] [--repeats 5] [--profile]

One bot process a stream, 1 and 8 streams, all kinds in turn in the same run, each in a process of its own, since the
road to a bot is chosen once in a process. The bare streams are grpc.aio at both ends, as it comes. A round trip with
the referee, over the socket that bots are started with or over gRPC, is a whole decision of The Foreign King: legal
actions, observation, Decide, answer, judgement, apply; matches begin and end.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import os
import pstats
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import Any, Self
from unittest import mock

import grpc

from arena.hosting.launcher.client import LauncherClient
from arena.hosting.launcher.messages import StartRequest
from arena.hosting.procfs.meter import TreeMeter
from arena.hosting.procfs.run_delay import OwnWaitMeter
from arena.hosting.user_directories import SOCKET_NAME, runtime_directory
from arena.match.decisions import DecidedBy
from arena.match.match import Match
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.referee.descriptor_stream import DescriptorStream
from arena.referee.framing import LineFraming
from arena.referee.play import SeatedBot, play_match
from arena.referee.queue.loop import run
from arena.wire.completion_queue_check import EXPERIMENTS, prepare
from arena.worker.bot_listener import DirectListener
from arena.worker.starter import BotStarter
from arena.worker.warm_bot import WarmBot
from arena.worker.warm_bots import WarmBots
from benchmarks.baseline import ROOT
from engine import registry
from engine.chance import Chance
from engine.core import Outcome, State
from engine.games.foreign_king import GAME

PROGRAMS = ROOT / "benchmarks" / "instant"
STREAMS = (1, 8)
GOALS = {1: 4.0, 8: 4.0}
"""How many times the bare round trips the referee must make over sockets, by streams."""
ANSWER_BYTES = 24
KINDS = BARE, SOCKET, GRPC = "bare", "socket", "grpc"
SIZE = "size"
SOLO_NAME = "solo"
_SEATS_INSIDE = 3


class SoloState(State):
    """The Foreign King as a game of one seat that decides for everybody, so that one stream is always busy."""

    __slots__ = ("inner",)

    def __init__(self, inner: State) -> None:
        self.inner = inner

    def seat(self) -> int | None:
        return None if self.inner.seat() is None else 0

    def legal_actions(self) -> Sequence[int]:
        return self.inner.legal_actions()

    def is_legal(self, action: int) -> bool:
        return self.inner.is_legal(action)

    def apply_unchecked(self, action: int) -> None:
        self.inner.apply_unchecked(action)

    def clone(self, chance: Chance | None = None) -> Self:
        return type(self)(self.inner.clone(chance))

    def outcome(self) -> Outcome | None:
        outcome = self.inner.outcome()
        return Outcome((1,), outcome.details) if outcome else None

    def caretaker_action(self) -> int:
        return self.inner.caretaker_action()

    def to_json(self) -> dict[str, Any]:
        return self.inner.to_json()

    def observation_json(self, seat: int) -> dict[str, Any]:
        return self.inner.observation_json(seat)


class SoloGame(type(GAME)):  # type: ignore[misc] # the class of the game, whatever it is called
    """The rules of The Foreign King, for one seat."""

    name = SOLO_NAME
    seats = range(1, 2)

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> SoloState:
        self.check_seats(seats)
        return SoloState(GAME.new_state(_SEATS_INSIDE, options, chance))

    def encode_observation(self, state: State, _seat: int) -> tuple[str, bytes]:
        assert isinstance(state, SoloState)
        return GAME.encode_observation(state.inner, state.inner.seat() or 0)


SOLO = SoloGame(type(GAME).__module__)


@contextmanager
def installed_solo_game() -> Iterator[None]:
    """`registry.get("solo")` is this game as long as this is open."""
    get = registry.get
    with (
        mock.patch.object(registry, "get", lambda name: SOLO if name == SOLO_NAME else get(name)),
        # Bots are told of it when they join.
        mock.patch.object(registry, "single_names", return_value=(*registry.single_names(), SOLO_NAME)),
    ):
        yield


@dataclass
class Count:
    """What a run counted."""

    round_trips: int = 0
    bytes_sent: int = 0
    sends: int = 0


def _spec(index: int, game: str) -> MatchSpec:
    version = registry.get(game).rules_version
    seat = SeatSpec(f"{index:064x}", "instant", str(PROGRAMS), (sys.executable, str(PROGRAMS / "main.py")), index)
    return MatchSpec("m" * 36, 1, game, version, {}, TimeControl(60_000_000), 1, index, (), (seat,))


async def _measure(bots: Sequence[WarmBot], seconds: float) -> Count:
    count = Count()
    end = time.perf_counter() + seconds

    async def play_until_end(index: int, bot: WarmBot) -> None:
        meter = TreeMeter(bot.process.pid)
        while time.perf_counter() < end:
            match = Match(_spec(index, SOLO_NAME))
            lag_meter = OwnWaitMeter()
            await play_match(match, [SeatedBot(bot.stream, meter)], lag_meter=lag_meter)
            lag_meter.close()
            count.round_trips += sum(entry.by is DecidedBy.BOT for entry in match.entries)
        meter.close()

    await asyncio.gather(*starmap(play_until_end, enumerate(bots)))
    return count


async def _open_for_grpc(directory: Path, framing: LineFraming | None) -> DirectListener:
    """Return a listener that offers no socket pair."""
    listener = await DirectListener.open(directory, framing)
    listener.note_started()
    return listener


async def run_referee(kind: str, streams: int, seconds: float) -> float:
    """Return the round trips per second of so many solo matches at once."""
    open_listener = DirectListener.open if kind == SOCKET else _open_for_grpc
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(runtime_directory())
        launcher = await stack.enter_async_context(LauncherClient())
        warm = WarmBots(BotStarter(launcher, partial(open_listener, directory), directory))
        stack.push_async_callback(warm.close)
        bots: list[WarmBot] = []
        for index in range(streams):
            (bot,) = await warm.seat(_spec(index, "foreign_king"))
            assert isinstance(bot, WarmBot)
            bots.append(bot)
        await _measure(bots, 0.2)
        started = time.perf_counter()
        count = await _measure(bots, seconds)
        for bot in bots:
            warm.give_back(bot)
        return count.round_trips / (time.perf_counter() - started)


async def run_bare(streams: int, seconds: float, size: int) -> float:
    """Round trips per second of so many streams that only pass bytes."""
    ready: asyncio.Queue[None] = asyncio.Queue()
    go = asyncio.Event()
    over = asyncio.Event()
    times = [0.0]
    round_trips = 0

    async def echo(_requests: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        nonlocal round_trips
        await context.read()
        ready.put_nowait(None)
        await go.wait()
        message = b"x" * size
        while time.perf_counter() < times[0]:
            await context.write(message)
            await context.read()
            round_trips += 1
        await over.wait()

    with runtime_directory() as directory:
        server = grpc.aio.server()
        handler: Any = grpc.stream_stream_rpc_method_handler(echo)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bare.Echo", {"Echo": handler}),))
        address = f"unix:{directory / SOCKET_NAME}"
        server.add_insecure_port(address)
        async with LauncherClient() as launcher:
            await server.start()
            command = [sys.executable, str(PROGRAMS / "echo.py"), str(ANSWER_BYTES)]
            for _ in range(streams):
                await launcher.start(StartRequest(command, "/", {"ARENA_ADDRESS": address}))
            for _ in range(streams):
                await ready.get()
            times[0] = time.perf_counter() + seconds
            go.set()
            await asyncio.sleep(seconds)
            over.set()
            await server.stop(1)
    return round_trips / seconds


async def find_size() -> int:
    """The mean size of what the referee sends."""
    count = Count()
    send = DescriptorStream.send

    async def counted(stream: DescriptorStream, data: bytes) -> None:
        count.bytes_sent += len(data)
        count.sends += 1
        await send(stream, data)

    with mock.patch.object(DescriptorStream, "send", counted):
        await run_referee(SOCKET, 1, 0.2)
    return count.bytes_sent // count.sends


def _in_a_process(kind: str, streams: int, seconds: float, size: int) -> float:
    command = [sys.executable, "-m", "benchmarks.referee", "--alone", kind, "--streams", str(streams)]
    command += ["--seconds", str(seconds), "--size", str(size)]
    # As a worker does before it imports grpc. The bare streams are grpc.aio as it comes.
    environment = {name: value for name, value in os.environ.items() if name != EXPERIMENTS}
    if kind != BARE and prepare():
        environment = dict(os.environ)
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if the goal is met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.referee", description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--profile", action="store_true", help="profile the referee instead")
    parser.add_argument("--alone", choices=(*KINDS, SIZE), help="measure one of them in this process")
    parser.add_argument("--streams", type=int, default=1, help="with --alone")
    parser.add_argument("--size", type=int, default=0, help="with --alone")
    options = parser.parse_args(arguments)
    is_met = True
    with installed_solo_game():
        if options.profile:
            profiler = cProfile.Profile()
            profiler.enable()
            run(run_referee(SOCKET, 1, options.seconds))
            profiler.disable()
            pstats.Stats(profiler).sort_stats("tottime").print_stats(30)
            return 0
        if options.alone:
            if options.alone == BARE:
                print(asyncio.run(run_bare(options.streams, options.seconds, options.size)))
            elif options.alone == SIZE:
                print(float(run(find_size())))
            else:
                print(run(run_referee(options.alone, options.streams, options.seconds)))
            return 0
        size = round(_in_a_process(SIZE, 1, 0, 0))
        print(f"messages: {size} bytes to the bot, {ANSWER_BYTES} back; medians of {options.repeats} runs")
        for streams in STREAMS:
            speeds: dict[str, list[float]] = {kind: [] for kind in KINDS}
            for _ in range(options.repeats):
                for kind, speed in speeds.items():
                    speed.append(_in_a_process(kind, streams, options.seconds, size))
            bare, by_socket, by_grpc = (statistics.median(speed) for speed in speeds.values())
            is_met = is_met and by_socket / bare >= GOALS[streams]
            print(
                f"{streams} stream{'s' if streams > 1 else ''}: bare {bare:,.0f}/s, socket {by_socket:,.0f}/s = "
                f"{by_socket / bare:.2f} times (goal {GOALS[streams]:g}), gRPC {by_grpc:,.0f}/s = "
                f"{by_grpc / bare:.2f} times"
            )
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
