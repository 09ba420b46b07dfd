"""Runs in a control group that is being tried, and comes to its limits. Standard library only.

python group.py spin      computes; at SIGUSR1 it starts processes until that is refused, and ends
python group.py eat MIB   holds that much shared memory, which belongs to no process, and ends
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import sys

_CHUNK = 1 << 20


def start_too_many(*_: object) -> None:
    """Start processes that stay, until the kernel refuses, and end with all of them."""
    with contextlib.suppress(OSError):
        while True:
            if os.fork() == 0:
                signal.pause()
    os._exit(0)


def eat(mebibytes: int) -> None:
    """Write to shared memory."""
    held = mmap.mmap(-1, mebibytes * _CHUNK)
    for _ in range(mebibytes):
        held.write(b"x" * _CHUNK)


def main() -> None:
    """Do what the arguments say."""
    if sys.argv[1] == "eat":
        eat(int(sys.argv[2]))
        return
    signal.signal(signal.SIGUSR1, start_too_many)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        pass


if __name__ == "__main__":
    main()
