"""The process of remote bots as the coordinator has it, with a gate that lets everybody in who shows a good token."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.executor.remote_bots_process import RemoteOptions, RemoteProcess
from arena.match.spec import SeatSpec
from arena.match.time_control import TimeControl
from arena.match.worker_report import MatchReport
from arena.service.server.self_signed import make_certificate
from arena.v1 import play_pb2
from tests.support.patience import PATIENCE_S, PATIENT, until
from tests.support.remote_bots import RemoteBot
from tests.support.specs import king_spec


def version_of(name: str, version: str = "1", owner: str = "ada") -> str:
    return hashlib.sha256(f"remote\0{owner}/{name}\0{version}".encode()).hexdigest()


def remote_seat(name: str, version: str = "1", owner: str = "ada") -> SeatSpec:
    return SeatSpec(version_of(name, version, owner), f"{owner}/{name}", "", (), 1, is_remote=True)


class AdmitAll:
    """A token is the name of an owner; "mallory" may not come in."""

    def __init__(self) -> None:
        self.present: dict[str, int] = {}
        self.process: RemoteProcess

    def ask(self, question: int, application: Mapping[str, Any]) -> None:
        owner = application["token"] or "people"
        if owner == "mallory":
            refusal = {"code": "UNAUTHENTICATED", "reason": "TOKEN_UNKNOWN", "message": "this token is not known here"}
            self.process.refuse(question, refusal)
            return
        version = version_of(application["name"], application["version"], owner)
        bot = f"{owner}/{application['name']}"
        guest = {"bot": bot, "version": version, "games": application["games"], "digest": owner}
        self.process.admit(question, guest)

    def note_presence(self, version: str, _digest: str, room: int | None) -> None:
        if room:
            self.present[version] = room
        else:
            self.present.pop(version, None)

    def note_all_gone(self) -> None:
        self.present.clear()


class RunningProcess:
    """The running process, its gate, and how a bot gets there."""

    def __init__(self, process: RemoteProcess, gate: AdmitAll, certificate: Path, socket: str) -> None:
        self.process = process
        self.gate = gate
        self.certificate = certificate
        self.socket = socket

    def bot(self, name: str, **said: Any) -> RemoteBot:
        return RemoteBot(self.process.port, self.certificate, name, **said)

    def order(
        self, match_id: str, seats: Sequence[SeatSpec], clock: TimeControl = PATIENT, **changes: Any
    ) -> asyncio.Task[MatchReport]:
        spec = replace(king_spec(match_id, seats, **changes), clock=clock)
        return asyncio.create_task(self.process.run_match(spec))

    @asynccontextmanager
    async def match_beside(self, match_id: str) -> AsyncIterator[None]:
        """Have two others play as long as the block is open, and see that their match ends by the rules."""
        free = asyncio.Event()

        async def hold(bot: RemoteBot, decide: play_pb2.Decide) -> None:
            await free.wait()
            await bot.act(decide)

        async with self.bot("beside", on_decide=hold) as bot, self.bot("opposite"):
            match = self.order(match_id, [remote_seat("beside"), remote_seat("opposite")])
            await until(lambda: bool(bot.of("decide")))
            yield
            free.set()
            result = (await match).result
            assert result.by_rules
            assert result.faults == ()

    async def until_here(self, name: str, version: str = "1") -> None:
        await until(lambda: version_of(name, version) in self.gate.present)

    async def until_gone(self, name: str, version: str = "1") -> None:
        await until(lambda: version_of(name, version) not in self.gate.present)


@asynccontextmanager
async def running_process(directory: Path, patience_s: float = PATIENCE_S) -> AsyncIterator[RunningProcess]:
    """Start the process, and end it with the block."""
    tls = make_certificate(directory, ["localhost"])
    socket = str(directory / "seats.sock")
    options = RemoteOptions("127.0.0.1:0", str(tls.certificate), str(tls.key), patience_s, 1, 500, socket)
    gate, ready = AdmitAll(), asyncio.Event()
    gate.process = process = RemoteProcess(options, gate, ready.set)
    running = asyncio.create_task(process.run())
    try:
        async with asyncio.timeout(PATIENCE_S):
            await ready.wait()
        yield RunningProcess(process, gate, tls.certificate, socket)
    finally:
        process.stop()
        await running
