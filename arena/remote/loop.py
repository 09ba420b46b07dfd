"""The loop of the process of remote bots: plays what the coordinator sends, all at once, and asks it who may join.

Messages are frames (`arena.hosting.frames`). From the coordinator, which closes the pipe to stop the process:

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
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from arena.hosting.frames import encode_frame, read_frame
from arena.match.decisions import JoinRequest
from arena.match.live import LiveEvent
from arena.match.match import MatchSpecError
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.remote.host import RemoteHost
from arena.remote.lobby import Lobby
from arena.remote.values import TOKEN_REVOKED, UNDECIDED, BotIdentity, StreamRefusedError, refused
from arena.remote.waiting import WaitingRoom, WaitingRoomClosedError
from arena.worker.events import encode_cancelled, encode_live, encode_lost, encode_report
from arena.worker.live_feed import LiveFeed

BEAT_S = 1.0
ADMIT_PATIENCE_S = 60.0
"""How long the coordinator may take to decide who joins: hundreds who come at once are written down one by one."""


class CoordinatorLink:
    """The pipes to the coordinator: questions go out and are answered; nothing here waits for it to read."""

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
        """Say again and again that this process goes on."""
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
        """Tell that a bot is here, leaving, or gone."""
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
            self._order(head["ticket"], MatchSpec.from_json(head["spec"]))
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

    def _order(self, ticket: int, spec: MatchSpec) -> None:
        self._feeds[ticket] = LiveFeed(partial(self._show, ticket), is_prompt=True)
        task = self._tasks[ticket] = asyncio.create_task(self._play(ticket, spec))
        task.add_done_callback(partial(self._forget, ticket))

    def _show(self, ticket: int, events: Sequence[LiveEvent]) -> None:
        self._coordinator.send(encode_live(ticket, events))

    def _forget(self, ticket: int, _task: asyncio.Task[None]) -> None:
        del self._tasks[ticket]
        self._feeds.pop(ticket).close()

    async def _play(self, ticket: int, spec: MatchSpec) -> None:
        """Play a match, and tell how it ended."""
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
