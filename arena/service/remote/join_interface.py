"""Who may join as a remote bot, and which remote bots are connected: values and interfaces. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from arena.match.decisions import JoinRequest
from engine.translatable import Text
from ratings.values.tournament_incidents import LockHolder

ELSEWHERE = "ELSEWHERE"


@dataclass(frozen=True, slots=True)
class JoinGrant:
    """A bot that may join."""

    bot: str
    """Its whole name, `owner/name`."""
    content_hash: str
    """The identity of its version, as the seats of matches name it."""
    games: tuple[str, ...]
    """The games that it plays here."""
    token_digest: str
    """That of its token (SHA-256, hex): if it is worth nothing any more, the bot has to go. Empty without a token."""


class JoinRefusal(Exception):  # noqa: N818 - it is no error of ours
    """A bot may not join. The message names the remedy."""

    def __init__(self, code: str, reason: str, message: str) -> None:
        """`code` is the name of a `grpc.StatusCode`, `reason` stable UPPER_SNAKE_CASE."""
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message


class JoinPolicy(Protocol):
    """Decides who may join."""

    async def admit(self, request: JoinRequest) -> JoinGrant:
        """Return who joins; a bot or a version that is new is made. Raises Refusal."""


class Presence:
    """Which versions of remote bots are connected; `on_change` is called when that changes."""

    def __init__(self, on_change: Callable[[], None] = lambda: None) -> None:
        self._on_change = on_change
        self._rooms: dict[str, int] = {}

    def is_connected(self, content_hash: str) -> bool:
        return content_hash in self._rooms

    def connected(self) -> Mapping[str, int]:
        """Return how many matches each version that is there plays at once, by content hash."""
        return MappingProxyType(dict(self._rooms))

    def set_room(self, content_hash: str, room: int) -> None:
        """Note that a version is there, and how many matches it plays at once."""
        if self._rooms.get(content_hash) != room:
            self._rooms[content_hash] = room
            self._on_change()

    def remove(self, content_hash: str) -> None:
        """Note that a version is gone."""
        if self._rooms.pop(content_hash, None) is not None:
            self._on_change()

    def clear(self) -> None:
        """Note that all are gone."""
        if self._rooms:
            self._rooms.clear()
            self._on_change()


FindOtherService = Callable[[], LockHolder | None]
"""Returns the other service that takes them now, or None if this one does."""


def no_other_service() -> None:
    """Return that this service takes them: of a database that is a file there is no other."""


def bot_refusal(holder: LockHolder) -> JoinRefusal:
    """Return what a bot is told, which may try again: the other service may end."""
    return JoinRefusal(
        "UNAVAILABLE",
        ELSEWHERE,
        Text(
            "process {pid} on {host} takes remote bots and people for this arena; connect to that service, or "
            "wait until it has ended: this one takes them then, and needs no restart",
            pid="another" if holder.pid is None else str(holder.pid),
            host=holder.host or "another machine",
        ),
    )


def person_refusal() -> JoinRefusal:
    """Return what a person is told, who does not wait for that, and need not know on which machine it is."""
    return JoinRefusal(
        "FAILED_PRECONDITION",
        ELSEWHERE,
        Text(
            "another service of this arena takes people now; play on its pages, or try again when it has ended: "
            "this one takes them then, and needs no restart"
        ),
    )
