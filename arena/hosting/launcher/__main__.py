"""The launcher process, which starts bots. It has one thread, and imports no gRPC and little of `arena.hosting`.

Run by path with an isolated interpreter (`python -I -S .../launcher/__main__.py FD [DIRECTORY...]`); `server` tells
what it reads and writes. Descriptors for bots come through the socket `FD`. At its end it removes the directories.
"""

from __future__ import annotations

import os
import signal
import sys

# Appended, so that nothing in that directory shadows the standard library; only `arena` is imported from it.
sys.path.append(os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..")))  # noqa: PTH100, PTH118, PTH120

from arena.hosting.cgroups.launcher_groups import GroupHolder
from arena.hosting.launcher.guardian import Guardian
from arena.hosting.launcher.messages import STREAM_NUMBER
from arena.hosting.launcher.server import LauncherServer, PassedDescriptors
from arena.hosting.prctl import PR_SET_CHILD_SUBREAPER, die_with_parent, prctl
from arena.hosting.removal import remove_tree


def main() -> None:
    """Serve commands from stdin. The arguments are the socket for descriptors and directories to remove at the end."""
    passed, *directories = int(sys.argv[1]), *sys.argv[2:]
    # What a bot gets stands there in its process; no pipe of ours may lie there that its start needs.
    if passed != STREAM_NUMBER:
        os.dup2(passed, STREAM_NUMBER, inheritable=False)
        os.close(passed)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    parent = os.getppid()
    die_with_parent(signal.SIGTERM)
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    groups = GroupHolder()
    guardian = Guardian(directories, groups)
    if os.getppid() == parent:
        LauncherServer(guardian, groups, PassedDescriptors(STREAM_NUMBER)).run(read_end)
    groups.close()
    for directory in directories:
        remove_tree(directory)
    guardian.close()


if __name__ == "__main__":
    main()
