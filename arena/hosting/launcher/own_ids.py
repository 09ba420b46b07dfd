"""Lets the launcher of an ordinary user give each bot a user id of its own, from those that the host set aside for him.

What the kernel counts per user runs out for everybody with the same id: descriptors on their way through sockets,
watches of epoll, pages in pipes. Root gives bots ids as it likes. Another user needs a range in /etc/subuid and
/etc/subgid, which `newuidmap` and `newgidmap` put into a user namespace. In that he is root over his own files and
these ids, and sandboxes are made there as root makes them.
"""

from __future__ import annotations

import json
import os
import pwd
import signal
import socket
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import astuple

from arena.hosting.prctl import CLONE_NEWUSER, die_with_parent, make_user_namespace, set_namespace
from arena.hosting.procfs.processes import set_title
from arena.hosting.procfs.usage import KernelObjects, count_kernel_objects
from engine.translatable import Text, joined

USED_IDS = 4096
"""The last ones of the range; containers of the same user take the first ones."""
FEWEST_IDS = 128
_FILES = ("/etc/subuid", "/etc/subgid")
_TOOLS = ("newuidmap", "newgidmap")
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin", "LANG": "C.UTF-8"}
_TITLE = b"arena reader of bots"
_PATIENCE_S = 5.0
"""Well below the time after which a launcher that does not answer is replaced."""
_PRIVILEGES = Text(
    "it needs a unit of systemd with NoNewPrivileges=no and without CapabilityBoundingSet=, or a container without "
    "no-new-privileges"
)
_TRIAL = (
    *("bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc"),
    *("--dev", "/dev", "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--"),
    *("setpriv", "--reuid", "1", "--regid", "1", "--clear-groups", "--inh-caps=-all", "--", "true"),
)


class OwnIdsError(OSError):
    """Bots of this user cannot have ids of their own; the message says why, and names the remedy where it is known."""


class OwnIds:
    """A user namespace with ids for bots. It lasts as long as this object, or as somebody lives in it."""

    def __init__(self) -> None:
        """Make the namespace, and try a sandbox in it. Raises OwnIdsError."""
        if not os.stat("/proc/self/fd").st_size:  # noqa: PTH116 - pathlib would double the start-up of the launcher
            # Who may not list the open files of another user's process can count them only where this is their number.
            raise OwnIdsError(Text("this kernel is older than Linux 6.2"))
        users, groups = map(find_range, _FILES)
        count = min(len(users), len(groups))
        self.ids = users[max(count - USED_IDS, 0) : count]
        """Those that bots may get, as the host counts them."""
        self._first = users.start
        own = (os.geteuid(), users), (os.getegid(), groups)
        self._namespace = _make_namespace([["0", f"{me}", "1", "1", f"{ids.start}", f"{count}"] for me, ids in own])
        problem = _run(_TRIAL, self.enter)
        if problem:
            os.close(self._namespace)
            raise OwnIdsError(Text("a sandbox with a user id of its own could not be made: {why}", why=problem))
        # Only in the namespace can the open files of its users be listed. A process for each look would take too long.
        self.reader_pid = 0
        self._questions = self._start_reader()
        self._answers = self._questions.makefile("rb")

    def inside(self, uid: int) -> int:
        """Return what one of `ids` is called in the namespace."""
        return uid - self._first + 1

    def enter(self) -> None:
        """Move this process, which was made for that, into the namespace; it is root there. Raises OSError."""
        set_namespace(self._namespace, CLONE_NEWUSER)

    def count(self, pids: Sequence[int]) -> KernelObjects:
        """Return what processes with such ids hold of the kernel; nothing if nobody can tell any more."""
        with suppress(OSError):
            self._questions.sendall(json.dumps(pids).encode() + b"\n")
            if answer := self._answers.readline():
                return KernelObjects(*json.loads(answer))
        return KernelObjects()

    def close(self) -> None:
        """End the process that counts, and wait for it."""
        self._answers.close()
        self._questions.close()
        with suppress(ChildProcessError):
            os.waitpid(self.reader_pid, 0)

    def _start_reader(self) -> socket.socket:
        """Start a process in the namespace that counts, and return the socket to it, with whose end it ends."""
        ours, its = socket.socketpair()
        self.reader_pid = os.fork()
        if not self.reader_pid:
            try:
                ours.close()
                signal.set_wakeup_fd(-1)
                set_title(_TITLE)
                self.enter()
                die_with_parent(signal.SIGKILL)
                with its.makefile("rwb") as stream:
                    for line in stream:
                        stream.write(json.dumps(astuple(count_kernel_objects(json.loads(line)))).encode() + b"\n")
                        stream.flush()
            finally:
                os._exit(0)
        its.close()
        return ours


def find_range(path: str) -> range:
    """Return the first range of ids that a file such as /etc/subuid gives to this user. Raises OwnIdsError."""
    uid = os.geteuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = str(uid)
    lines: list[list[str]] = []
    with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as above
        lines = [line.strip().split(":") for line in file]
    for owner, *figures in lines:
        if owner in (name, str(uid)) and len(figures) == 2 and all(map(str.isdecimal, figures)):
            start, count = map(int, figures)
            if count >= FEWEST_IDS:
                return range(start, start + count)
    why = Text("{path} gives no {number} ids to the user {name}", path=path, number=FEWEST_IDS, name=name)
    command = "usermod --add-subuids 100000-165535 --add-subgids 100000-165535"
    raise OwnIdsError(joined(why, Text("run as root: {command} {name}", command=command, name=name)))


def _make_namespace(maps: Sequence[Sequence[str]]) -> int:
    """Return a descriptor of a new user namespace with these ids of users and of groups. Raises OwnIdsError."""
    ours, its = socket.socketpair()
    child = os.fork()
    if not child:
        try:
            ours.close()
            make_user_namespace()
            its.send(b"x")
            its.recv(1)  # until the other end is closed
        finally:
            os._exit(0)
    its.close()
    try:
        if not ours.recv(1):
            raise OwnIdsError(Text("user namespaces are forbidden here"))
        for tool, words in zip(_TOOLS, maps, strict=True):
            if problem := _run([tool, str(child), *words]):
                raise OwnIdsError(joined(problem, _PRIVILEGES))
        return os.open(f"/proc/{child}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        ours.close()
        os.waitpid(child, 0)


def _run(words: Sequence[str], prepare: Callable[[], None] | None = None) -> str:
    """Run a program, and return why it failed; empty if it has not. Raises OwnIdsError if it is not there."""
    try:
        ended = subprocess.run(
            words,
            env=_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_PATIENCE_S,
            preexec_fn=prepare,
        )
    except FileNotFoundError as error:
        what = Text("{name} is not installed", name=words[0])
        raise OwnIdsError(joined(what, Text("install it with: apt-get install {package}", package="uidmap"))) from error
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    lines = ended.stderr.decode(errors="replace").strip().splitlines()
    return "" if ended.returncode == 0 else lines[-1] if lines else f"exit status {ended.returncode}"
