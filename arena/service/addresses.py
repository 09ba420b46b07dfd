"""Addresses to listen on, as people write them: `host:port`, or `[host]:port` for IPv6."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from engine.text import Text

_BRACKETED = re.compile(r"\[([0-9A-Fa-f:.%\w]+)\]:(\d{1,5})", re.ASCII)
_PLAIN = re.compile(r"([A-Za-z0-9.-]+):(\d{1,5})", re.ASCII)
_LARGEST_PORT = 65_535


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
        raise ValueError(
            Text("service.no_address_form_host_port", "{text} is no address of the form host:port", text=repr(text))
        )
    return Address(found[1], int(found[2]))
