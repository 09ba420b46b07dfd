"""Runs inside a sandbox that is being tried, and prints as JSON what it could do. Standard library only.

python main.py FILE_OUTSIDE MOST_PROCESSES     (0: no limit to look for)
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import importlib.util
import json
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CLONE_NEWUSER = 0x10000000
PTRACE_TRACEME = 0
FEW_PROCESSES = 16
LIFETIME_S = 60
PACKAGES = ("bots.kit", "arena.v1.play_pb2", "grpc")
"""What a bot imports that runs in the arena's own Python."""


def attempt(action: Callable[[], Any]) -> str:
    """Try an action, and return `done` or the name of the error."""
    try:
        action()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return "done"


def call(name: str, *arguments: int) -> None:
    """Call a function of the C library that returns -1 when it fails. Raises OSError."""
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), name)


def greet(path: str) -> None:
    """Connect to the socket that stands for the referee's."""
    with socket.socket(socket.AF_UNIX) as stream:
        stream.connect(path)


def read_package(name: str) -> None:
    """Read a module without running it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(errno.ENOENT, name)
    Path(spec.origin).read_bytes()


def count_forks() -> int:
    """Return how many processes can be started when few are allowed."""
    resource.setrlimit(resource.RLIMIT_NPROC, (FEW_PROCESSES, FEW_PROCESSES))
    children: list[int] = []
    try:
        while len(children) < 4 * FEW_PROCESSES:
            pid = os.fork()
            if pid == 0:
                signal.pause()
            children.append(pid)
    except OSError:
        pass
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return len(children)


def leave_daemon() -> None:
    """Leave a process behind that has left the session, where it may, and ends by itself only much later."""
    if os.fork() == 0:
        with contextlib.suppress(PermissionError):
            os.setsid()
        if os.fork() == 0:
            time.sleep(LIFETIME_S)
        os._exit(0)
    os.wait()


def main() -> None:
    """Try everything, print the findings, leave a daemon, and stay."""
    outside, most = sys.argv[1], int(sys.argv[2])
    address = os.environ["ARENA_ADDRESS"].removeprefix("unix:")
    findings = {
        "version": sys.version,
        "prefix": sys.prefix,
        "uid": os.getuid(),
        "packages": [attempt(lambda name=name: read_package(name)) for name in PACKAGES],  # type: ignore[misc]
        "outside": attempt(Path(outside).read_bytes),
        "passwords": attempt(Path("/etc/passwd").read_bytes),
        "code": attempt(Path(__file__).with_name("written").touch),
        "work": attempt(Path("written").touch),
        "sockets": [
            attempt(lambda family=family: socket.socket(family, socket.SOCK_DGRAM).close())  # type: ignore[misc]
            for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
        ],
        "referee": attempt(lambda: greet(address)),
        "calls": [
            attempt(lambda: call("unshare", CLONE_NEWUSER)),
            attempt(lambda: call("ptrace", PTRACE_TRACEME, 0, 0, 0)),
            attempt(lambda: call("setpriority", 0, 0, 19)),
            attempt(lambda: Path("/proc/self/autogroup").write_text("19", encoding="ascii")),
        ],
        "processes": resource.getrlimit(resource.RLIMIT_NPROC)[0],
        "forks": count_forks() if most else 0,
        "few": FEW_PROCESSES,
    }
    leave_daemon()
    sys.stdout.write(json.dumps(findings) + "\n")
    sys.stdout.flush()
    time.sleep(LIFETIME_S)


if __name__ == "__main__":
    main()
