"""Connects to a service: by a stored login, over the socket on its own machine, or for the first time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arena.model.accounts import PROTOCOL_MAJOR, Identity
from arena.model.errors import RefusedError
from arena.rpc.certificates import check_dates, fetch_certificate, fingerprint_of, name_in, parse_fingerprint
from arena.rpc.channel import UNIX, Endpoint
from arena.rpc.errors import CertificateError, ProtocolError
from arena.rpc.profiles import Profile, is_loopback, load_profile, split_address
from arena.rpc.remote_arena import Behalf, Line, RemoteArena
from engine.translatable import Text

Confirm = Callable[[str], bool]
"""Asks a person whether a fingerprint is the one that the organiser told."""


@contextmanager
def connect(name: str) -> Iterator[RemoteArena]:
    """Open the service that a stored login is for, or that listens at `unix:` and a path; it is closed at the end.

    Raises UnknownError if there is no such login, and ProfileError if it cannot be read.
    """
    if name.startswith(UNIX):
        with open_line(Endpoint(name)) as line:
            yield RemoteArena(line)
    else:
        profile = load_profile(name)
        with open_line(Endpoint.of(profile), profile.token) as line:
            yield RemoteArena(line)


@contextmanager
def open_line(endpoint: Endpoint, token: str | None = None, behalf: Behalf | None = None) -> Iterator[Line]:
    """Open a connection, which is closed at the end."""
    line = Line(endpoint, token, behalf)
    try:
        yield line
    finally:
        line.close()


def meet(address: str, fingerprint: str | None, confirm: Confirm) -> Endpoint:
    """Find out how a service is reached safely that nobody here has talked to yet.

    If no authority vouches for its certificate, the certificate is pinned: when it has the fingerprint that was given,
    or a person confirms it. Raises CertificateError and UnreachableError, and RefusedError for a text that is no
    address.
    """
    if address.startswith(UNIX):
        return Endpoint(address)
    try:
        host, port = split_address(address)
    except ValueError as error:
        raise RefusedError(str(error)) from error
    wanted = None if fingerprint is None else parse_fingerprint(fingerprint)
    try:
        shown = fetch_certificate(host, port)
    except CertificateError:
        if wanted is None and is_loopback(address):
            return Endpoint(address, plain=True)
        raise
    if shown.is_vouched_for and wanted is None:
        return Endpoint(address)
    found = fingerprint_of(shown.certificate.encode())
    if wanted is not None and found != wanted:
        raise CertificateError(
            Text(
                "{address} shows a certificate with the fingerprint {found}, not {wanted}; check the address, "
                "and ask the organiser for the fingerprint",
                address=address,
                found=found,
                wanted=wanted,
            )
        )
    check_dates(shown.certificate)
    if wanted is None and not confirm(found):
        raise CertificateError(
            Text("the certificate of {address} was not confirmed; nothing was stored", address=address)
        )
    return Endpoint(address, shown.certificate, name_in(shown.certificate))


def redeem(endpoint: Endpoint, code: str, token_name: str) -> str:
    """Return the token that the code of an invitation becomes. Raises ForbiddenError for a code that is none."""
    with open_line(endpoint) as line:
        return RemoteArena(line).entrance.redeem_invitation(code, token_name).token


def log_in(endpoint: Endpoint, name: str, token: str) -> Profile:
    """Return the login for a token, which the service was asked about. Raises LoginError if it is worth nothing."""
    with open_line(endpoint, token) as line:
        identity = RemoteArena(line).account.get_identity()
    check_protocol(identity, endpoint.address)
    certificate = endpoint.certificate
    return Profile(
        name=name,
        address=endpoint.address,
        token=token,
        owner=identity.owner,
        scope=identity.scope,
        certificate=certificate,
        fingerprint=None if certificate is None else fingerprint_of(certificate.encode()),
        certificate_name=endpoint.certificate_name,
        plain=endpoint.plain,
    )


def check_protocol(identity: Identity, place: str) -> None:
    """Raise ProtocolError, naming both, if a service speaks another major version of the protocol."""
    if identity.protocol_major != PROTOCOL_MAJOR:
        raise ProtocolError(
            Text(
                "the service at {place} speaks version {theirs} of the protocol, and this arena version {ours}; "
                "install the arena of the service's version",
                place=place,
                theirs=identity.protocol_major,
                ours=PROTOCOL_MAJOR,
            )
        )
