"""What can go wrong between a client and a service, beyond what the service itself refuses.

    ClientError
    └── ServiceError           the service could not do it, for reasons of its own
        ├── UnreachableError   nobody answers, or the connection broke
        ├── UnavailableError   it answers, and cannot do it at this moment
        ├── CertificateError   what answers cannot show that it is the service that is meant
        ├── LoginError         there is no valid token: it is unknown, revoked, expired, or its owner is disabled
        ├── BusyError          a limit was reached; later it may work
        │   └── DiskFullError  the disk of the service is full
        └── ProtocolError      the service speaks another major version of the protocol, or is none of ours

`error_of` makes them, and those of `arena.model.errors`, of what a service answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from arena.model.errors import (
    ClientError,
    DamagedError,
    FellBehindError,
    ForbiddenError,
    HiddenError,
    RefusedError,
    UnknownError,
)
from arena.wire.status import STATUS_DETAILS_KEY, Status, decode_status
from engine.translatable import Text

if TYPE_CHECKING:
    import grpc


class ServiceError(ClientError):
    """The service could not do what was asked."""

    kind = "unavailable"


class UnreachableError(ServiceError):
    """Nobody answers, or the connection broke."""


class UnavailableError(ServiceError):
    """The service cannot do it at this moment, and may in the next."""


class CertificateError(ServiceError):
    """What answers cannot show that it is the service that is meant."""


class LoginError(ServiceError):
    """There is no valid token for the service."""

    kind = "unauthenticated"


class BusyError(ServiceError):
    """A limit was reached, or the service is short of something; later it may work."""

    kind = "limit"


class DiskFullError(BusyError):
    """The disk of the service is full, and nothing was recorded."""

    kind = "full"
    reason = "DISK_FULL"


class ProtocolError(ServiceError):
    """What answers speaks another protocol."""

    reason = "PROTOCOL_VERSION"


_BY_CODE: Mapping[str, type[ClientError]] = {
    "NOT_FOUND": UnknownError,
    "PERMISSION_DENIED": ForbiddenError,
    "UNAUTHENTICATED": LoginError,
    "INVALID_ARGUMENT": RefusedError,
    "OUT_OF_RANGE": RefusedError,
    "ALREADY_EXISTS": RefusedError,
    "FAILED_PRECONDITION": RefusedError,
    "RESOURCE_EXHAUSTED": BusyError,
    "UNAVAILABLE": UnavailableError,
}
"""By the names of gRPC's codes: who needs only the classes does not import it."""
_BY_REASON: dict[str, type[ClientError]] = {
    **{kind.reason: kind for kind in (HiddenError, DamagedError, ProtocolError, DiskFullError, ClientError)},
    "STATISTICS": ClientError,
    "TOURNAMENT": ClientError,
    "UPLOAD_DISK_FULL": DiskFullError,
}
"""Those of another kind than their code says: several kinds share one."""


def error_of(error: grpc.RpcError, place: str, diagnose: Callable[[], ClientError | None]) -> ClientError:
    """Return what a call that failed at a service means; `diagnose` finds out why nobody could be reached."""
    call: Any = error
    code, text = call.code().name, call.details() or ""
    status = status_of(call.trailing_metadata() or ())
    if status is not None:
        if status.reason == "FELL_BEHIND":
            return FellBehindError(int(status.metadata.get("sequence", -1)))
        kind = _BY_REASON.get(status.reason) or _BY_CODE.get(code, ServiceError)
        return kind(status.message)
    if code == "UNAVAILABLE":
        return diagnose() or UnreachableError(
            Text("the service at {place} cannot be reached ({why}); try again", place=place, why=text)
        )
    if code == "UNIMPLEMENTED":
        return ProtocolError(
            Text(
                "the service at {place} does not know this call; this is its address for remote bots, which "
                "`arena login` does not want, or it is of another version of the arena, or no arena's",
                place=place,
            )
        )
    if code == "DEADLINE_EXCEEDED":
        return UnreachableError(Text("the service at {place} did not answer in time; try again", place=place))
    if code == "CANCELLED":
        return UnreachableError(Text("the connection to {place} was closed; try again", place=place))
    return ServiceError(Text("the service at {place} failed: {why}; tell the organiser", place=place, why=text or code))


def status_of(metadata: Iterable[tuple[str, str | bytes]]) -> Status | None:
    """Return the status with a reason of ours that came with an error, or `None`."""
    for key, value in metadata:
        if key == STATUS_DETAILS_KEY and isinstance(value, bytes):
            try:
                status = decode_status(value)
            except ValueError:
                return None
            return status if status.reason else None
    return None
