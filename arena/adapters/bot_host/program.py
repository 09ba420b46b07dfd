"""The process that hosts bots for its caller, and plays matches in which other seats are asked by frames on its pipes.

It is started by `arena.adapters.hosted`, not by people, and ends with its standard input. From who started it come
frames (`arena.hosting.frames`):

    {"do": "invite", "game": NAME, "bots": [{"bot": NAME, "db": ...}], "sandbox": null}    first of all
    {"do": "play", "spec": {...}, "bots": {"1": 0}}      a `MatchSpec`, and which of the bots sits in which seat
    {"do": "answer"}                                     with a `PlayRequest`
    {"do": "leave"}                                      instead of an answer: the match is broken off

To it:

    {"event": "ready"} or {"event": "refused", "why": TEXT}
    {"event": "ask", "seat": 0, "faults": [...]}         with a `Decide`; what bots did wrong so far
    {"event": "tell", "seat": 0}                         with a `PlayResponse` that asks for nothing
    {"event": "over", "result": {...}}                   a `MatchResult`
    {"event": "left"}                                    the match was broken off
    {"event": "lost", "why": TEXT}                       this machine could not play it
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from arena.adapters.bot_host.finding import BotUnavailableError, find_seat
from arena.adapters.bot_host.host import CallerMatchHost, MatchLeftError
from arena.hosting.errors import HostingError
from arena.hosting.frames import encode_frame, read_frame
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.match.match import MatchSpecError
from arena.match.result import Fault, MatchLostError
from arena.match.spec import MatchSpec, SeatSpec
from arena.referee.queue.loop import run
from arena.worker.process import allow_many_descriptors, check_limits, check_room, open_stdin, take_stdout
from arena.worker.process_pool import ProcessPool

_LOOK_EVERY_S = 0.5


class CallerGoneError(Exception):
    """Whoever started this process has closed the pipe."""


class BotHost:
    """Reads what it is told to do, and plays."""

    def __init__(self, reader: asyncio.StreamReader, output: int) -> None:
        self._reader = reader
        self._output = output
        self._bots: list[SeatSpec] = []

    async def serve(self) -> None:
        """Serve until the pipe is closed."""
        try:
            if await self._invite(await self._read()):
                async with ProcessPool() as pool:
                    self._send({"event": "ready"})
                    while True:
                        await self._play(CallerMatchHost(pool), await self._read())
        except CallerGoneError:
            return

    async def _invite(self, head: Mapping[str, Any]) -> bool:
        """Find the bots that are named; say why not, and return False, if one cannot sit down."""
        try:
            await check_room(self._reader, is_patient=False)
            policy = SandboxPolicy(head["sandbox"])
            self._bots = [await find_seat(wanted, head["game"], policy) for wanted in head["bots"]]
        except (BotUnavailableError, HostingError, ValueError) as error:
            self._send({"event": "refused", "why": str(error)})
            return False
        return True

    async def _play(self, host: CallerMatchHost, head: Mapping[str, Any]) -> None:
        if head["do"] != "play":
            return  # an answer or a farewell that crossed with the end of its match
        spec = self._seat_bots(MatchSpec.from_json(head["spec"]), head["bots"])
        try:
            result = await host.play(spec, self._ask, self._pass_on)
        except MatchLeftError:
            self._send({"event": "left"})
        except (MatchLostError, MatchSpecError) as error:
            self._send({"event": "lost", "why": str(error)})
        except HostingError as error:
            self._send({"event": "lost", "why": f"this machine cannot host bots now: {error}"})
            raise CallerGoneError from error
        else:
            self._send({"event": "over", "result": result.to_json()})

    def _seat_bots(self, spec: MatchSpec, places: Mapping[str, int]) -> MatchSpec:
        seats = [
            replace(self._bots[places[str(number)]], seed=seat.seed) if str(number) in places else seat
            for number, seat in enumerate(spec.seats)
        ]
        return replace(spec, seats=tuple(seats))

    async def _ask(self, seat: int, message: bytes, faults: Sequence[Fault]) -> bytes:
        self._send({"event": "ask", "seat": seat, "faults": [asdict(fault) for fault in faults]}, message)
        frame = await read_frame(self._reader)
        if frame is None:
            raise CallerGoneError
        head, blob = frame
        if head["do"] == "leave":
            raise MatchLeftError
        return blob

    def _pass_on(self, seat: int, message: bytes) -> None:
        self._send({"event": "tell", "seat": seat}, message)

    async def _read(self) -> Mapping[str, Any]:
        frame = await read_frame(self._reader)
        if frame is None:
            raise CallerGoneError
        return frame[0]

    def _send(self, head: Mapping[str, Any], blob: bytes = b"") -> None:
        """Write all of a message, blocking: the other side always reads."""
        view = memoryview(encode_frame(head, blob))
        try:
            while view:
                view = view[os.write(self._output, view) :]
        except BrokenPipeError:
            raise CallerGoneError from None


async def _serve(output: int) -> None:
    reader = await open_stdin()
    tasks = {asyncio.create_task(BotHost(reader, output).serve()), asyncio.create_task(_wait_for_end(reader))}
    done, running = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    for task in done:
        task.result()


async def _wait_for_end(reader: asyncio.StreamReader) -> None:
    """Return when the pipe is closed, also while a bot thinks and nobody reads."""
    while not reader.at_eof():
        await asyncio.sleep(_LOOK_EVERY_S)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve, and return 0 when the pipe was closed."""
    del arguments
    allow_many_descriptors()
    check_limits()
    run(_serve(take_stdout()))
    return 0
