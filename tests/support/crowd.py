"""A machine that has no room for another process of one user: a real limit, lowered while its programs run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_FIRST_UID = 1_880_000_000
"""Above the ids of containers, below those that the arena gives to bots."""

# Arguments: how many processes are allowed before these can start none (nothing: as many as may be), and their ids.
_LIMIT = """
import contextlib, resource, sys
most, *processes = sys.argv[1:]
for pid in map(int, processes):
    with contextlib.suppress(ProcessLookupError):  # it has ended
        _, allowed = resource.prlimit(pid, resource.RLIMIT_NPROC)
        resource.prlimit(pid, resource.RLIMIT_NPROC, (int(most or allowed), allowed))
"""


class SmallUser:
    """A user to whom a limit of processes applies; for root, whom none stops, that is a user of its own."""

    def __init__(self, directory: Path) -> None:
        """Give that user a directory with all that is in it. The test is skipped where no such user can be had."""
        self.words: list[str] = []
        """What runs a command as that user."""
        if sys.platform != "linux" or shutil.which("setpriv") is None:
            pytest.skip("it takes setpriv, of Linux")
        if os.getuid() == 0:
            uid = _FIRST_UID + os.getpid()
            # It must read the interpreter, wherever that lies, and has no right to pass its limit.
            kinds = ("inh-caps", "ambient-caps", "bounding-set")
            rights = [f"--{kind}=-all,+dac_read_search" for kind in kinds]
            self.words = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", *rights]
            for path in (directory, *directory.rglob("*")):
                os.chown(path, uid, uid, follow_symlinks=False)
            tried = subprocess.run([*self.words, "true"], capture_output=True, text=True, check=False)
            if tried.returncode:
                pytest.skip(f"nothing runs here as another user: {tried.stderr.strip()}")

    @contextmanager
    def crowded(self, processes: Iterable[int]) -> Iterator[None]:
        """While this is open, these processes of the user can start no other one, nor a thread."""
        numbers = [str(pid) for pid in processes]
        command = [*self.words, sys.executable, "-c", _LIMIT]
        subprocess.run([*command, "1", *numbers], check=True)
        try:
            yield
        finally:
            subprocess.run([*command, "", *numbers], check=True)
