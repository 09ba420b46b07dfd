"""Looks at the sockets of this process by their names: who listens, who is connected, and what lies unread.

The name of a unix socket is its path, that of a port "host:port". gRPC keeps its descriptors to itself, and the
kernel's table of sockets does not list those whose other end is in another network namespace, as that of a sandboxed
bot is. So each descriptor is asked for its name. Nothing is found where there is no /proc.
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

_MAPPED = "::ffff:"  # begins the address of an IPv4 socket that is served as one of IPv6, as gRPC does it


@dataclass(slots=True)
class Connections:
    """The connections that were accepted at one name and are open."""

    inodes: set[int] = field(default_factory=set)
    """What tells them apart."""
    descriptors: list[int] = field(default_factory=list)
    unread: int = 0
    """How many bytes lie in them that nobody has read."""


def connections() -> dict[str, Connections]:
    """Return the accepted connections of this process by the name at which they came."""
    found: dict[str, Connections] = {}
    for number, name in _named_sockets(listening=False):
        with suppress(OSError):  # it has just been closed
            here = found.setdefault(name, Connections())
            here.descriptors.append(number)
            here.inodes.add(os.fstat(number).st_ino)
            here.unread += struct.unpack("i", fcntl.ioctl(number, termios.FIONREAD, bytes(4)))[0]
    return found


def stop_listening(name: str) -> None:
    """Have every further connection to a name refused. Connections that there are go on."""
    for number, there in _named_sockets(listening=True):
        if there == name:
            with suppress(OSError), socket.socket(fileno=os.dup(number)) as listener:
                listener.shutdown(socket.SHUT_RDWR)


def limit_waiting(name: str, most: int) -> None:
    """Keep about `most` connections to a unix socket until they are accepted; whoever opens more of them has to wait.

    gRPC has thousands kept, which hold memory of the kernel, whether or not they were closed again.
    """
    for number, there in _named_sockets(listening=True):
        if there == name:
            with suppress(OSError), _borrowed(number) as listener:
                listener.listen(most)


def _named_sockets(*, listening: bool) -> Iterator[tuple[int, str]]:
    """Yield descriptor and name of each socket that listens, or of each that does not."""
    try:
        numbers = [int(name) for name in os.listdir("/proc/self/fd")]  # noqa: PTH208 - no paths are wanted
    except OSError:
        return
    for number in numbers:
        with suppress(OSError), _borrowed(number) as one:
            name = _name(one)
            if name and bool(one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)) == listening:
                yield number, name


def _name(one: socket.socket) -> str:
    """Return the name of a socket, or an empty text if it has none. Raises OSError."""
    name = one.getsockname()
    if one.family == socket.AF_UNIX:
        return name if isinstance(name, str) else ""
    if one.family in {socket.AF_INET, socket.AF_INET6}:
        return f"{name[0].removeprefix(_MAPPED)}:{name[1]}"
    return ""


@contextmanager
def _borrowed(number: int) -> Iterator[socket.socket]:
    """Lend a descriptor as a socket, and leave it open. Raises OSError if it is none."""
    one = socket.socket(fileno=number)
    try:
        yield one
    finally:
        one.detach()
