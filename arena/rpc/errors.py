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
"""

from __future__ import annotations

from arena.model.errors import ClientError


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
