"""What the coordinator says of bots that want to join, and the errors with which streams end. Values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import grpc

from arena.referee.errors import StreamError
from arena.wire.encoding import PROTOCOL_MAJOR, PROTOCOL_MINOR


@dataclass(frozen=True, slots=True)
class BotIdentity:
    """A bot that may join, as the coordinator knows it."""

    name: str
    """Its whole name, `owner/name`."""
    version: str
    """The content hash of its version, as the seats of matches name it."""
    games: tuple[str, ...]
    digest: str
    """That of its token."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BotIdentity:
        """Return the bot that a frame of the coordinator names."""
        return cls(data["bot"], data["version"], tuple(data["games"]), data["digest"])


class StreamRefusedError(Exception):
    """A stream is not taken, or is ended; `error` says so to the bot."""

    def __init__(self, error: StreamError) -> None:
        super().__init__(error.message)
        self.error = error


TOKEN_UNKNOWN = StreamError(
    grpc.StatusCode.UNAUTHENTICATED,
    "TOKEN_UNKNOWN",
    'the metadata key "authorization" must be "Bearer TOKEN", with the token that the organiser gave you',
)
TOKEN_REVOKED = StreamError(
    grpc.StatusCode.UNAUTHENTICATED,
    "TOKEN_UNKNOWN",
    "the token was revoked, has expired, or its owner was disabled; ask the organiser for another",
)
SUPERSEDED = StreamError(
    grpc.StatusCode.ABORTED,
    "SUPERSEDED",
    "another connection of this bot took over; connect it from one place only",
)
STOPPING = StreamError(grpc.StatusCode.UNAVAILABLE, "STOPPING", "the service stops; connect again in a minute")
NOT_READING = StreamError(
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    "NOT_READING",
    "the bot took nothing of what it was sent; read all the time",
)
FLOOD = StreamError(
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    "FLOOD",
    "too many messages that answer no question came; answer each Decide once, and connect again",
)
NO_JOIN = StreamError(
    grpc.StatusCode.DEADLINE_EXCEEDED,
    "JOIN",
    "no Join came; send it first, right after opening the stream",
)
FULL = StreamError(
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    "CONNECTIONS",
    "too many bots are connecting; try again in a minute",
)
UNDECIDED = StreamError(grpc.StatusCode.UNAVAILABLE, "BUSY", "the service could not look at the token; try again")


def malformed(why: str) -> StreamError:
    """Return the error of a message that cannot be laid to any one match."""
    return StreamError(
        grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED", f"the bot sent {why}; send messages of the protocol only"
    )


def bad_join(why: str) -> StreamError:
    """Return the error of a first message that is no Join."""
    return StreamError(grpc.StatusCode.INVALID_ARGUMENT, "JOIN", f"the bot sent {why}; send a Join first")


def other_protocol(major: int, minor: int) -> StreamError:
    """Return the error of a bot that speaks another major version."""
    theirs, ours = f"{major}.{minor}", f"{PROTOCOL_MAJOR}.{PROTOCOL_MINOR}"
    message = f"the bot speaks protocol {theirs}, this arena {ours}; use a kit of major version {PROTOCOL_MAJOR}"
    return StreamError(grpc.StatusCode.FAILED_PRECONDITION, "PROTOCOL_VERSION", message, {"bot": theirs, "arena": ours})


def version_in_play(bot: str, matches: int) -> StreamError:
    """Return the error of a bot that comes back as another version while its matches go on."""
    message = (
        f"another version of {bot} is in the middle of {matches} match{'es' if matches > 1 else ''}; connect that "
        "version again to play on, or wait until its time there has run out"
    )
    return StreamError(grpc.StatusCode.FAILED_PRECONDITION, "VERSION_IN_PLAY", message)


def refused(data: Mapping[str, Any]) -> StreamError:
    """Return the error with which the coordinator refuses a bot."""
    return StreamError(grpc.StatusCode[data["code"]], data["reason"], data["message"])
