"""Remote bots of one owner in a process of their own, as their authors' machines are: they come back by themselves.

    python -m benchmarks.remote_crowd ADDRESS CERTIFICATE HABITS < TOKEN

It is started by the benchmarks of remote bots, not by people. Each bot has a connection of its own, over TCP with TLS.
They play the first legal action after a while, and tell on standard output, a line each, what becomes of them.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

import grpc

from arena.tournament.formats.roundrobin import RoundRobin
from arena.v1 import play_pb2
from arena.v1.play_pb2_grpc import PlayServiceStub
from arena.wire.status import STATUS_DETAILS_KEY, decode_status
from ratings.ledger.service import ServiceLedger
from ratings.store.database import open_database
from ratings.values.states import Scope
from tests.support.places import Place
from tests.support.serving import plan

OWNER = "ada"
PATIENCE_S = 180.0
COME_BACK_S = 1.0
_OPTIONS = (
    ("grpc.use_local_subchannel_pool", 1),  # otherwise all channels of a process share one connection
    ("grpc.enable_http_proxy", 0),
    ("grpc.ssl_target_name_override", "localhost"),
)
Stream = grpc.aio.StreamStreamCall[play_pb2.PlayRequest, play_pb2.PlayResponse]


@dataclass(frozen=True, slots=True)
class Habits:
    """How many bots there are, and how each plays."""

    bots: int
    think_s: float = 0.1
    most_plies: int = 60
    """Then a bot gives up: who always takes the first action plays for long."""
    room: int = 1
    """How many matches each plays at once."""


def bot_name(index: int) -> str:
    """What the bot is called, without its owner."""
    return f"bot{index:03}"


def make_token(place: Place) -> str:
    """Make the owner of all bots, and the token that they join with."""
    with closing(open_database(place.db)) as database:
        ledger = ServiceLedger(database)
        ledger.add_owner(OWNER)
        return ledger.new_token(OWNER, name="crowd", scope=Scope.PLAYER).secret


def plan_pairs(place: Place, bots: int, blocks: int) -> None:
    """Plan a tournament for each pair of the first bots, always the same two, so that all of them play all the time."""
    for index in range(0, bots, 2):
        pair = [f"{OWNER}/{bot_name(one)}" for one in (index, index + 1)]
        plan(place, bots=pair, name=f"pair{index // 2}", form=RoundRobin(2, blocks))


# Seen from the benchmark.


class Crowd:
    """The process, which may be killed and started again, and what its bots have told; a context manager."""

    def __init__(self, address: str, certificate: Path, token: str, habits: Habits) -> None:
        self._words = (address, str(certificate), json.dumps(asdict(habits)))
        self._token = token
        self._matches: dict[str, set[str]] = defaultdict(set)
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None
        self.here: set[str] = set()
        """The bots that are connected."""
        self.told: Counter[str] = Counter()
        """How often they told what: `joined`, `began`, `resumed`, `ended`, `broken-off`, `gone` with the reason."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """The id of the process that runs."""
        assert self._process is not None
        return self._process.pid

    @property
    def playing(self) -> dict[str, set[str]]:
        """The matches that each bot which is in one plays now."""
        return {bot: set(matches) for bot, matches in list(self._matches.items()) if matches}

    def start(self) -> None:
        """Have the bots connect, and stay until the process is killed."""
        command = [sys.executable, "-m", "benchmarks.remote_crowd", *self._words]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin is not None
        self._process.stdin.write(self._token + "\n")
        self._process.stdin.close()
        self._reader = threading.Thread(target=self._listen, args=(self._process,), daemon=True)
        self._reader.start()

    def kill(self) -> None:
        """`kill -9`: all bots are gone, in the middle of whatever they did."""
        if self._process is None or self._reader is None:
            return
        self._process.kill()
        self._reader.join()
        self._process.wait()
        self.forget()

    def forget(self) -> None:
        """Take all bots for gone until they tell otherwise: what they were connected to was killed."""
        self.here.clear()
        self._matches.clear()

    def wait_until(self, condition: Callable[[], bool], what: str) -> None:
        """Return when it is so; if that takes too long the benchmark ends."""
        until = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > until:
                raise SystemExit(f"{what}: not within {PATIENCE_S:g} s; the bots told {dict(self.told)}")
            time.sleep(0.02)

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._note(*line.split())
        process.stdout.close()

    def _note(self, bot: str, what: str, which: str = "") -> None:
        self.told[f"gone {which}" if what == "gone" else what] += 1
        if what == "joined":
            self.here.add(bot)
        elif what == "gone":
            self.here.discard(bot)
            self._matches.pop(bot, None)
        elif what in ("began", "resumed"):
            self._matches[bot].add(which)
        else:
            self._matches[bot].discard(which)


# The bots, in a process of their own.


class _Bot:
    """One bot, which connects again whenever its stream ends."""

    def __init__(self, name: str, habits: Habits) -> None:
        self._name = name
        self._habits = habits
        self._answers: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()

    async def stay(self, address: str, credentials: grpc.ChannelCredentials, token: str) -> None:
        while True:
            async with grpc.aio.secure_channel(address, credentials, options=_OPTIONS) as channel:
                stub = PlayServiceStub(channel)  # type: ignore[no-untyped-call]
                stream = stub.Play(metadata=(("authorization", f"Bearer {token}"),))
                with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    await self._play(stream)
                self._report("gone", await _reason(stream))
            await asyncio.sleep(COME_BACK_S)

    async def _play(self, stream: Stream) -> None:
        join = play_pb2.Join(
            name=self._name,
            protocol_major=1,
            games=["foreign_king"],
            version="1",
            max_concurrent_matches=self._habits.room,
        )
        await stream.write(play_pb2.PlayRequest(join=join))
        while isinstance(response := await stream.read(), play_pb2.PlayResponse):
            self._receive(stream, response)

    def _receive(self, stream: Stream, response: play_pb2.PlayResponse) -> None:
        match response.WhichOneof("event"):
            case "joined":
                self._report("joined")
            case "match_started":
                started = response.match_started
                self._report("resumed" if started.resumed else "began", started.match_id)
            case "decide":
                answer = asyncio.create_task(self._answer(stream, response.decide, time.perf_counter()))
                self._answers.add(answer)  # it reads on: another match may ask meanwhile
                answer.add_done_callback(self._answers.discard)
            case "match_finished":
                finished = response.match_finished
                self._report("ended" if finished.HasField("result") else "broken-off", finished.match_id)

    async def _answer(self, stream: Stream, decide: play_pb2.Decide, at: float) -> None:
        """Answer, with how long the bot had the question as the note."""
        request = play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=decide.match_id))
        if decide.ply < self._habits.most_plies:
            await asyncio.sleep(self._habits.think_s)
            own_us = round((time.perf_counter() - at) * 1_000_000)
            act = play_pb2.Act(match_id=decide.match_id, ply=decide.ply, actions=decide.legal_actions[:1])
            act.note = str(own_us)
            request = play_pb2.PlayRequest(act=act)
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            async with self._turn:  # gRPC breaks a stream off on which two messages are written at once
                await stream.write(request)

    def _report(self, *words: str) -> None:
        print(self._name, *words, flush=True)


async def _reason(stream: Stream) -> str:
    """Return in one word why a stream has ended."""
    code = await stream.code()
    data = dict((await stream.trailing_metadata()) or ()).get(STATUS_DETAILS_KEY)
    return decode_status(data).reason if isinstance(data, bytes) else code.name


async def _stay(address: str, certificate: Path, habits: Habits, token: str) -> None:
    credentials = grpc.ssl_channel_credentials(certificate.read_bytes())
    bots = (_Bot(bot_name(index), habits) for index in range(habits.bots))
    await asyncio.gather(*(bot.stay(address, credentials, token) for bot in bots))


def main(arguments: Sequence[str]) -> int:
    """Play until the process is killed."""
    address, certificate, habits = arguments
    asyncio.run(_stay(address, Path(certificate), Habits(**json.loads(habits)), sys.stdin.readline().strip()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
