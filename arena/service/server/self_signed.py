"""Makes the certificate with which a service without an authority of its own shows who it is.

Nobody vouches for it: those who log in pin it by its fingerprint, which the organiser tells them.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from arena.rpc.certificates import fingerprint_of
from arena.rpc.errors import CertificateError
from engine.os_errors import os_error_text
from engine.translatable import Text

if TYPE_CHECKING:  # it costs 20 ms and 8 MB, and only making a certificate needs it
    from cryptography import x509

LIFETIME = timedelta(days=825)
"""The longest that operating systems accept."""
_BACKDATED = timedelta(hours=1)
"""Clocks differ, and a certificate that is not valid yet is refused."""
_CERTIFICATE, _KEY = "cert.pem", "key.pem"


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Where a certificate and its private key lie, both as PEM."""

    certificate: Path
    key: Path

    @property
    def fingerprint(self) -> str:
        """Return the SHA-256 of the certificate as people compare it. Raises CertificateError if it cannot be read."""
        return fingerprint_of(read_pem(self.certificate))


def read_pem(file: Path) -> bytes:
    """Return what a file of TLS holds. Raises CertificateError, with the remedy, if it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise CertificateError(
            Text(
                "cannot read {file}: {why}; `arena serve --tls-self-signed` makes a certificate and its key",
                file=file,
                why=os_error_text(error),
            )
        ) from error


def expiry_of(certificate: Path) -> datetime:
    """Return when a certificate (PEM) ends to be valid. Raises CertificateError if it cannot be read."""
    from cryptography import x509

    try:
        return x509.load_pem_x509_certificate(read_pem(certificate)).not_valid_after_utc
    except ValueError as error:
        raise CertificateError(
            Text("{file} is no certificate in PEM; write the path of one", file=certificate)
        ) from error


def find_certificate(directory: Path) -> TlsFiles | None:
    """Return the certificate in a directory, or `None` if there is none or its key is missing."""
    files = TlsFiles(directory / _CERTIFICATE, directory / _KEY)
    return files if files.certificate.exists() and files.key.exists() else None


def make_certificate(directory: Path, hosts: Sequence[str]) -> TlsFiles:
    """Return the certificate in a directory, and make one, valid for these names and addresses, if there is none.

    An existing one is kept, even for other hosts, because those who pinned it would no longer know the service.
    """
    found = find_certificate(directory)
    if found is not None:
        return found
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    files = TlsFiles(directory / _CERTIFICATE, directory / _KEY)
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Kingmaker Arena")])
    now = datetime.now(UTC)
    names: list[x509.GeneralName] = []
    for host in dict.fromkeys([*hosts, "localhost", "127.0.0.1", "::1"]):
        try:
            names.append(x509.IPAddress(ipaddress.ip_address(host)))
        except ValueError:
            try:
                names.append(x509.DNSName(host.encode("idna").decode("ascii")))
            except (UnicodeError, ValueError) as error:
                raise CertificateError(
                    Text(
                        "{host} is no name of a host and no IP address; write for example arena.example.org",
                        host=repr(host),
                    )
                ) from error
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _BACKDATED)
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        # Its own authority, and of nobody else.
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    )
    form = serialization.PrivateFormat.PKCS8
    plain = serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    certificate, key = builder.sign(private, hashes.SHA256()).public_bytes(pem), private.private_bytes(pem, form, plain)
    _write(files.key, key)
    _write(files.certificate, certificate)
    return files


def _write(file: Path, data: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    unfinished.replace(file)
