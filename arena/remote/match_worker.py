"""Plays the matches with remote bots that the coordinator sends, all at once, and asks it who may join.

Messages are frames (`arena.hosting.framed_pipe`). From the coordinator, which closes the pipe to stop the process:

    {"do": "play", "ticket": 1, "spec": {...}}              a `MatchSpec` with a remote seat
    {"do": "cancel", "ticket": 1}
    {"do": "watch", "ticket": 1, "logs": [0]}, {"do": "unwatch", "ticket": 1}       as for a worker
    {"do": "admit", "question": 1, "guest": {...}}          the bot that asked may join
    {"do": "refuse", "question": 1, "refusal": {...}}       it may not: code, reason, message
    {"do": "end_tokens", "digests": ["..."]}                streams with these tokens end
    {"do": "end_all", "refusal": {...}}                     all streams end: code, reason, message
    {"do": "drain"}                                         no match that still waits for its bots begins any more

To the coordinator:

    {"event": "ready", "port": 7735}
    {"event": "alive", "launcher": 0}                       once a second; without it the process is ended
    {"event": "join", "question": 1, "application": {...}}  may this bot join?
    {"event": "presence", "version": "...", "digest": "...", "room": 2}     a bot is here; it is gone if room is null,
                                                            and is leaving, and wants no new match, if it is 0
    {"event": "begun", "ticket": 1}                         all bots of a match were there
    {"event": "returned", "ticket": 1}                      a match did not begin before the end
    {"event": "report" | "live" | "lost", ...}              as of a worker
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict
from functools import partial
from typing import Any, Self

from arena.hosting.errors import HostingError
from arena.hosting.framed_pipe import encode_frame, read_frame
from arena.hosting.procfs.run_delay import OwnWaitMeter
from arena.match.decisions import JoinRequest
from arena.match.match import Match, MatchSpecError
from arena.match.replay import write_replay
from arena.match.result import Fault, HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.referee.play import SeatedBot, play_match
from arena.remote.connection import TOKEN_REVOKED, UNDECIDED, BotIdentity, StreamRefusedError, refused
from arena.remote.lobby import Lobby, RemoteSeat
from arena.remote.pending_matches import Place, WaitingRoom, WaitingRoomClosedError
from arena.worker.blame import StartError, blame_host
from arena.worker.bot_processes import ProcessPool
from arena.worker.reporting import (
    Accounts,
    LiveFeed,
    Seated,
    build_report,
    encode_cancelled,
    encode_live,
    encode_lost,
    encode_report,
    read_accounts,
)
from arena.worker.warm_bot import WarmBot, take_note
from engine.translatable import Text

BEAT_S = 1.0
ADMIT_PATIENCE_S = 60.0
"""How long the coordinator may take to decide who joins: hundreds who come at once are written down one by one."""


class CoordinatorLink:
    """The pipes to the coordinator: sends questions, takes the answers, and never waits for it to read."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._numbers = itertools.count(1)
        self._questions: dict[int, asyncio.Future[BotIdentity]] = {}

    def send(self, data: bytes) -> None:
        """Send a message."""
        self._writer.write(data)

    def send_event(self, event: str, **facts: Any) -> None:
        """Send an event."""
        self.send(encode_frame({"event": event, **facts}))

    async def beat(self) -> None:
        """Report once a second that this process goes on."""
        while True:
            self.send_event("alive", launcher=0)
            await asyncio.sleep(BEAT_S)

    async def admit(self, application: JoinRequest) -> BotIdentity:
        """Return the bot that may join. Raises StreamRefusedError."""
        number = next(self._numbers)
        answer: asyncio.Future[BotIdentity] = asyncio.get_running_loop().create_future()
        self._questions[number] = answer
        self.send_event("join", question=number, application=asdict(application))
        try:
            async with asyncio.timeout(ADMIT_PATIENCE_S):
                return await answer
        except TimeoutError as error:
            raise StreamRefusedError(UNDECIDED) from error
        finally:
            del self._questions[number]

    def send_presence(self, bot: BotIdentity, room: int | None) -> None:
        """Report that a bot is here, leaving, or gone."""
        self.send_event("presence", version=bot.version, digest=bot.digest, room=room)

    def answer(self, head: Mapping[str, Any]) -> None:
        """Take the answer to a question."""
        question = self._questions.get(head["question"])
        if question is None or question.done():
            return
        if head["do"] == "admit":
            question.set_result(BotIdentity.from_json(head["guest"]))
        else:
            question.set_exception(StreamRefusedError(refused(head["refusal"])))


