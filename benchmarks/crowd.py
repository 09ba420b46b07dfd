"""Many clients of a service at once, each on a connection of its own with TLS: the load of `benchmarks.watchers`.

    python -m benchmarks.crowd ADDRESS CERTIFICATE TOURNAMENT < TOKEN

Of every ten clients four watch matches, two what a bot writes, three how a tournament gets on, and one an admission;
what has ended is followed by the next. It writes how many have been answered when all have, stays until its standard
input ends, and then writes as JSON what they were sent and how many calls failed.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message_factory import GetMessageClass

from arena.rpc.calls import all_rpcs
from ratings.values.states import MatchState

CLIENTS = 200
ROLES = ("match", "match", "match", "match", "logs", "logs", "tournament", "tournament", "operation", "admission")
TALKER = "steady"
"""The bot that writes something."""
LOOK_EVERY_S = 1.0
PAUSE_S = 2.0
PATIENCE_S = 120.0
_OPTIONS = (
    ("grpc.use_local_subchannel_pool", 1),  # otherwise all channels of a process share one connection
    ("grpc.enable_http_proxy", 0),
    ("grpc.ssl_target_name_override", "localhost"),
)
_RPCS = {rpc.method: rpc for rpc in all_rpcs().values()}


class Crowd:
    """All clients, and what they have seen."""

    def __init__(self, address: str, certificate: bytes, token: str, tournament: str) -> None:
        self._address = address
        self._credentials = grpc.ssl_channel_credentials(certificate)
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._tournament = tournament
        self._playing: list[tuple[str, int]] = []
        """The matches, and the seat of TALKER in each."""
        self.answered: set[int] = set()
        self.messages: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()

    def _connect(self) -> grpc.aio.Channel:
        return grpc.aio.secure_channel(self._address, self._credentials, options=_OPTIONS)

    def _call(self, channel: grpc.aio.Channel, method: str, **arguments: Any) -> Any:
        rpc = _RPCS[method]
        open_call = channel.unary_stream if rpc.is_stream else channel.unary_unary
        read = GetMessageClass(rpc.response).FromString
        call: Any = open_call(rpc.path, lambda message: message.SerializeToString(), read)
        return call(rpc.encode_request({**rpc.defaults, **arguments}), metadata=self._metadata)

    async def look(self) -> None:
        """Ask again and again which matches are played."""
        async with self._connect() as channel:
            while True:
                with suppress(grpc.aio.AioRpcError):
                    found = await self._call(channel, "list_matches", state=MatchState.LEASED, limit=20)
                    bots = {match.id: [seat.bot for seat in match.seats] for match in found.items}
                    self._playing = [(match, seats.index(TALKER)) for match, seats in bots.items() if TALKER in seats]
                await asyncio.sleep(LOOK_EVERY_S)

    async def attend(self, number: int) -> None:
        """Be one client: watch, and when that is over, something like it."""
        role = ROLES[number % len(ROLES)]
        async with self._connect() as channel:
            while True:
                try:
                    async for _ in self._begin(role, channel):
                        self.messages[role] += 1
                        self.answered.add(number)
                except grpc.aio.AioRpcError as error:
                    self.failures[f"{role}: {error.code().name}"] += 1
                await asyncio.sleep(PAUSE_S if role == "admission" else random.random() * 0.2)

    async def _begin(self, role: str, channel: grpc.aio.Channel) -> AsyncIterator[Any]:
        if role == "tournament":
            call = self._call(channel, "watch_tournament", tournament=self._tournament)
        elif role == "operation":
            call = self._call(channel, "watch_operation", operation=f"tournaments/{self._tournament}")
        elif role == "admission":
            call = self._call(channel, "watch_admission", admission="ada/newcomer")
        else:
            while not self._playing:
                await asyncio.sleep(LOOK_EVERY_S / 4)
            match, seat = random.choice(self._playing)
            if role == "logs":
                call = self._call(channel, "watch_logs", match=match, seat=seat)
            else:
                call = self._call(channel, "watch_match", match=match)
        async for message in call:
            yield message


async def main(address: str, certificate: str, tournament: str) -> None:
    """Stay until standard input ends."""
    crowd = Crowd(address, Path(certificate).read_bytes(), sys.stdin.readline().strip(), tournament)
    tasks = [asyncio.create_task(crowd.look())]
    tasks += [asyncio.create_task(crowd.attend(number)) for number in range(CLIENTS)]
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_S):
            while len(crowd.answered) < CLIENTS:
                await asyncio.sleep(0.1)
    print(len(crowd.answered), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    print(json.dumps({"messages": crowd.messages, "failures": crowd.failures}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
