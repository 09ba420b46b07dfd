"""One match over the bridge: passes what the service says to a process of the bot, and its answers back.

A process that crashes is started anew and told everything again; after a few times the match is given up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from arena.connect.local_bot import LocalBotProcesses, Stopped
from arena.connect.match_history import BEFORE_ALL, MatchHistory
from arena.connect.news import BotStopped, Note, OnNews
from arena.match.decisions import Answer, Malformed, Message, ProtocolViolation, Resignation
from arena.referee.stream import Closed, Flood, Inbox, Offence, StreamClosedError
from arena.rpc.errors import ProtocolError
from arena.v1 import match_pb2, play_pb2
from arena.worker.blame import StartError
from arena.worker.warm_bot import WarmBot
from engine.translatable import Text

MOST_STARTS = 3
"""How often a process is started anew in one match."""
_FAR_AWAY_S = 1e6
MOST_EVENTS = 1000
"""How much may wait for a process that is being started, or does not read: a service asks one thing at a time."""
LATE_S = 0.5
"""How long a process that still thinks when its match is over is given to answer; one that does plays the next."""

Send = Callable[[play_pb2.PlayRequest], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _ProcessMessage:
    """What a process of the bot sent, or that it ended."""

    bot: WarmBot
    what: Message | Closed | Flood


_Event = play_pb2.MatchStarted | play_pb2.Decide | play_pb2.MatchFinished | _ProcessMessage


class BridgedMatch:
    """One match, from its beginning to its end. `run` is called once; whoever reads the stream calls the rest."""

    def __init__(self, started: play_pb2.MatchStarted, bots: LocalBotProcesses, send: Send, publish: OnNews) -> None:
        """Play a match that has begun; `send` carries a message to the service if there is a connection."""
        self.history = MatchHistory(started)
        self._bots = bots
        self._send = send
        self._publish = publish
        self._events: asyncio.Queue[_Event] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._bot: WarmBot | None = None
        self._listener: asyncio.Task[None] | None = None
        self._known_ply = BEFORE_ALL
        self._is_taken_over = started.resumed
        self._starts_left = MOST_STARTS
        self._is_expected = False
        self._line = 0
        """Counts the connections of the bridge; what was sent on one that is lost may be lost, too."""
        self._answered_on = 0
        self.crashed = False
        """Whether the match was given up because the bot crashed again and again."""

    def receive(self, event: play_pb2.MatchStarted | play_pb2.Decide | play_pb2.MatchFinished) -> None:
        """Take a message of the service about this match. Raises ProtocolError if there are too many for a match."""
        if isinstance(event, play_pb2.MatchFinished) and self._bot is not None and not self._is_expected:
            self._is_expected = True
            self._bots.expect_return()
        if self._events.qsize() >= MOST_EVENTS:
            raise ProtocolError(
                Text(
                    "the service asks on and on in match {match}; tell its organiser",
                    match=repr(self.history.match_id[:40]),
                )
            )
        self._events.put_nowait(event)

    def note_connection(self) -> None:
        """Note that messages go over another connection from now on."""
        self._line += 1

    async def run(self) -> play_pb2.MatchFinished:
        """Play until the service says that the match is over for the bot. Raises HostingError."""
        try:
            await self._seat()
            while True:
                event = await self._events.get()
                if isinstance(event, play_pb2.MatchFinished):
                    await self._finish(event)
                    return event
                if isinstance(event, play_pb2.MatchStarted):
                    self.history.restart(event)
                elif isinstance(event, play_pb2.Decide):
                    is_thinking = self.history.pending is not None and self.history.pending.ply == event.ply
                    known = self.history.ask(event, self._loop.time())
                    if known is not None:
                        # Over this connection the service was told already if the answer came while it asked anew.
                        if self._answered_on != self._line:
                            await self._submit(known)
                    elif not is_thinking:
                        await self._put_question()
                elif event.bot is self._bot:
                    await self._receive_from_bot(event.what)
        finally:
            bot = self._bot
            self._let_go()
            if bot is not None:
                self._bots.end(bot)
            if self._is_expected:
                self._bots.note_return()

    # What the service says.

    async def _finish(self, finished: play_pb2.MatchFinished) -> None:
        was_thinking = self.history.pending is not None
        self.history.end(finished)
        if (bot := self._bot) is None:
            return
        if self._bots.seems_unflushed(bot) and any(
            fault.cause == match_pb2.FAULT_CAUSE_TIMEOUT for fault in finished.faults
        ):
            self._publish(Note(self._bots.how_to_flush()))
        is_quiet = not was_thinking or await self._has_answered(bot)
        ending = play_pb2.PlayResponse(match_finished=self.history.ending(finished, self._known_ply))
        self._let_go()
        with suppress(StreamClosedError):  # `is_usable` says then that it has ended
            await bot.stream.tell(ending.SerializeToString())
        # One that still thinks would answer into its next match; one that was only late plays on, for the next match
        # begins at once, and would pay for the start of another.
        if is_quiet and all(fault.cause == match_pb2.FAULT_CAUSE_TIMEOUT for fault in finished.faults):
            self._bots.give_back(bot)
        else:
            self._bots.end(bot)

    async def _has_answered(self, bot: WarmBot) -> bool:
        """Wait a moment for the answer of a process that still thinks; return whether it came."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LATE_S):
                while True:
                    event = await self._events.get()
                    if isinstance(event, _ProcessMessage) and event.bot is bot:
                        return isinstance(event.what, Answer)
        return False

    # What the bot says.

    async def _receive_from_bot(self, what: Message | Closed | Flood) -> None:
        if isinstance(what, Answer):
            history = self.history
            if what.match_id != history.match_id:
                await self._replace(
                    Text("it answered for the match {match}, which it does not play", match=repr(what.match_id[:40]))
                )
                return
            if history.is_passed(what.ply):
                why = Text("an answer to ply {ply} came after the service had gone on; it was left out", ply=what.ply)
                self._publish(Note(why))
                return
            act = play_pb2.Act(match_id=what.match_id, ply=what.ply, actions=what.actions, note=what.note)
            request = play_pb2.PlayRequest(act=act)
            if history.pending is not None and history.pending.ply == what.ply:
                history.answer(request)
            await self._submit(request)  # one that nobody asked for is judged by the service
        elif isinstance(what, Resignation) and what.match_id == self.history.match_id:
            await self._resign()
        elif isinstance(what, Closed):
            await self._replace(Text("it closed its stream ({why})", why=what.why.rstrip(".").lower()))
        elif isinstance(what, Malformed | ProtocolViolation):
            await self._replace(Text("it sent {what}", what=what.why))
        elif isinstance(what, Flood):
            await self._replace(Text("it sent more messages than a match can need"))
        else:
            await self._replace(Text("it gave up a match that it does not play"))

    async def _resign(self) -> None:
        request = play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=self.history.match_id))
        self.history.answer(request)
        await self._submit(request)

    async def _submit(self, request: play_pb2.PlayRequest) -> None:
        self._answered_on = self._line
        await self._send(request)

    # Processes.

    async def _seat(self) -> None:
        """Have a process take the match as it is now; give up if none can."""
        while self._bot is None:
            try:
                bot = await self._bots.take()
            except StartError as error:
                why = error.explanation.rstrip(".")
                stopped = Stopped(Text("a process did not start: {why}", why=f"{why[:1].lower()}{why[1:]}"), "")
            except StreamClosedError:
                stopped = Stopped(Text("its process ended"), "")
            else:
                try:
                    if await self._hand_over(bot):
                        return
                    stopped = await self._bots.stop(bot, Text("it closed its stream"))
                except asyncio.CancelledError:
                    self._bots.end(bot)  # nobody else holds it yet
                    raise
            if not await self._may_start_again(stopped):
                return

    async def _hand_over(self, bot: WarmBot) -> bool:
        """Send a process the whole match, and return whether that worked."""
        inbox = Inbox()
        bot.stream.attach(inbox, 0)
        history = self.history
        started = history.resumed()
        started.resumed = self._is_taken_over
        self._is_taken_over = True
        known_ply = history.last_ply
        messages = [play_pb2.PlayResponse(match_started=started)]
        question = history.question(known_ply, self._loop.time())
        if question is not None:
            messages.append(play_pb2.PlayResponse(decide=question))
        try:
            for message in messages:
                await bot.stream.tell(message.SerializeToString())
        except StreamClosedError:
            return False
        self._bot, self._known_ply = bot, known_ply
        self._listener = asyncio.create_task(self._listen(bot, inbox))
        return True

    async def _put_question(self) -> None:
        bot, question = self._bot, self.history.question(self._known_ply, self._loop.time())
        if bot is None or question is None:
            return
        self._known_ply = self.history.last_ply
        try:
            await bot.stream.tell(play_pb2.PlayResponse(decide=question).SerializeToString())
        except StreamClosedError as error:
            await self._replace(Text("it closed its stream ({why})", why=str(error).rstrip(".").lower()))

    async def _replace(self, why: str) -> None:
        """Have another process take the match over, or give it up."""
        if (bot := self._bot) is None:
            return
        self._let_go()
        if await self._may_start_again(await self._bots.stop(bot, why)):
            await self._seat()

    async def _may_start_again(self, stopped: Stopped) -> bool:
        self._starts_left -= 1
        self._publish(BotStopped(self.history.match_id, stopped.why, stopped.last_words, self._starts_left))
        if self._starts_left >= 0:
            return True
        self.crashed = True
        await self._resign()
        return False

    async def _listen(self, bot: WarmBot, inbox: Inbox) -> None:
        while True:
            arrival = await inbox.get(self._loop.time() + _FAR_AWAY_S)
            if arrival is not None and not isinstance(arrival.what, Offence):  # nobody watches it here
                self._events.put_nowait(_ProcessMessage(bot, arrival.what))

    def _let_go(self) -> None:
        if self._listener is not None:
            self._listener.cancel()
        if self._bot is not None:
            self._bot.stream.detach()
        self._bot, self._listener = None, None
