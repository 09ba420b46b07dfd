"""A process that waits for the end of the launcher and clears up after it if it was killed.

A sandbox dies with the launcher once it stands, but not in the first milliseconds while it is made; a bot without one
may have daemons. The guardian is forked from the launcher at its start and told of every bot, by a pipe that ends with
the launcher. It kills by session, group and token, whose numbers nobody else gets as long as one member lives; where
there is no /proc, by group alone.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

from arena.hosting.cgroups.launcher_groups import GroupHolder
from arena.hosting.launcher.process_control import signal_exactly
from arena.hosting.prctl import die_with_parent
from arena.hosting.procfs.processes import (
    has_proc,
    list_processes,
    read_environment,
    read_relations,
    set_title,
)
from arena.hosting.removal import remove_tree

CLEAR_LOOKS = 3
LOOK_S = 0.02
GIVE_UP_S = 5.0
_TITLE = b"arena guardian"
_FIRST_UNUSED = 64
"""No higher descriptor is open in a launcher that has just started."""


class Guardian:
    """The launcher's side, which tells the guardian of bots that start and end."""

    def __init__(self, directories: Sequence[str], groups: GroupHolder) -> None:
        read_end, self._pipe = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                _guard(read_end, directories, groups)
            finally:
                os._exit(0)
        os.close(read_end)

    def watch(self, pid: int, token: bytes) -> None:
        """Report that a bot has been started, or (with a negative number as `pid`) is being started."""
        self._send(b"+%d %s\n" % (pid, token))

    def forget(self, pid: int) -> None:
        """Report that a bot has ended and nothing of it is left."""
        self._send(b"-%d\n" % pid)

    def close(self) -> None:
        """End the guardian and wait for it."""
        os.close(self._pipe)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)

    def _send(self, line: bytes) -> None:
        with suppress(BrokenPipeError):  # the guardian was killed; nothing can replace it now
            os.write(self._pipe, line)


def _guard(pipe: int, directories: Sequence[str], groups: GroupHolder) -> None:
    die_with_parent(0)
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _keep_only(pipe)
    set_title(_TITLE)
    bots = _read_until_the_end()
    if bots:
        groups.clear()  # who is frozen in one could not die
    _end_all(bots)
    for directory in directories:
        remove_tree(directory)


def _keep_only(pipe: int) -> None:
    """Make the pipe stdin and close everything else, so that readers of the launcher's output see its end."""
    os.dup2(pipe, 0)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.closerange(3, _FIRST_UNUSED)


def _read_until_the_end() -> dict[int, bytes]:
    """Return the bots that were alive when the launcher died, with the token entry of each."""
    bots: dict[int, bytes] = {}
    rest = b""
    while data := os.read(0, 65536):
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            pid, _, token = line[1:].partition(b" ")
            if line.startswith(b"+"):
                bots[int(pid)] = token
            else:
                bots.pop(int(pid), None)
    return bots


def _end_all(bots: dict[int, bytes]) -> None:
    """Kill until nothing was found a few times in a row."""
    if not has_proc():
        _kill_groups(bots)
        return
    clear = 0
    until = time.monotonic() + GIVE_UP_S
    while bots and clear < CLEAR_LOOKS and time.monotonic() < until:
        clear = 0 if _kill_members(bots.keys(), set(bots.values())) else clear + 1
        time.sleep(LOOK_S)


def _kill_groups(leaders: Iterable[int]) -> None:
    """Kill the group of each bot; a negative number is one that was just being started."""
    for leader in leaders:
        with suppress(OSError):  # it has ended, or one of its members is a zombie
            if leader > 0 and os.getsid(leader) == leader:
                os.killpg(leader, signal.SIGKILL)


def _kill_members(leaders: Iterable[int], tokens: set[bytes]) -> bool:
    """Kill every process of these bots, and return whether there was any."""
    leaders, found = set(leaders), False
    for pid in list_processes():
        relations = read_relations(pid) if pid != os.getpid() else None
        if relations is None or relations.is_zombie:
            continue
        if {relations.group, relations.session} & leaders or tokens & read_environment(pid):
            signal_exactly(pid, relations)
            found = True
    return found
