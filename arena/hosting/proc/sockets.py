"""Looks at the unix sockets of this process by their paths: who listens, who is connected, and what lies unread.

gRPC keeps its descriptors to itself, and the kernel's table of sockets does not list those whose other end is in
another network namespace, as that of a sandboxed bot is. So each descriptor is asked for its name. Nothing is found
where there is no /proc.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Connections:
    """The connections that were accepted at one path and are open."""

    inodes: set[int] = field(default_factory=set)
    """What tells them apart."""
    unread: int = 0
    """How many bytes lie in them that nobody has read."""


def connections() -> dict[str, Connections]:
    """Return the accepted connections of this process by the path at which they came."""
    found: dict[str, Connections] = {}
    for number, path in _named_sockets(listening=False):
        with suppress(OSError):  # it has just been closed
            here = found.setdefault(path, Connections())
            here.inodes.add(os.fstat(number).st_ino)
            here.unread += struct.unpack("i", fcntl.ioctl(number, termios.FIONREAD, bytes(4)))[0]
    return found


def stop_listening(path: Path) -> None:
    """Have every further connection to a path refused. Connections that there are go on."""
    for number, name in _named_sockets(listening=True):
        if name == str(path):
            with suppress(OSError), socket.socket(fileno=os.dup(number)) as listener:
                listener.shutdown(socket.SHUT_RDWR)


def _named_sockets(*, listening: bool) -> Iterator[tuple[int, str]]:
    """Yield descriptor and path of each unix socket that listens, or of each that does not."""
    try:
        numbers = [int(name) for name in os.listdir("/proc/self/fd")]  # noqa: PTH208 - no paths are wanted
    except OSError:
        return
    for number in numbers:
        with suppress(OSError), _borrowed(number) as one:
            name = one.getsockname() if one.family == socket.AF_UNIX else ""
            if name and isinstance(name, str) and _listens(one) == listening:
                yield number, name


@contextmanager
def _borrowed(number: int) -> Iterator[socket.socket]:
    """Lend a descriptor as a socket, and leave it open. Raises OSError if it is none."""
    one = socket.socket(fileno=number)
    try:
        yield one
    finally:
        one.detach()


def _listens(one: socket.socket) -> bool:
    return bool(one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