class RemoteLoop:
    """Plays what it is sent until the coordinator closes the pipe."""

    def __init__(self, coordinator: CoordinatorLink, lobby: Lobby, room: WaitingRoom, host: RemoteHost) -> None:
        self._coordinator = coordinator
        self._lobby = lobby
        self._room = room
        self._host = host
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._feeds: dict[int, LiveFeed] = {}

    async def serve(self, reader: asyncio.StreamReader) -> None:
        """Serve until the pipe ends; matches that are played then are broken off."""
        try:
            while (frame := await read_frame(reader)) is not None:
                self._obey(frame[0])
        finally:
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _obey(self, head: Mapping[str, Any]) -> None:
        what = head["do"]
        if what == "play":
            ticket = head["ticket"]
            self._feeds[ticket] = LiveFeed(
                lambda events: self._coordinator.send(encode_live(ticket, events)), is_prompt=True
            )
            task = self._tasks[ticket] = asyncio.create_task(self._play(ticket, MatchSpec.from_json(head["spec"])))
            task.add_done_callback(partial(self._forget, ticket))
        elif what in ("admit", "refuse"):
            self._coordinator.answer(head)
        elif what == "end_tokens":
            self._lobby.end_tokens(head["digests"], TOKEN_REVOKED)
        elif what == "end_all":
            self._lobby.end_all(refused(head["refusal"]))
        elif what == "drain":
            self._room.close()
        elif (ticket := head["ticket"]) not in self._tasks:
            return  # the match has just ended
        elif what == "cancel":
            self._tasks[ticket].cancel()
        elif what == "watch":
            self._feeds[ticket].come(head["logs"])
        elif what == "unwatch":
            self._feeds[ticket].leave()

    def _forget(self, ticket: int, _task: asyncio.Task[None]) -> None:
        del self._tasks[ticket]
        self._feeds.pop(ticket).close()

    async def _play(self, ticket: int, spec: MatchSpec) -> None:
        try:
            begun = partial(self._coordinator.send_event, "begun", ticket=ticket)
            self._coordinator.send(encode_report(ticket, await self._host.play(spec, self._feeds[ticket], begun)))
        except WaitingRoomClosedError:
            self._coordinator.send_event("returned", ticket=ticket)
        except asyncio.CancelledError:
            self._coordinator.send(encode_cancelled(ticket))
        except MatchSpecError as error:
            self._coordinator.send(encode_lost(ticket, MatchLostError(str(error), HostCause.UNPLAYABLE)))
        except MatchLostError as error:
            self._coordinator.send(encode_lost(ticket, error))
        except Exception as error:  # a fault of ours in one match must not end the others
            why = f"{type(error).__name__}: {error}"
            self._coordinator.send(encode_lost(ticket, MatchLostError(why, HostCause.HOSTING_FAILED)))


