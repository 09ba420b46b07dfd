"""The matches of a bridge: a table for each, and which of them the service tells of when the connection is back.

They outlive connections, which come and go.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Protocol

from arena.connect.local import LocalBots
from arena.connect.news import MatchVanished, Note, Tell
from arena.connect.scores import began, ended
from arena.connect.table import Send, Table
from arena.v1 import play_pb2
from engine.text import Text

MOST_TAKEN_UP = 128
"""How many matches may run if an earlier connection had begun them: a service lets no bot play more than 64 at once."""
MOST_REMEMBERED = 200
"""Of how many matches that are over it is known that they are."""


def most_at_once(asked_for: int) -> int:
    """Return how many matches a service may begin that was asked for so many: one may begin as another ends."""
    return 2 * asked_for + 2


class Witness(Protocol):
    """Is told what becomes of matches."""

    def note_begin(self) -> None:
        """Note that a match has begun."""

    def note_end(self, table: Table) -> None:
        """Note that a match is over."""

    def note_failure(self, error: Exception) -> None:
        """Note that this machine, or this program, failed in a match."""

    def note_change(self) -> None:
        """Note that another number of matches runs."""


class Matches:
    """All matches that run, by id."""

    def __init__(self, bots: LocalBots, send: Send, tell: Tell, witness: Witness, matches: int) -> None:
        """Play `matches` at once; those that a service begins beyond that get no process, and end by their clock."""
        self._bots = bots
        self._asked_for = matches
        self._has_refused = False
        self._has_been_strange = False
        """Whether it was told that the service spoke of a match that has not begun, which is told once."""
        self._send = send
        self._tell = tell
        self._witness = witness
        self._tables: dict[str, tuple[Table, asyncio.Task[None]]] = {}
        self._missing: set[str] = set()
        self._over: deque[str] = deque(maxlen=MOST_REMEMBERED)
        self._retold: dict[str, play_pb2.MatchStarted] = {}
        """Matches that are over here, and that the service tells of once more."""

    def __len__(self) -> int:
        """Return how many matches run."""
        return len(self._tables)

    def miss_all(self) -> None:
        """Expect the service to tell of every match that runs, since the bot has joined anew.

        A question to which the bot answered before is asked again on the new connection, where its answer is sent once.
        """
        self._missing = set(self._tables)
        self._retold.clear()
        for table, _ in self._tables.values():
            table.note_connection()

    def drop_missing(self) -> None:
        """Leave the matches of which the service has not told since `miss_all`: they are over there."""
        for match_id in self._missing & set(self._tables):
            table, task = self._tables.pop(match_id)
            task.cancel()
            self._tell(MatchVanished(match_id, table.history.started.game))
        self._witness.note_change()

    def begin(self, started: play_pb2.MatchStarted) -> None:
        """Take a match that begins, or goes on."""
        match_id = started.match_id
        known = self._tables.get(match_id)
        self._missing.discard(match_id)
        if started.resumed and match_id in self._over:
            self._retold[match_id] = started
        elif started.resumed and known is not None:
            known[0].receive(started)
        else:
            if known is not None:  # the service lost it, and plays it again from the beginning
                self._tables.pop(match_id)[1].cancel()
            self._open_table(started)

    def _is_too_many(self, started: play_pb2.MatchStarted) -> bool:
        return len(self) >= (MOST_TAKEN_UP if started.resumed else most_at_once(self._asked_for))

    def pass_on(self, event: play_pb2.Decide | play_pb2.MatchFinished) -> None:
        """Hand what the service says to its match."""
        retold = self._retold.pop(event.match_id, None)
        if retold is not None and isinstance(event, play_pb2.MatchFinished):
            return
        if retold is not None:
            self._open_table(retold)
        known = self._tables.get(event.match_id)
        if known is None and not self._has_been_strange:
            self._has_been_strange = True
            self._tell(
                Note(
                    Text(
                        "connect.service_spoke_match_which_not",
                        "the service spoke of the match {match}, which has not begun here",
                        match=event.match_id[:40],
                    )
                )
            )
        elif known is not None:
            known[0].receive(event)

    async def close(self) -> None:
        """Leave all matches."""
        tasks = [task for _, task in self._tables.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _open_table(self, started: play_pb2.MatchStarted) -> None:
        if self._is_too_many(started):
            if not self._has_refused:
                self._has_refused = True
                self._tell(
                    Note(
                        Text(
                            "service.service_begins_more_than_matches",
                            "the service begins more than {count} matches at once; those that are too many are not "
                            "played",
                            count=self._asked_for,
                        )
                    )
                )
            return
        table = Table(started, self._bots, self._send, self._tell)
        self._tell(began(started))
        self._tables[started.match_id] = table, asyncio.create_task(self._play(table))
        self._witness.note_begin()

    async def _play(self, table: Table) -> None:
        match_id = table.history.match_id
        try:
            finished = await table.run()
            self._over.append(match_id)
            self._tell(ended(table.history.started, finished))
            self._witness.note_end(table)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # the bridge ends with it
            self._witness.note_failure(error)
        finally:
            known = self._tables.get(match_id)
            if known is not None and known[0] is table:
                del self._tables[match_id]
            self._witness.note_change()
