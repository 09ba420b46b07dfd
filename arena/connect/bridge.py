"""Holds the connection of a bot to a service, and its matches.

    connecting -> joined -> (lost -> waiting -> connecting) ... -> left

Matches go on while the connection is lost: the service tells them again when it is back. Who wants no new match says
so, and it is the service that ends the stream then, for it alone knows that none has begun in that moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import grpc

from arena.connect.backoff import ReconnectBackoff
from arena.connect.bridged_match import BridgedMatch
from arena.connect.bridged_matches import BridgedMatches
from arena.connect.errors import BotFailsError, LeftError
from arena.connect.local import LocalBotProcesses
from arena.connect.news import Connected, Disconnected, Draining, Note, OnNews, Waiting
from arena.connect.refusals import RetryDecision, StreamEnd, end_of
from arena.connect.service import PlayRoute, check_joined, differing_rules
from arena.connect.stream import ServiceStream, open_stream
from arena.hosting.manifest import BotManifest
from arena.model.errors import ClientError
from arena.rpc.errors import ProtocolError, UnreachableError
from arena.v1 import play_pb2
from arena.wire.messages import PROTOCOL_MAJOR, PROTOCOL_MINOR
from engine.text import Text

MOST_CRASHES = 3
"""After so many matches in a row that were given up because the bot crashed, it plays no more."""
RESUME_PATIENCE_S = 5.0
"""How long after it let the bot in again a service may take to tell of the matches that still run."""
SETTLE_PATIENCE_S = 5.0
"""How long matches may take to end here after the service has ended the stream because none runs any more."""
IDLE_S = 15.0
"""After so long without a first match the author is told that his bot waits, and how to get matches."""
NO_NEW_MATCH = -1
"""The room of a bot that joins only for what still runs."""
_MOST_CURES = 5
"""How often something is tried again that looks final and may be the service being restarted."""


@dataclass(frozen=True, slots=True)
class JoinOptions:
    """What the bot joins with."""

    manifest: BotManifest
    name: str
    version: str
    games: tuple[str, ...]
    matches: int
    """How many matches at once."""
    stop_after: int | None = None
    """After how many matches it leaves; None for never."""
    installed_rules: Mapping[str, str] = field(default_factory=dict)
    """The rules_version, by game, of the engine that the bot can import here."""


class Bridge:
    """The connection of one bot. `run` is called once; `drain` and `leave` may come at any time."""

    def __init__(
        self,
        route: PlayRoute,
        options: JoinOptions,
        bots: LocalBotProcesses,
        tell: OnNews,
        backoff: ReconnectBackoff | None = None,
    ) -> None:
        self._route = route
        self._options = options
        self._bots = bots
        self._tell = tell
        self._backoff = backoff or ReconnectBackoff()
        self._matches = BridgedMatches(bots, self._send, tell, self, options.matches)
        self._stream: ServiceStream | None = None
        self._changed = asyncio.Event()
        self._room: int | None = None
        """What the service was told on this stream of how many matches it may give; None before the Join."""
        self._was_joined = self._told_waiting = self._is_draining = self._is_leaving = False
        self._seen = self._crashes_in_a_row = 0
        self._cures_left = _MOST_CURES
        self._failure: Exception | None = None
        self._told_problem: type[ClientError] | None = None

    @property
    def running(self) -> int:
        """How many matches run."""
        return len(self._matches)

    def drain(self) -> None:
        """Want no new match, and end when those that run are over, which the service says."""
        if not self._is_draining:
            self._is_draining = True
            self._tell(Draining(self.running))
            self._changed.set()

    def leave(self) -> None:
        """End at once; matches that run are left, and lost when the bot's time is up."""
        self._is_leaving = True
        self._changed.set()

    async def run(self) -> None:
        """Play until the bridge is drained or left.

        Raises ClientError if the service refuses the bot, BotFailsError if it crashes in match after match, LeftError
        if matches were left, HostingError if this machine fails.
        """
        try:
            while not self._is_over():
                problem = await self._converse_once()
                if problem is not None:
                    await self._wait_out(problem)
        finally:
            running = self.running
            await self._matches.close()
        if self._failure is not None:
            raise self._failure
        if running:
            left = "a match" if running == 1 else f"{running} matches"
            raise LeftError(
                Text(
                    "connect.left_same_command_goes_long",
                    "left {what}; the same command goes on there as long as the bot's clock lasts",
                    what=left,
                )
            )

    def _is_over(self) -> bool:
        return self._is_leaving or (self._is_draining and not self.running)

    # The connection.

    async def _converse_once(self) -> StreamEnd | None:
        """Hold one stream until it ends; return why, or None if this side wanted its end."""
        async with open_stream(self._route.endpoint, self._route.token) as stream:
            self._room = None
            reader = asyncio.create_task(self._read(stream))
            try:
                await self._watch(stream, reader)
                if not reader.done():
                    return None
                await reader
                if self._room == NO_NEW_MATCH and await stream.has_ended_in_order():
                    await self._settle()
            except grpc.aio.AioRpcError as error:
                return None if self._is_over() else await asyncio.to_thread(end_of, error, self._route.endpoint)
            finally:
                self._stream = None
                await _stop(reader)
        return (
            None
            if self._is_over()
            else StreamEnd(
                RetryDecision.AGAIN,
                UnreachableError(Text("connect.service_ended_stream", "the service ended the stream")),
            )
        )

    async def _watch(self, stream: ServiceStream, reader: asyncio.Task[None]) -> None:
        """Wait until the stream has ended, or this side is to end it; tell the service when no new match is wanted.

        After that it may still begin one that was under way, so that no match running here is no reason to go.
        """
        leaving: asyncio.Task[None] | None = None
        while not (reader.done() or self._is_leaving):
            if self._is_draining and self._room is not None and self._room != NO_NEW_MATCH:
                self._room = NO_NEW_MATCH
                leaving = asyncio.create_task(stream.leave())  # beside, for a line that is dead takes nothing
            if self._is_over() and self._room is None:
                break
            await self._wait_for_change(reader)
        if leaving is not None:
            leaving.cancel()

    async def _wait_for_change(self, reader: asyncio.Task[None]) -> None:
        """Wait until the stream has ended or something has changed."""
        self._changed.clear()
        waiting = asyncio.create_task(self._changed.wait())
        await asyncio.wait({reader, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()

    async def _settle(self) -> None:
        """Let the matches end here, too, of which the service has said that they are over, or said nothing."""
        self._matches.drop_missing()
        await self._wait_until_over(SETTLE_PATIENCE_S)

    async def _wait_until_over(self, most_s: float) -> None:
        """Wait until this bridge is to end, or so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(most_s):
                while not self._is_over():
                    self._changed.clear()
                    await self._changed.wait()

    def _room_to_ask_for(self) -> int:
        options = self._options
        if self._is_draining:
            return NO_NEW_MATCH
        if options.stop_after is None:
            return options.matches
        return min(options.matches, self.running + options.stop_after - self._seen)

    async def _read(self, stream: ServiceStream) -> None:
        options = self._options
        await stream.wait_until_taken()
        self._room = self._room_to_ask_for()
        await stream.send(
            play_pb2.PlayRequest(
                join=play_pb2.Join(
                    name=options.name,
                    version=options.version,
                    games=options.games,
                    protocol_major=PROTOCOL_MAJOR,
                    protocol_minor=PROTOCOL_MINOR,
                    max_concurrent_matches=self._room,
                )
            )
        )
        while (response := await stream.read()) is not None:
            await self._receive(stream, response)

    async def _wait_out(self, end: StreamEnd) -> None:
        """Wait until the connection is to be tried again. Raises the error if that would change nothing."""
        is_final = end.turn is RetryDecision.END or (end.turn is RetryDecision.AGAIN and not self._was_joined)
        is_worth_a_try = end.is_vague or (end.may_be_cured and self._was_joined)
        if is_final and not (is_worth_a_try and self._cures_left):
            raise end.error
        self._cures_left -= is_final
        if self._told_problem is not type(end.error):  # once, however often it is tried again
            self._told_problem = type(end.error)
            self._tell(Disconnected(str(end.error), self.running))
        await self._wait_until_over(self._backoff.next_s())

    # What the service says.

    async def _receive(self, stream: ServiceStream, response: play_pb2.PlayResponse) -> None:
        kind = response.WhichOneof("event")
        if kind == "joined":
            await self._joined(stream, response.joined)
        elif kind == "match_started":
            if not response.match_started.HasField("game_info"):
                self._bots.check_game(response.match_started.game)
            self._matches.begin(response.match_started)
        elif kind == "decide":
            self._matches.pass_on(response.decide)
        elif kind == "match_finished":
            self._matches.pass_on(response.match_finished)

    async def _joined(self, stream: ServiceStream, joined: play_pb2.Joined) -> None:
        if stream is self._stream:
            raise ProtocolError(
                Text(
                    "connect.service_let_bot_twice_one",
                    "the service let the bot in twice on one stream; tell its organiser",
                )
            )
        games = check_joined(joined, self._options.manifest, self._route.endpoint.address)
        self._bots.welcome(games)
        self._stream = stream
        self._backoff.reset()
        self._told_problem = None
        self._cures_left = _MOST_CURES
        if not self._was_joined:
            for sentence in differing_rules(joined.games, self._options.installed_rules):
                self._tell(
                    Note(
                        Text(
                            "connect.engine_installed_here_does_bot",
                            "{what}, as the engine installed here does; a bot that uses it will fail",
                            what=sentence,
                        )
                    )
                )
        bot = self._options.name if self._route.owner is None else f"{self._route.owner}/{self._options.name}"
        address, names, room = self._route.endpoint.address, tuple(sorted(games)), max(self._room or 0, 0)
        self._tell(Connected(address, bot, self._options.version, names, room, again=self._was_joined))
        self._was_joined = True
        self._changed.set()
        self._matches.miss_all()
        loop = asyncio.get_running_loop()
        loop.call_later(RESUME_PATIENCE_S, self._drop_missing, stream)
        loop.call_later(IDLE_S, self._report_waiting, stream, Waiting(bot, names))

    async def _send(self, request: play_pb2.PlayRequest) -> None:
        if self._stream is not None:
            await self._stream.send(request)

    def _drop_missing(self, stream: ServiceStream) -> None:
        if stream is self._stream:  # if it is lost meanwhile, the next one tells
            self._matches.drop_missing()

    def _report_waiting(self, stream: ServiceStream, waiting: Waiting) -> None:
        if stream is self._stream and not (self._seen or self._told_waiting or self._is_draining):
            self._told_waiting = True
            self._tell(waiting)

    # What becomes of matches: a bridge is their `BridgeObserver`.

    def note_begin(self) -> None:
        self._seen += 1
        if self._options.stop_after is not None and self._seen >= self._options.stop_after:
            self.drain()

    def note_end(self, match: BridgedMatch) -> None:
        self._crashes_in_a_row = self._crashes_in_a_row + 1 if match.crashed else 0
        if self._crashes_in_a_row >= MOST_CRASHES:
            self.drain()
            self._failure = BotFailsError(
                Text(
                    "connect.crashed_matches_row_plays_no",
                    "{name} crashed in {count} matches in a row, and plays no more; mend it, try it here with "
                    "`arena match run`, and connect again",
                    name=self._options.name,
                    count=MOST_CRASHES,
                )
            )

    def note_failure(self, error: Exception) -> None:
        self._failure = error
        self.leave()

    def note_change(self) -> None:
        self._changed.set()


async def _stop(task: asyncio.Task[None]) -> None:
    """Cancel a task and wait until it has ended; what it raised is of no interest any more."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()
