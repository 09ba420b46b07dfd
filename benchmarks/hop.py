"""What it would cost to end each bot's HTTP/2 in a small process of its own, inside that bot's limits.

    python -m benchmarks.hop [--seconds 2] [--repeats 5]

Bare bidirectional streams of one bot process each, with messages of the sizes of the referee's: once straight into the
arena's process by grpc.aio, once into a process between (grpc.aio, too) that passes whole messages on over a plain
socket. Both kinds in turn in the same run: round trips a second, processor time of a round trip by process, and what a
process between holds in memory.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc

from arena.hosting.launcher.client import LauncherClient
from arena.hosting.launcher.request import StartRequest
from arena.hosting.proc.meter import TreeMeter
from arena.hosting.runtime_directory import new_socket_path, runtime_directory
from benchmarks.instant import solo
from benchmarks.instant.relay import read_message, write_message
from benchmarks.processes import memory_kb
from benchmarks.referee import ANSWER_BYTES, PROGRAMS, STREAMS, find_size

Turn = Callable[[], Awaitable[None]]


@dataclass
class Round:
    """What one measurement found."""

    round_trips: float = 0.0
    """A second."""
    arena_us: float = 0.0
    """Processor time of a round trip in the arena's process; the next two in those of bots and between."""
    bots_us: float = 0.0
    between_us: float = 0.0
    between_kb: int = 0
    """Memory of one process between."""


@dataclass
class _Table:
    """Where streams arrive, and what measures them."""

    streams: int
    message: bytes
    seconds: float
    arrived: asyncio.Queue[None] = field(default_factory=asyncio.Queue)
    go: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    until: float = 0.0
    count: int = 0

    async def serve(self, turn: Turn) -> None:
        """Play turns from the common start to the common end."""
        self.arrived.put_nowait(None)
        await self.go.wait()
        while time.perf_counter() < self.until:
            await turn()
            self.count += 1
        await self.over.wait()

    async def measure(self, bots: Sequence[int], between: Sequence[int]) -> Round:
        """Wait for all streams, let them run, and say what it cost."""
        for _ in range(self.streams):
            await self.arrived.get()
        meters = [[TreeMeter(pid) for pid in pids] for pids in (bots, between)]
        began_ns = time.process_time_ns()
        self.until = time.perf_counter() + self.seconds
        self.go.set()
        await asyncio.sleep(self.seconds)
        own_us = (time.process_time_ns() - began_ns) / 1000
        bots_us, between_us = (sum(meter.total_us() for meter in some) for some in meters)
        held_kb = max(map(memory_kb, between), default=0)
        for meter in (one for some in meters for one in some):
            meter.close()
        self.over.set()
        share = 1 / max(self.count, 1)
        return Round(self.count / self.seconds, own_us * share, bots_us * share, between_us * share, held_kb)


def _server(handle: Any) -> grpc.aio.Server:
    server = grpc.aio.server()
    handler: Any = grpc.stream_stream_rpc_method_handler(handle)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bare.Echo", {"Echo": handler}),))
    return server


async def run_straight(table: _Table) -> Round:
    """Bots that are connected to the arena's process."""

    async def handle(_requests: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        async def turn() -> None:
            await context.write(table.message)
            await context.read()

        await context.read()
        await table.serve(turn)

    with runtime_directory() as directory:
        server = _server(handle)
        address = f"unix:{new_socket_path(directory)}"
        server.add_insecure_port(address)
        async with LauncherClient() as launcher:
            await server.start()
            bots = [await _start_bot(launcher, address) for _ in range(table.streams)]
            found = await table.measure(bots, ())
            await server.stop(1)
    return found


async def run_through(table: _Table) -> Round:
    """Bots that are connected to a process each, which is connected to the arena's."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def turn() -> None:
            write_message(writer, table.message)
            await read_message(reader)

        await read_message(reader)
        with suppress(asyncio.IncompleteReadError, ConnectionError):  # a bot's process ends before its answer
            await table.serve(turn)
        writer.close()

    async with AsyncExitStack() as stack:
        directory = stack.enter_context(runtime_directory())
        onward = str(new_socket_path(directory))
        server = await asyncio.start_unix_server(handle, onward)
        launcher = await stack.enter_async_context(LauncherClient())
        between, bots = [], []
        for _ in range(table.streams):
            place = new_socket_path(directory)
            command = [sys.executable, str(PROGRAMS / "relay.py"), onward]
            relay = await launcher.start(StartRequest(command, "/", {"ARENA_ADDRESS": f"unix:{place}"}))
            between.append(relay.pid)
            await _await_socket(place)
            bots.append(await _start_bot(launcher, f"unix:{place}"))
        found = await table.measure(bots, between)
        server.close()
    return found


async def _start_bot(launcher: LauncherClient, address: str) -> int:
    command = [sys.executable, str(PROGRAMS / "echo.py"), str(ANSWER_BYTES)]
    return (await launcher.start(StartRequest(command, "/", {"ARENA_ADDRESS": address}))).pid


async def _await_socket(place: Path) -> None:
    while not place.exists():
        await asyncio.sleep(0.01)


KINDS = {"straight": run_straight, "through a process between": run_through}


async def _run(kind: Callable[[_Table], Awaitable[Round]], streams: int, seconds: float, size: int) -> Round:
    return await kind(_Table(streams, b"x" * size, seconds))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; there is no goal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hop", description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args(arguments)
    with solo.installed():
        size = asyncio.run(find_size())
    print(f"messages: {size} bytes to the bot, {ANSWER_BYTES} back; medians of {options.repeats} runs in turn")
    for streams in STREAMS:
        rounds: dict[str, list[Round]] = {name: [] for name in KINDS}
        for _ in range(options.repeats):
            for name, kind in KINDS.items():
                rounds[name].append(asyncio.run(_run(kind, streams, options.seconds, size)))
        print(f"{streams} stream{'s' if streams > 1 else ''}")
        for name, some in rounds.items():
            speed, arena, bots, between, held = (
                statistics.median(getattr(one, what) for one in some)
                for what in ("round_trips", "arena_us", "bots_us", "between_us", "between_kb")
            )
            print(
                f"  {name}: {speed:,.0f} round trips/s; {arena:.0f} us in the arena, {bots:.0f} us in bots, "
                f"{between:.0f} us between ({held / 1024:.0f} MiB each)"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
