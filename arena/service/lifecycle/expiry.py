"""Looks when the certificate of a service expires, so that nobody learns it from logins that fail."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena.rpc.errors import CertificateError
from arena.service.home import Home
from arena.service.server.tls import expiry_of, find_certificate
from engine.text import Text

WARNED_BEFORE = timedelta(days=60)
_OTHERS = "who pinned the old one gives the new fingerprint with `arena login ADDRESS --name NAME --fingerprint NEW`"
_OWN = f"remove {{}} and start with `arena serve --tls-self-signed`; {_OTHERS}"


def check_certificate(home: Home, named: str, now: datetime | None = None) -> tuple[list[str], list[str]]:
    """Return what is wrong with the certificate now, and what soon will be; `named` is that of the settings, if any."""
    own = find_certificate(home.tls)
    file = Path(named) if named else None if own is None else own.certificate
    if file is None:
        return [], []
    try:
        left = expiry_of(file) - (now or datetime.now(UTC))
    except CertificateError as error:
        return [str(error)], []
    remedy = f"have a new one written there, then start the service anew; {_OTHERS}" if named else _OWN.format(home.tls)
    if left <= timedelta(0):
        return [
            Text(
                "service.certificate_expired_so_nobody_can",
                "the certificate {file} has expired, so nobody can call the service; {remedy}",
                file=file,
                remedy=remedy,
            )
        ], []
    if left <= WARNED_BEFORE:
        return [], [
            Text(
                "service.certificate_expires_days",
                "the certificate {file} expires in {days} days; {remedy}",
                file=file,
                days=left.days,
                remedy=remedy,
            )
        ]
    return [], []
