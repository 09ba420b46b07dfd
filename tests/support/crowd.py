"""A machine that has no room for another process of one user: a real limit, filled by a program of the test.

python -m tests.support.crowd: fills what is left, says `full`, and keeps it so until its input ends
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.hosting.proc.processes import list_processes, list_threads

ROOM = 260
"""How many processes and threads the user may have besides those that it has already."""
_FIRST_UID = 1_880_000_000
"""Above the ids of containers, below those that the arena gives to bots."""


class SmallUser:
    """Commands whose user may have only so many processes; as root that is a user of its own."""

    def __init__(self, directory: Path) -> None:
        """Give that user a directory with all that is in it. The test is skipped where no such user can be had."""
        if sys.platform != "linux" or shutil.which("prlimit") is None or shutil.which("setpriv") is None:
            pytest.skip("it takes prlimit and setpriv, of Linux")
        self.words = ["prlimit", f"--nproc={_count_tasks(os.getuid()) + ROOM}"]
        if os.getuid() == 0:
            uid = _FIRST_UID + os.getpid()
            # It must read the interpreter, wherever that lies, and has no right to pass its limit.
            kinds = ("inh-caps", "ambient-caps", "bounding-set")
            rights = [f"--{kind}=-all,+dac_read_search" for kind in kinds]
            self.words = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", *rights]
            self.words += ["prlimit", f"--nproc={ROOM}"]
            for path in (directory, *directory.rglob("*")):
                os.chown(path, uid, uid, follow_symlinks=False)
        tried = subprocess.run([*self.words, "true"], capture_output=True, text=True, check=False)
        if tried.returncode:
            pytest.skip(f"no limit of processes can be set here: {tried.stderr.strip()}")

    @contextmanager
    def crowded(self) -> Iterator[None]:
        """While this is open, it can have no other process."""
        command = [*self.words, sys.executable, "-m", "tests.support.crowd"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as filler:
            assert filler.stdout is not None
            assert filler.stdout.readline() == b"full\n"
            yield
            assert filler.poll() is None


def _count_tasks(uid: int) -> int:
    """Return how many processes and threads a user has."""
    found = 0
    for pid in list_processes():
        with suppress(OSError):  # it has just ended
            found += len(list_threads(pid)) if Path(f"/proc/{pid}").stat().st_uid == uid else 0
    return found


def main() -> None:
    """Fill, and fill again what others leave."""
    ours, its = os.pipe()
    is_full = False
    while not select.select([sys.stdin], [], [], 0.005 if is_full else 0)[0]:
        try:
            child = os.fork()
        except BlockingIOError:
            if not is_full:
                os.write(1, b"full\n")
            is_full = True
            continue
        if child == 0:
            os.close(its)
            os.read(ours, 1)  # until the filler has ended
            os._exit(0)


if __name__ == "__main__":
    main()
