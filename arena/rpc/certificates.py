"""Fingerprints of certificates, and which certificate a service at an address shows."""

from __future__ import annotations

import base64
import hashlib
import re
import socket
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime

from arena.rpc.errors import CertificateError, UnreachableError
from engine.os_errors import os_error_text
from engine.translatable import Text

_DIGITS = 64
_PATIENCE_S = 10.0
_PEM = re.compile(rb"-----BEGIN CERTIFICATE-----\s+(.+?)\s+-----END CERTIFICATE-----", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PresentedCertificate:
    """What a service showed when it was asked for TLS."""

    certificate: str
    """PEM."""
    is_vouched_for: bool
    """An authority that this machine trusts vouches for it under the name that was asked for."""


def fingerprint_of(pem: bytes) -> str:
    """Return the SHA-256 of a PEM certificate as pairs of hexadecimal digits, `AB:CD:...`.

    Raises CertificateError if the text holds no certificate.
    """
    match = _PEM.search(pem)
    if match is None:
        raise CertificateError(Text("this is no certificate in PEM format (-----BEGIN CERTIFICATE-----)"))
    digest = hashlib.sha256(base64.b64decode(match[1])).hexdigest().upper()
    return ":".join(digest[place : place + 2] for place in range(0, _DIGITS, 2))


def parse_fingerprint(text: str) -> str:
    """Return a fingerprint that a person typed, as `fingerprint_of` writes it.

    Colons, blanks, the prefix `SHA256` and small letters are allowed. Raises CertificateError for anything else.
    """
    bare = re.sub(r"(?i)^sha-?256( fingerprint)?[:=\s]*", "", text.strip())
    digits = re.sub(r"[\s:]", "", bare).upper()
    if not re.fullmatch(rf"[0-9A-F]{{{_DIGITS}}}", digits):
        raise CertificateError(
            Text(
                "{text} is no SHA-256 fingerprint; it has {digits} hexadecimal digits, as `arena serve` prints them",
                text=repr(text),
                digits=_DIGITS,
            )
        )
    return ":".join(digits[place : place + 2] for place in range(0, _DIGITS, 2))


def fetch_certificate(host: str, port: int, patience_s: float = _PATIENCE_S) -> PresentedCertificate:
    """Ask a service for its certificate.

    Raises UnreachableError if nobody answers, and CertificateError if what answers does not speak TLS.
    """
    vouched, unchecked = ssl.create_default_context(), ssl.create_default_context()
    unchecked.check_hostname = False
    unchecked.verify_mode = ssl.CERT_NONE
    try:
        return PresentedCertificate(_handshake(host, port, vouched, patience_s), is_vouched_for=True)
    except ssl.SSLCertVerificationError:
        return PresentedCertificate(_handshake(host, port, unchecked, patience_s), is_vouched_for=False)


def _handshake(host: str, port: int, context: ssl.SSLContext, patience_s: float) -> str:
    context.set_alpn_protocols(["h2"])
    address = f"{host}:{port}"
    try:
        with (
            socket.create_connection((host, port), patience_s) as plain,
            context.wrap_socket(plain, server_hostname=host) as secure,
        ):
            data = secure.getpeercert(binary_form=True)
    except ssl.SSLCertVerificationError:
        raise
    except (ssl.SSLError, ConnectionResetError) as error:
        raise CertificateError(
            Text(
                "what answers at {address} does not speak TLS; check the port, or ask the organiser for the address",
                address=address,
            )
        ) from error
    except TimeoutError as error:
        raise UnreachableError(
            Text(
                "nothing answers at {address} within {seconds} s; check the address",
                address=address,
                seconds=f"{patience_s:g}",
            )
        ) from error
    except OSError as error:
        raise UnreachableError(
            Text("cannot reach {address}: {why}; check the address", address=address, why=os_error_text(error))
        ) from error
    if data is None:
        raise CertificateError(
            Text("what answers at {address} shows no certificate; ask the organiser for the address", address=address)
        )
    return ssl.DER_cert_to_PEM_cert(data)


def check_dates(pem: str, now: datetime | None = None) -> None:
    """Raise CertificateError if a certificate is not valid any more, or not yet, by the clock of this machine."""
    from cryptography import x509

    certificate = x509.load_pem_x509_certificate(pem.encode())
    first, last = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    now = now or datetime.now(UTC)
    clock = Text("this machine's clock says {time} UTC", time=f"{now:%Y-%m-%d %H:%M}")
    if now > last:
        raise CertificateError(
            Text(
                "the certificate expired on {last}, and {why}; if that is right, the organiser makes a new one "
                "by removing cert.pem and key.pem in the home's tls/ and starting `arena serve "
                "--tls-self-signed` anew",
                last=f"{last:%Y-%m-%d}",
                why=clock,
            )
        )
    if now < first:
        raise CertificateError(
            Text(
                "the certificate is valid only from {first} to {last} UTC, and {why}; set the clock, for example "
                "with `timedatectl set-ntp true`",
                first=f"{first:%Y-%m-%d %H:%M}",
                last=f"{last:%Y-%m-%d %H:%M}",
                why=clock,
            )
        )


def name_in(pem: str) -> str:
    """Return a name or an address that a certificate is valid for, which a client that pinned it asks for."""
    from cryptography import x509

    certificate = x509.load_pem_x509_certificate(pem.encode())
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        raise CertificateError(Text("the certificate names no host it is valid for, so it cannot be pinned")) from None
    known = [*names.get_values_for_type(x509.DNSName), *map(str, names.get_values_for_type(x509.IPAddress))]
    usable = [name for name in known if "*" not in name]
    if not usable:
        raise CertificateError(Text("the certificate names no single host it is valid for, so it cannot be pinned"))
    return usable[0]
