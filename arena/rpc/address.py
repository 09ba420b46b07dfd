"""The address of a service as a client writes it: `host:port`, or `[host]:port` for IPv6."""

from __future__ import annotations

import ipaddress
import re

_ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:.]+(?:%\w+)?)\]|([\w.-]+)):(\d{1,5})")
_LARGEST_PORT = 65_535


def split_address(address: str) -> tuple[str, int]:
    """Return host and port of an address. Raises ValueError, with the remedy, for a text that is none."""
    found = _ADDRESS.fullmatch(address)
    if found is None or not 0 < int(found[3]) <= _LARGEST_PORT:
        raise ValueError(
            f"{address!r} is no address; write HOST:PORT, for example arena.example.org:7733 or [2001:db8::7]:7733"
        )
    return found[1] or found[2], int(found[3])


def is_loopback(address: str) -> bool:
    """Return whether an address is on this machine. Raises ValueError for a text that is none."""
    host = split_address(address)[0]
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
