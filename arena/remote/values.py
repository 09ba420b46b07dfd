"""What the coordinator says of bots that want to join, and the errors with which streams end. Values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import grpc

from arena.referee.errors import stream_error
from arena.wire.messages import PROTOCOL_MAJOR, PROTOCOL_MINOR
from arena.wire.status import Status
from engine.text import Text, from_json


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

    def __init__(self, error: Status) -> None:
        super().__init__(error.message)
        self.error = error


TOKEN_UNKNOWN = stream_error(
    grpc.StatusCode.UNAUTHENTICATED,
    "TOKEN_UNKNOWN",
    Text(
        "remote.metadata_key_authorization_must_bearer",
        'the metadata key "authorization" must be "Bearer TOKEN", with the token that the organiser gave you',
    ),
)
TOKEN_REVOKED = stream_error(
    grpc.StatusCode.UNAUTHENTICATED,
    "TOKEN_UNKNOWN",
    Text(
        "remote.token_revoked_expired_owner_disabled",
        "the token was revoked, has expired, or its owner was disabled; ask the organiser for another",
    ),
)
SUPERSEDED = stream_error(
    grpc.StatusCode.ABORTED,
    "SUPERSEDED",
    Text(
        "remote.another_connection_bot_took_over",
        "another connection of this bot took over; connect it from one place only",
    ),
)
STOPPING = stream_error(
    grpc.StatusCode.UNAVAILABLE,
    "STOPPING",
    Text("remote.service_stops_connect_again_minute", "the service stops; connect again in a minute"),
)
NOT_READING = stream_error(
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    "NOT_READING",
    Text("remote.bot_took_nothing_what_sent", "the bot took nothing of what it was sent; read all the time"),
)
FLOOD = stream_error(
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    "FLOOD",
    Text(
        "remote.too_many_messages_answer_no",
        "too many messages that answer no question came; answer each Decide once, and connect again",
    ),
)
NO_JOIN = stream_error(
    grpc.StatusCode.DEADLINE_EXCEEDED,
    "JOIN",
    Text("remote.no_join_came_send_first", "no Join came; send it first, right after opening the stream"),
)
FULL = stream_error(
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    "CONNECTIONS",
    Text("remote.too_many_bots_connecting_try", "too many bots are connecting; try again in a minute"),
)
UNDECIDED = stream_error(
    grpc.StatusCode.UNAVAILABLE,
    "BUSY",
    Text("remote.service_could_not_look_token", "the service could not look at the token; try again"),
)


def malformed(why: str) -> Status:
    """Return the error of a message that cannot be laid to any one match."""
    return stream_error(
        grpc.StatusCode.INVALID_ARGUMENT,
        "MALFORMED",
        Text(
            "remote.bot_sent_send_messages_protocol",
            "the bot sent {what}; send messages of the protocol only",
            what=why,
        ),
    )


def bad_join(why: str) -> Status:
    """Return the error of a first message that is no Join."""
    return stream_error(
        grpc.StatusCode.INVALID_ARGUMENT,
        "JOIN",
        Text("remote.bot_sent_send_join_first", "the bot sent {what}; send a Join first", what=why),
    )


def other_protocol(major: int, minor: int) -> Status:
    """Return the error of a bot that speaks another major version."""
    theirs, ours = f"{major}.{minor}", f"{PROTOCOL_MAJOR}.{PROTOCOL_MINOR}"
    message = Text(
        "referee.bot_speaks_protocol_arena_use",
        "the bot speaks protocol {theirs}, this arena {ours}; use a kit of major version {major}",
        theirs=theirs,
        ours=ours,
        major=PROTOCOL_MAJOR,
    )
    return stream_error(
        grpc.StatusCode.FAILED_PRECONDITION, "PROTOCOL_VERSION", message, {"bot": theirs, "arena": ours}
    )


def version_in_play(bot: str, matches: int) -> Status:
    """Return the error of a bot that comes back as another version while its matches go on."""
    message = Text(
        "remote.another_version_middle_connect_version",
        "another version of {bot} is in the middle of {matches}; connect that version again to play on, or wait until "
        "its time there has run out",
        bot=bot,
        matches=Text("remote.several_matches", "{count} matches", count=matches)
        if matches > 1
        else Text("remote.one_match", "{count} match", count=matches),
    )
    return stream_error(grpc.StatusCode.FAILED_PRECONDITION, "VERSION_IN_PLAY", message)


def refused(data: Mapping[str, Any]) -> Status:
    """Return the error with which the coordinator refuses a bot."""
    return stream_error(grpc.StatusCode[data["code"]], data["reason"], from_json(data["message"]))
