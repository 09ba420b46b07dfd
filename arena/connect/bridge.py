"""Connects a bot to a service: prepares its program, tries it out, and holds its connection and its matches.

    connecting -> joined -> (lost -> waiting -> connecting) ... -> left

Matches go on while the connection is lost: the service tells them again when it is back. A bot that wants no new match
says so, and it is the service that ends the stream then, for it alone knows that none has begun in that moment.
`run_bridge` is the one entry for a command.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import grpc

from arena.connect.bridged_match import BridgedMatch
from arena.connect.bridged_matches import BridgedMatches
from arena.connect.endpoint_discovery import PlayRoute, check_joined, differing_rules, find_route, games_to_join
from arena.connect.local_bot import START_LIMIT_S, LocalBotProcesses, open_bots, prepare
from arena.connect.news import BotFailsError, Connected, Disconnected, Draining, LeftError, Note, OnNews, Waiting
from arena.connect.stream import RetryDecision, ServiceStream, StreamEnd, end_of, open_stream, reconnect_backoff
from arena.hosting.manifest import ARENA, BotManifest
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.limits import SandboxPolicy
from arena.model.errors import ClientError
from arena.rpc.backoff import Backoff
from arena.rpc.errors import ProtocolError, UnreachableError
from arena.rpc.profiles import Profile
from arena.v1 import play_pb2
from arena.wire.messages import PROTOCOL_MAJOR, PROTOCOL_MINOR
from engine import registry
from engine.translatable import Text

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
    """What the Join of the bot contains, and how long the bridge plays."""

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
        publish: OnNews,
        backoff: Backoff | None = None,
    ) -> None:
        self._route = route
        self._options = options
        self._bots = bots
        self._publish = publish
        self._backoff = backoff or reconnect_backoff()
        self._matches = BridgedMatches(bots, self._send, publish, self, options.matches)
        self._stream: ServiceStream | None = None
        self._changed = asyncio.Event()
        self._room: int | None = None
        """What the service was told on this stream of how many matches it may give; None before the Join."""
        self._was_joined = self._has_published_waiting = self._is_draining = self._is_leaving = False
        self._seen = self._crashes_in_a_row = 0
        self._cures_left = _MOST_CURES
        self._failure: Exception | None = None
        self._published_problem: type[ClientError] | None = None

    @property
    def running(self) -> int:
        """How many matches run."""
        return len(self._matches)

    def drain(self) -> None:
        """Take no new match, and end when the service says that the running ones are over."""
        if not self._is_draining:
            self._is_draining = True
            self._publish(Draining(self.running))
            self._changed.set()

    def leave(self) -> None:
        """End at once. Running matches are left, and lost when the bot's time is up."""
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
                Text("left {what}; the same command goes on there as long as the bot's clock lasts", what=left)
            )

    def _is_over(self) -> bool:
        return self._is_leaving or (self._is_draining and not self.running)

    # The connection.

    async def _converse_once(self) -> StreamEnd | None:
        """Hold one stream until it ends, and return why it ended, or None if this side ended it."""
        async with open_stream(self._route.endpoint, self._route.token) as stream:
            self._room = None
            reader = asyncio.create_task(self._read(stream))
            try:
                await self._watch(stream, reader)
                if not reader.done():
                    return None
                await reader
                if self._room == NO_NEW_MATCH and await stream.has_ended_in_order():
                    # The matches end here, too, of which the service has said that they are over, or said nothing.
                    self._matches.drop_missing()
                    await self._wait_until_over(SETTLE_PATIENCE_S)
            except grpc.aio.AioRpcError as error:
                return None if self._is_over() else await asyncio.to_thread(end_of, error, self._route.endpoint)
            finally:
                self._stream = None
                reader.cancel()
                await asyncio.wait({reader})
                if not reader.cancelled():
                    reader.exception()  # what it raised is of no interest any more
        if self._is_over():
            return None
        return StreamEnd(RetryDecision.AGAIN, UnreachableError(Text("the service ended the stream")))

    async def _watch(self, stream: ServiceStream, reader: asyncio.Task[None]) -> None:
        """Wait until the stream has ended or must be ended here, and tell the service once no new match is wanted.

        The service may still begin a match after that, so that the stream stays open even if none runs here.
        """
        leaving: asyncio.Task[None] | None = None
        while not (reader.done() or self._is_leaving):
            if self._is_draining and self._room is not None and self._room != NO_NEW_MATCH:
                self._room = NO_NEW_MATCH
                leaving = asyncio.create_task(stream.leave())  # beside, for a line that is dead takes nothing
            if self._is_over() and self._room is None:
                break
            self._changed.clear()
            waiting = asyncio.create_task(self._changed.wait())
            await asyncio.wait({reader, waiting}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
        if leaving is not None:
            leaving.cancel()

    async def _wait_until_over(self, most_s: float) -> None:
        """Wait until this bridge must end, at most `most_s` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(most_s):
                while not self._is_over():
                    self._changed.clear()
                    await self._changed.wait()

    async def _read(self, stream: ServiceStream) -> None:
        options = self._options
        await stream.wait_until_taken()
        if self._is_draining:
            self._room = NO_NEW_MATCH
        elif options.stop_after is None:
            self._room = options.matches
        else:
            self._room = min(options.matches, self.running + options.stop_after - self._seen)
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
        """Wait until it is time to connect again. Raises the error if connecting again would change nothing."""
        is_final = end.turn is RetryDecision.END or (end.turn is RetryDecision.AGAIN and not self._was_joined)
        is_worth_a_try = end.is_vague or (end.may_be_cured and self._was_joined)
        if is_final and not (is_worth_a_try and self._cures_left):
            raise end.error
        self._cures_left -= is_final
        if self._published_problem is not type(end.error):  # once, however often it is tried again
            self._published_problem = type(end.error)
            self._publish(Disconnected(str(end.error), self.running))
        await self._wait_until_over(self._backoff.next_s())

    # What the service says.

    async def _receive(self, stream: ServiceStream, response: play_pb2.PlayResponse) -> None:
        kind = response.WhichOneof("event")
        if kind == "joined":
            if stream is self._stream:
                raise ProtocolError(Text("the service let the bot in twice on one stream; tell its organiser"))
            games = check_joined(response.joined, self._options.manifest, self._route.endpoint.address)
            self._bots.welcome(games)
            self._stream = stream
            self._backoff.reset()
            self._published_problem = None
            self._cures_left = _MOST_CURES
            if not self._was_joined:
                for sentence in differing_rules(response.joined.games, self._options.installed_rules):
                    why = Text("{what}, as the engine installed here does; a bot that uses it will fail", what=sentence)
                    self._publish(Note(why))
            bot = self._options.name if self._route.owner is None else f"{self._route.owner}/{self._options.name}"
            address, names, room = self._route.endpoint.address, tuple(sorted(games)), max(self._room or 0, 0)
            self._publish(Connected(address, bot, self._options.version, names, room, again=self._was_joined))
            self._was_joined = True
            self._changed.set()
            self._matches.miss_all()
            loop = asyncio.get_running_loop()
            loop.call_later(RESUME_PATIENCE_S, self._drop_missing, stream)
            loop.call_later(IDLE_S, self._report_waiting, stream, Waiting(bot, names))
        elif kind == "match_started":
            if not response.match_started.HasField("game_info"):
                self._bots.check_game(response.match_started.game)
            self._matches.begin(response.match_started)
        elif kind == "decide":
            self._matches.pass_on(response.decide)
        elif kind == "match_finished":
            self._matches.pass_on(response.match_finished)

    async def _send(self, request: play_pb2.PlayRequest) -> None:
        if self._stream is not None:
            await self._stream.send(request)

    def _drop_missing(self, stream: ServiceStream) -> None:
        if stream is self._stream:  # if it is lost meanwhile, the next one tells
            self._matches.drop_missing()

    def _report_waiting(self, stream: ServiceStream, waiting: Waiting) -> None:
        if stream is self._stream and not (self._seen or self._has_published_waiting or self._is_draining):
            self._has_published_waiting = True
            self._publish(waiting)

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


@dataclass(frozen=True, slots=True)
class ConnectOptions:
    """What an author wants: which bot to connect, where, and how."""

    directory: Path
    manifest: BotManifest
    profile: Profile
    name: str
    version: str | None = None
    """The author's word for this version; None for the beginning of its hash."""
    matches: int = 1
    stop_after: int | None = None
    play_address: str | None = None
    policy: SandboxPolicy = field(default_factory=SandboxPolicy)
    runtimes: RuntimeCatalog = field(default_factory=RuntimeCatalog)
    backoff: Backoff = field(default_factory=reconnect_backoff)
    start_limit_s: float = START_LIMIT_S
    cache: Path | None = None
    """Where copies of bots are kept; None for this user's cache."""


async def run_bridge(order: ConnectOptions, publish: OnNews, when_ready: Callable[[Bridge], None]) -> None:
    """Connect a bot and play until the bridge ends; `when_ready` is called with the bridge before it connects.

    Raises ClientError for what the service refuses, ConnectError, BotDirectoryError, StoreError, HostingError.
    """
    program = await prepare(order.directory, order.policy, order.runtimes, order.cache, publish)
    async with open_bots(program, publish, order.start_limit_s) as bots:
        route = await asyncio.to_thread(find_route, order.profile, order.play_address)
        games = games_to_join(program.manifest, await bots.try_out())
        await bots.warm_up(order.matches)
        version = order.version or program.default_version
        # Only a bot in the arena's own runtime may use the engine of this machine, which also writes lines.
        known = registry.names() if program.manifest.runtime == ARENA or program.seat.speaks_lines else ()
        installed_rules = {name: registry.get(name).rules_version for name in known}
        joining = JoinOptions(
            manifest=program.manifest,
            name=order.name,
            version=version,
            games=games,
            matches=order.matches,
            stop_after=order.stop_after,
            installed_rules=installed_rules,
        )
        bridge = Bridge(route, joining, bots, publish, order.backoff)
        when_ready(bridge)
        await bridge.run()
