"""Why an address cannot be listened on, in one line with the remedy."""

from __future__ import annotations

import errno
import socket

from arena.service.addresses import Address
from engine.os_errors import os_error_text
from engine.text import Text

_FIRST_FREE_PORT = 1024


def explain(address: Address, error: OSError, flag: str) -> str:
    """Return in one line why an address cannot be listened on; `flag` is the option that chooses another."""
    if isinstance(error, socket.gaierror):
        return f"{address.host} is the name of no machine; choose an address of this machine with {flag}"
    if error.errno == errno.EADDRINUSE:
        return f"{address} is in use; stop what listens there, or choose another address with {flag}"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{address.host} is no address of this machine; choose one of its own, or 0.0.0.0 for all, with {flag}"
    if error.errno == errno.EACCES and address.port < _FIRST_FREE_PORT:
        return (
            f"{address} needs more rights than this user has, like all ports below {_FIRST_FREE_PORT}; "
            f"choose another port with {flag}, or let a proxy listen there"
        )
    return Text(
        "service.cannot_be_listened_on_because",
        "{address} cannot be listened on: {why}; choose another address with {flag}",
        address=address,
        why=os_error_text(error),
        flag=flag,
    )


def try_to_listen(address: Address) -> None:
    """Listen for a moment. Raises OSError, which tells what a library kept to itself."""
    found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    for family, kind, protocol, _, place in found:
        with socket.socket(family, kind, protocol) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            listener.listen()
