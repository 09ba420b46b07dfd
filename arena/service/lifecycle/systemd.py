"""Tells systemd, if it started this process, what the service is doing (sd_notify's protocol, without its library)."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

VARIABLE = "NOTIFY_SOCKET"


def notify_systemd(text: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Send a state such as `READY=1`, and return whether somebody was there to hear it."""
    place = environ.get(VARIABLE)
    if not place:
        return False
    address = "\0" + place[1:] if place.startswith("@") else place
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as speaker:
            speaker.connect(address)
            speaker.sendall(text.encode())
    except OSError:
        return False  # a service that cannot speak to systemd serves all the same
    return True
