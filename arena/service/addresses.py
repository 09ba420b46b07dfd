"""Addresses to listen on, `host:port` or `[host]:port` for IPv6, and why one cannot be listened on."""

from __future__ import annotations

import errno
import ipaddress
import re
import socket
from dataclasses import dataclass

from engine.os_errors import os_error_text
from engine.translatable import Text

_BRACKETED = re.compile(r"\[([0-9A-Fa-f:.%\w]+)\]:(\d{1,5})", re.ASCII)
_PLAIN = re.compile(r"([A-Za-z0-9.-]+):(\d{1,5})", re.ASCII)
_LARGEST_PORT = 65_535
_FIRST_FREE_PORT = 1024


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port; port 0 lets the system choose one."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Return whether only processes of this machine can reach it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def parse_address(text: str) -> Address:
    """Return the address in `host:port`. Raises ValueError."""
    found = _BRACKETED.fullmatch(text) or _PLAIN.fullmatch(text)
    if found is None or int(found[2]) > _LARGEST_PORT:
        raise ValueError(Text("{text} is no address of the form host:port", text=repr(text)))
    return Address(found[1], int(found[2]))


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