class RemoteHost:
    """Plays any number of matches at once; those with hosted bots take turns."""

    def __init__(self, lobby: Lobby, room: WaitingRoom, shared_pool: SharedProcessPool) -> None:
        self._lobby = lobby
        self._room = room
        self._shared_pool = shared_pool

    async def play(self, spec: MatchSpec, feed: LiveFeed, on_begun: Callable[[], None]) -> MatchReport:
        """Play a match when its remote bots are here, and return its report; `on_begun` is called when it begins.

        Raises WaitingRoomClosedError; MatchSpecError; MatchLostError when the host is to blame, never because of a bot.
        """
        match = Match(spec)
        # The answers of a remote bot name the match alone.
        versions = [seat.version for seat in spec.seats if seat.is_remote]
        if len(set(versions)) < len(versions):
            raise MatchLostError(Text("a remote bot cannot play two seats of one match"), HostCause.UNPLAYABLE)
        places = await self._room.wait(spec)
        try:
            on_begun()
            return await self._play(match, places, feed)
        except HostingError as error:
            failure = blame_host(error)
            # Only the hosted bots of this match are gone: others go on.
            raise MatchLostError(str(failure), failure.cause, failure.evidence) from error
        finally:
            for seat in places:
                self._lobby.unseat(spec.seats[seat].version, spec.match_id, is_over=match.is_over)

    async def _play(self, match: Match, places: Mapping[int, Place], feed: LiveFeed) -> MatchReport:
        async with AsyncExitStack() as stack:
            pool = None
            if any(not seat.is_remote for seat in match.spec.seats):
                pool = await stack.enter_async_context(self._shared_pool.open())
            seated: list[Seated] = [None] * len(match.spec.seats) if pool is None else await pool.seat(match)
            used, note = [isinstance(one, WarmBot) and one.has_played for one in seated], take_note(seated)
            started_at_us, started = time.time_ns() // 1000, time.monotonic_ns()
            feed.take_places(match, seated, started_at_us)
            found: list[SeatedBot | Fault] = []
            for seat, one in enumerate(seated):
                if isinstance(one, StartError):
                    found.append(one.fault(seat))
                elif one is not None and pool is not None:
                    found.append(pool.seated_bot(one, match.spec.cores))
                else:
                    place = places[seat]
                    found.append(SeatedBot(place) if isinstance(place, RemoteSeat) else place)
            lag_meter = None if pool is None else OwnWaitMeter()
            try:
                may_ponder = match.spec.clock.may_ponder
                await play_match(match, found, lag_meter=lag_meter, may_ponder=may_ponder, watcher=feed)
            except BaseException:
                if pool is not None:
                    pool.end_all(seated)
                raise
            finally:
                if lag_meter is not None and pool is not None:
                    lag_meter.close()
                    pool.close_meters(seated)
            duration_us = (time.monotonic_ns() - started) // 1000
            left = [None] * len(seated) if pool is None else await pool.part_with_all(match, seated)
            await feed.finish()
            replay = write_replay(match, started_at_us, duration_us)
            accounts = await read_accounts(seated, used, left) if match.spec.keeps_logs else Accounts()
            return build_report(match, replay, (), accounts, note)


class SharedProcessPool:
    """Opens a pool when the first match needs one, and another one when that is broken. Async context manager."""

    def __init__(self, most_matches: int, warm_bots: int, warm_mb: int | None) -> None:
        """Let at most `most_matches` have hosted bots at once; the other arguments are those of `ProcessPool`."""
        self._semaphore = asyncio.Semaphore(most_matches)
        self._most_warm = warm_bots, warm_mb
        self._opening = asyncio.Lock()
        self._pool: ProcessPool | None = None
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._stack.aclose()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[ProcessPool]:
        """Give the pool to a match when it is its turn. Raises HostingError."""
        async with self._semaphore:
            async with self._opening:
                if self._pool is None:
                    self._pool = await self._stack.enter_async_context(ProcessPool(*self._most_warm))
                pool = self._pool
            try:
                yield pool
            except HostingError:
                await self._give_up(pool)
                raise

    async def _give_up(self, pool: ProcessPool) -> None:
        """Close a pool in which something failed; the next match opens another."""
        async with self._opening:
            if self._pool is pool:
                self._pool = None
                stack, self._stack = self._stack, AsyncExitStack()
                await stack.aclose()
