"""What the end of a stream means for a bot: try again, wait and try again, or end with a line that names the remedy."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import grpc

from arena.connect.stream import MOST_MESSAGE_BYTES
from arena.model.errors import ClientError, ForbiddenError, RefusedError
from arena.rpc.channel import Endpoint
from arena.rpc.errors import (
    CertificateError,
    LoginError,
    ProtocolError,
    ServiceError,
    UnreachableError,
    error_of,
    status_of,
)
from arena.wire.messages import PROTOCOL_MAJOR
from engine.text import Text, joined

Code = grpc.StatusCode


class RetryDecision(enum.Enum):
    """What to do after a stream has ended."""

    AGAIN = enum.auto()
    """The connection is lost; it is tried again soon."""
    WAIT = enum.auto()
    """The service asks to wait; it is tried again later."""
    END = enum.auto()
    """Trying again would change nothing."""


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """Why a stream has ended."""

    turn: RetryDecision
    error: ClientError
    is_vague: bool = False
    """Whether the reason was lost, so that only another try tells it."""

    @property
    def may_be_cured(self) -> bool:
        """Whether it may be over in a moment although it looks final, as while a service is being restarted."""
        return isinstance(self.error, UnreachableError | CertificateError)


_WAITS = {
    "VERSION_IN_PLAY": Text(
        "connect.tried_again_until_match_over", "it is tried again until that match is over; Ctrl-C ends this"
    ),
    "STOPPING": Text("connect.tried_again_until_service_back", "it is tried again until the service is back"),
    "FLOOD": Text("connect.tried_again_while", "it is tried again in a while"),
}
_LOST_REASON = "Internal error from Core"
"""What gRPC says of a stream that ended while something was written to it."""
_TOO_LONG = "CLIENT: Received message larger than max"
"""What gRPC says of a message that this side does not take."""
_PASSING = (Code.UNAVAILABLE, Code.RESOURCE_EXHAUSTED, Code.DEADLINE_EXCEEDED)
"""Codes that stand for something that passes, unless the reason is known to be one that stays."""
_KINDS: dict[str, type[ClientError]] = {
    "SUPERSEDED": ServiceError,
    "TOKEN_UNKNOWN": LoginError,
    "PROTOCOL_VERSION": ProtocolError,
    "SCOPE": ForbiddenError,
    "BOTS": ServiceError,
}


def end_of(error: grpc.aio.AioRpcError, endpoint: Endpoint) -> StreamEnd:
    """Return what an error of the stream means. It may ask the service for its certificate, and blocks meanwhile."""
    status = status_of(error.trailing_metadata() or ())
    if status is not None:
        return _refusal(error.code(), status.reason, status.message, endpoint)
    if error.code() is Code.UNIMPLEMENTED:
        return StreamEnd(
            RetryDecision.END,
            ProtocolError(
                Text(
                    "connect.what_answers_takes_no_remote",
                    "what answers at {address} takes no remote bots; check --play-address, or ask the organiser "
                    "for the address",
                    address=endpoint.address,
                )
            ),
        )
    if error.code() is Code.RESOURCE_EXHAUSTED and _TOO_LONG in (error.details() or ""):
        return StreamEnd(
            RetryDecision.END,
            ProtocolError(
                Text(
                    "connect.service_sent_message_more_than",
                    "the service at {address} sent a message of more than {megabytes} MB; tell its organiser",
                    address=endpoint.address,
                    megabytes=MOST_MESSAGE_BYTES >> 20,
                )
            ),
        )
    if error.code() is Code.INTERNAL and _LOST_REASON in (error.details() or ""):
        return StreamEnd(
            RetryDecision.AGAIN,
            UnreachableError(Text("connect.connection_broke", "the connection broke")),
            is_vague=True,
        )
    meaning = error_of(error, endpoint.address, endpoint.diagnose)
    is_over = isinstance(meaning, CertificateError | RefusedError | LoginError | ProtocolError)
    return StreamEnd(RetryDecision.END if is_over else RetryDecision.AGAIN, meaning)


def _refusal(code: grpc.StatusCode, reason: str, message: str, endpoint: Endpoint) -> StreamEnd:
    text = message.rstrip(".") if message.endswith(".") else message
    if reason in _WAITS:
        return StreamEnd(RetryDecision.WAIT, ServiceError(joined(text, _WAITS[reason])))
    if code in _PASSING and reason not in _KINDS:
        return StreamEnd(RetryDecision.WAIT, ServiceError(text))
    kind = _KINDS.get(reason, RefusedError)
    return StreamEnd(RetryDecision.END, kind(_with_remedy(text, reason, endpoint)))


def _with_remedy(text: str, reason: str, endpoint: Endpoint) -> str:
    """Return the service's own words and what follows them, where this side knows better what to type."""
    login = "" if endpoint.login is None else f" --name {endpoint.login}"
    match reason:
        case "TOKEN_UNKNOWN":
            return Text(
                "connect.new_token_organiser_logs_again",
                "{why}; with a new token from the organiser, `{command}` logs in again",
                why=text,
                command=f"arena login ADDRESS{login} --token-stdin",
            )
        case "SUPERSEDED":
            return Text(
                "connect.one_ends_here_one_connection",
                "{why}; this one ends here. One connection of a bot plays at a time: --name gives this one a name of "
                "its own",
                why=text,
            )
        case "PROTOCOL_VERSION":
            return Text(
                "connect.arena_speaks_protocol_install_arena",
                "{why}; this arena speaks protocol {version}: install the arena of the service's version",
                why=text,
                version=PROTOCOL_MAJOR,
            )
    return text
