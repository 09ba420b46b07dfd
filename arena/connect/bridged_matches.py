"""The matches of a bridge, and which of them the service tells of when the connection is back.

They outlive connections, which come and go.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Protocol

from arena.connect.bridged_match import BridgedMatch, Send
from arena.connect.local_bot import LocalBotProcesses
from arena.connect.match_history import began, ended
from arena.connect.news import MatchVanished, Note, OnNews
from arena.v1 import play_pb2
from engine.translatable import Text

MOST_TAKEN_UP = 128
"""How many matches may run if an earlier connection had begun them: a service lets no bot play more than 64 at once."""
MOST_REMEMBERED = 200
"""Of how many matches that are over it is known that they are."""


def most_at_once(asked_for: int) -> int:
    """Return how many matches may run at once: a match may begin before another one has ended here."""
    return 2 * asked_for + 2


class BridgeObserver(Protocol):
    """Receives what becomes of matches."""

    def note_begin(self) -> None:
        """Note that a match has begun."""

    def note_end(self, match: BridgedMatch) -> None:
        """Note that a match is over."""

    def note_failure(self, error: Exception) -> None:
        """Note that this machine, or this program, failed in a match."""

    def note_change(self) -> None:
        """Note that the number of running matches has changed."""


class BridgedMatches:
    """All matches that run, by id."""

    def __init__(
        self, bots: LocalBotProcesses, send: Send, publish: OnNews, observer: BridgeObserver, matches: int
    ) -> None:
        """Play `matches` at once; those that a service begins beyond that get no process, and end by their clock."""
        self._bots = bots
        self._asked_for = matches
        self._has_refused = False
        self._has_been_strange = False
        """Whether it was told that the service spoke of a match that has not begun, which is told once."""
        self._send = send
        self._publish = publish
        self._observer = observer
        self._matches: dict[str, tuple[BridgedMatch, asyncio.Task[None]]] = {}
        self._missing: set[str] = set()
        self._over: deque[str] = deque(maxlen=MOST_REMEMBERED)
        self._retold: dict[str, play_pb2.MatchStarted] = {}
        """Matches that are over here, and that the service tells of once more."""

    def __len__(self) -> int:
        return len(self._matches)

    def miss_all(self) -> None:
        """Expect the service to tell of every match that runs, since the bot has joined anew.

        A question to which the bot answered before is asked again on the new connection, where its answer is sent once.
        """
        self._missing = set(self._matches)
        self._retold.clear()
        for match, _ in self._matches.values():
            match.note_connection()

    def drop_missing(self) -> None:
        """Leave the matches of which the service has not told since `miss_all`: they are over there."""
        for match_id in self._missing & set(self._matches):
            match, task = self._matches.pop(match_id)
            task.cancel()
            self._publish(MatchVanished(match_id, match.history.started.game))
        self._observer.note_change()

    def begin(self, started: play_pb2.MatchStarted) -> None:
        """Take a match that begins, or goes on."""
        match_id = started.match_id
        known = self._matches.get(match_id)
        self._missing.discard(match_id)
        if started.resumed and match_id in self._over:
            self._retold[match_id] = started
        elif started.resumed and known is not None:
            known[0].receive(started)
        else:
            if known is not None:  # the service lost it, and plays it again from the beginning
                self._matches.pop(match_id)[1].cancel()
            self._open_match(started)

    def pass_on(self, event: play_pb2.Decide | play_pb2.MatchFinished) -> None:
        """Hand what the service says to its match."""
        retold = self._retold.pop(event.match_id, None)
        if retold is not None and isinstance(event, play_pb2.MatchFinished):
            return
        if retold is not None:
            self._open_match(retold)
        known = self._matches.get(event.match_id)
        if known is None and not self._has_been_strange:
            self._has_been_strange = True
            why = Text("the service spoke of the match {match}, which has not begun here", match=event.match_id[:40])
            self._publish(Note(why))
        elif known is not None:
            known[0].receive(event)

    async def close(self) -> None:
        """Leave all matches."""
        tasks = [task for _, task in self._matches.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _open_match(self, started: play_pb2.MatchStarted) -> None:
        if len(self) >= (MOST_TAKEN_UP if started.resumed else most_at_once(self._asked_for)):
            if not self._has_refused:
                self._has_refused = True
                why = Text(
                    "the service begins more than {count} matches at once; those that are too many are not played",
                    count=self._asked_for,
                )
                self._publish(Note(why))
            return
        match = BridgedMatch(started, self._bots, self._send, self._publish)
        self._publish(began(started))
        self._matches[started.match_id] = match, asyncio.create_task(self._play(match))
        self._observer.note_begin()

    async def _play(self, match: BridgedMatch) -> None:
        match_id = match.history.match_id
        try:
            finished = await match.run()
            self._over.append(match_id)
            self._publish(ended(match.history.started, finished))
            self._observer.note_end(match)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # the bridge ends with it
            self._observer.note_failure(error)
        finally:
            known = self._matches.get(match_id)
            if known is not None and known[0] is match:
                del self._matches[match_id]
            self._observer.note_change()
