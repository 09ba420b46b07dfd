"""The kits: what a decision costs a bot's process, against a bare gRPC round trip in the same language.

    python -m benchmarks.kits [--language node] [--rounds 20] [--trips 500]

Two processes of a language talk to one server in the same run, taking turns: one answers bytes with bytes over a bare
stream, the other is a bot of the kit that takes the first legal action. Both are sent the same bytes, a `Decide` of
The Foreign King, as often. What is compared is the processor time of the process, its threads included.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import statistics
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from arena.hosting.procfs.meter import TreeMeter
from arena.hosting.runtime_directory import SOCKET_NAME, runtime_directory
from arena.match.match import Match
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.wire.messages import MatchEncoder, encode_joined
from engine import registry

PROGRAMS = Path(__file__).with_name("instant")
CPP_KIT = PROGRAMS.parents[1] / "bots" / "cpp" / "kit"
COMPILED = str(PROGRAMS / "cpp" / ".build" / "bot")
"""Both programs in C++: the bare one if it is told a number."""
GAME = "foreign_king"
GOAL = 2.0
METHODS = {"bare": "/bare.Echo/Echo", "kit": "/arena.v1.PlayService/Play"}
WARMING = 500
"""Round trips before anything counts: interpreters get faster."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language with a kit: the programs of both kinds. The bare one is told how many bytes to answer."""

    name: str
    bare: tuple[str, ...]
    kit: tuple[str, ...]
    build: tuple[str, ...] = ()
    """Makes the programs; empty if there is nothing to make."""

    @property
    def missing(self) -> str:
        """The program without which nothing of this language runs here; empty if it is there."""
        needed = (self.build or self.bare)[0]
        return "" if shutil.which(needed) else needed


LANGUAGES = (
    Language("python", (sys.executable, str(PROGRAMS / "echo.py")), (sys.executable, str(PROGRAMS / "first.py"))),
    Language("node", ("node", str(PROGRAMS / "echo.mjs")), ("node", str(PROGRAMS / "first.mjs"))),
    Language(
        "cpp",
        (COMPILED,),
        (COMPILED,),
        ("make", "-s", "-C", str(PROGRAMS / "cpp"), "-f", f"{CPP_KIT}/Makefile", f"KIT={CPP_KIT}"),
    ),
)


@dataclass(frozen=True, slots=True)
class Words:
    """What the arena says in a match that stands still: one decision again and again."""

    joined: bytes
    started: bytes
    decide: bytes


def words() -> Words:
    """Return the messages of the first decision of a match of three."""
    game = registry.get(GAME)
    seats = tuple(SeatSpec(f"{index:064x}", "kit", "", (), index) for index in range(3))
    match = Match(MatchSpec("m" * 36, 1, GAME, game.rules_version, {}, TimeControl(60_000_000), 1, 1, (), seats))
    encoder = MatchEncoder(match)
    started = encoder.started(0)
    match.begin()
    assert match.decision is not None, "the first player of a match has a choice"
    return Words(encode_joined([GAME]), started, encoder.decide(match.decision))


class Line:
    """One program at the other end of a stream, which answers when it is asked."""

    def __init__(self, kind: str, words: Words) -> None:
        self._words, self._kind = words, kind
        self._asked: asyncio.Queue[int] = asyncio.Queue()
        self._done: asyncio.Queue[int] = asyncio.Queue()

    async def serve(self, _requests: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Play the arena's side of the stream."""
        first = await context.read()
        assert isinstance(first, bytes)
        if self._kind == "kit":
            await context.write(self._words.joined)
            await context.write(self._words.started)
        self._done.put_nowait(0)
        while trips := await self._asked.get():
            size = 0
            for _ in range(trips):
                await context.write(self._words.decide)
                answer = await context.read()
                assert isinstance(answer, bytes), f"the {self._kind} program ended"
                size = len(answer)
            self._done.put_nowait(size)

    async def is_there(self) -> None:
        """Wait until the program has said its first word."""
        await self._done.get()

    async def ask(self, trips: int) -> int:
        """Make so many round trips, and return the bytes of the last answer."""
        self._asked.put_nowait(trips)
        return await self._done.get()

    def end(self) -> None:
        """End the stream in good order."""
        self._asked.put_nowait(0)


async def _start(stack: AsyncExitStack, command: Sequence[str], address: str) -> TreeMeter:
    environment = {**os.environ, "ARENA_ADDRESS": address, "ARENA_TOKEN": "t"}
    process = await asyncio.create_subprocess_exec(*command, env=environment)
    stack.push_async_callback(process.wait)
    return TreeMeter(process.pid)


async def measure(language: Language, rounds: int, trips: int) -> dict[str, list[float]]:
    """Return the microseconds of processor time a round trip, for each round, of both programs."""
    said = words()
    lines = {kind: Line(kind, said) for kind in METHODS}
    costs: dict[str, list[float]] = {kind: [] for kind in METHODS}
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(runtime_directory())
        address = f"unix:{directory / SOCKET_NAME}"
        server = grpc.aio.server()
        for kind, method in METHODS.items():
            service, name = method.strip("/").split("/")
            handler: Any = grpc.stream_stream_rpc_method_handler(lines[kind].serve)
            server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {name: handler}),))
        server.add_insecure_port(address)
        await server.start()
        stack.push_async_callback(server.stop, 1)
        meters = {"kit": await _start(stack, language.kit, address)}
        await lines["kit"].is_there()
        size = await lines["kit"].ask(WARMING)
        meters["bare"] = await _start(stack, [*language.bare, str(size)], address)
        await lines["bare"].is_there()
        await lines["bare"].ask(WARMING)
        for _ in range(rounds):
            for kind, line in lines.items():
                meters[kind].begin()
                await line.ask(trips)
                figures = meters[kind].look()
                assert figures is not None, "the times of a process of ours can be read"
                costs[kind].append(figures[0] / trips)
        for line in lines.values():
            line.end()
    return costs


async def _build(language: Language) -> None:
    if language.build:
        process = await asyncio.create_subprocess_exec(*language.build)
        if await process.wait() != 0:
            raise SystemExit(f"{language.name}: {' '.join(language.build)} failed")


async def run(language: Language, rounds: int, trips: int) -> bool:
    """Measure one language and print its line. Return whether the goal is met; a language that is missing meets it."""
    if language.missing:
        print(f"{language.name:8}  skipped: there is no {language.missing} here")
        return True
    await _build(language)
    costs = await measure(language, rounds, trips)
    bare, kit = (statistics.median(costs[kind]) for kind in METHODS)
    ratio = statistics.median(mine / other for mine, other in zip(costs["kit"], costs["bare"], strict=True))
    print(f"{language.name:8}  {bare:7.0f}  {kit:7.0f}  {ratio:5.2f} (goal {GOAL:.1f})", flush=True)
    return ratio <= GOAL


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if every language that is here meets the goal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kits", description=__doc__)
    parser.add_argument("--language", choices=[language.name for language in LANGUAGES], help="by default all")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--trips", type=int, default=500)
    options = parser.parse_args(arguments)
    print("processor time of a round trip, µs\nlanguage     bare      kit  kit / bare (medians)")
    chosen = [language for language in LANGUAGES if options.language in (None, language.name)]
    results = [asyncio.run(run(language, options.rounds, options.trips)) for language in chosen]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
