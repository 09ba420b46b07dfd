"""Starts the process of a bot with its directory, user id, limits and sandbox. The caller has one thread."""

from __future__ import annotations

import base64
import errno
import os
import pwd
import resource
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress

from arena.hosting.cgroups.cgroup import Cgroup
from arena.hosting.cgroups.launcher_groups import GroupHolder
from arena.hosting.launcher.confine import confine
from arena.hosting.launcher.launched_bot import LaunchedBot
from arena.hosting.launcher.messages import (
    STDIN,
    STDOUT,
    STREAM,
    STREAM_NUMBER,
    STREAM_VARIABLE,
    Confinement,
    StartRequest,
)
from arena.hosting.launcher.own_ids import OwnIds
from arena.hosting.prctl import die_with_parent
from arena.hosting.removal import remove_tree

UIDS = range(1_900_000_000, 1_900_004_096)
"""What root gives to bots: above the ids of systemd, containers and user namespaces (to 1,879,048,191), below 2^31."""
_NAME = "\0kingmaker-arena-uid-{}"


def spawn(
    key: int,
    request: StartRequest,
    launcher: int,
    groups: GroupHolder,
    own_ids: OwnIds | None = None,
    descriptors: Sequence[int] = (),
) -> LaunchedBot:
    """Start the requested process; `launcher` is the process id of the caller, `groups` makes its group if it gets one.

    A user id of its own comes from `own_ids`, unless root is the caller. `descriptors` are what the request says of
    them. Raises OSError, ValueError, SubprocessError; nothing is left behind then.
    """
    os.stat(request.directory)  # noqa: PTH116 - pathlib would double the start-up
    confinement = request.confinement
    with ExitStack() as on_failure, ExitStack() as inherited:
        uid = lock = status = group = None
        if confinement is not None and confinement.own_uid:
            uid, lock = take_uid(own_ids.ids if own_ids else UIDS)
            on_failure.callback(lock.close)
            _give(request.writable, uid)
        if confinement is not None and confinement.group is not None:
            group = groups.make(key, confinement.group)
            on_failure.callback(group.remove)
        on_failure.callback(remove_tree, request.scratch)
        _make_scratch(request.scratch)
        words, passed = {"{uid}": str(own_ids.inside(uid) if own_ids and uid else uid)}, []
        if confinement is not None and confinement.wrapper:
            status, write_end = os.pipe()
            on_failure.callback(os.close, status)
            inherited.callback(os.close, write_end)
            seccomp = _feed(base64.b64decode(confinement.seccomp))
            inherited.callback(os.close, seccomp)
            words |= {"{seccomp}": str(seccomp), "{status}": str(write_end)}
            passed = [seccomp, write_end]
        wrapper = [words.get(word, word) for word in confinement.wrapper] if confinement else []
        ids = None if uid is None else own_ids
        streams = dict(zip(request.descriptors, descriptors, strict=True))
        bot = LaunchedBot(key, request, _run(request, [*wrapper, *request.argv], passed, streams, launcher, group, ids))
        on_failure.pop_all()
    bot.status_pipe, bot.uid, bot.uid_lock, bot.group = status, uid, lock, group
    bot.own_ids = ids
    if group is not None:
        group.close_entrances()
        bot.freezer = CgroupFreezer(group)
    return bot


def _make_scratch(path: str | None) -> None:
    if path is not None:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)  # noqa: PTH103, PTH120 - as above
        os.mkdir(path, 0o700)  # noqa: PTH102 - as above


def _give(directory: str | None, uid: int) -> None:
    """Make a user the owner of a directory with all that is in it; it holds no links."""
    if directory is None:
        return
    os.chown(directory, uid, uid)
    for path, directories, names in os.walk(directory):
        for name in (*directories, *names):
            os.chown(os.path.join(path, name), uid, uid, follow_symlinks=False)  # noqa: PTH118 - as above


def _feed(data: bytes) -> int:
    """Return a descriptor from which `data`, which must fit into a pipe, can be read."""
    read_end, write_end = os.pipe()
    os.write(write_end, data)
    os.close(write_end)
    return read_end


def _run(
    request: StartRequest,
    argv: Sequence[str],
    passed_descriptors: Sequence[int],
    streams: Mapping[str, int],
    launcher: int,
    group: Cgroup | None,
    own_ids: OwnIds | None,
) -> subprocess.Popen[bytes]:
    def prepare() -> None:
        """Run in the new process before its program: die with the launcher, even if it has died just now."""
        die_with_parent(signal.SIGKILL)
        if os.getppid() != launcher:
            os._exit(1)
        if group is not None:
            group.enter()  # first of all, so that nothing it does is outside
        if STREAM in streams:
            os.dup2(streams[STREAM], STREAM_NUMBER)  # where the launcher has a descriptor of its own, and nothing else
        if own_ids is not None:
            own_ids.enter()
        if request.confinement is not None:
            _confine_this_process(request.confinement)

    environment = dict(request.environment)
    if STREAM in streams:
        passed_descriptors = [*passed_descriptors, STREAM_NUMBER]
        environment[STREAM_VARIABLE] = str(STREAM_NUMBER)
    return subprocess.Popen(
        argv,
        cwd=request.scratch or request.directory,
        env=environment,
        stdin=streams.get(STDIN, subprocess.DEVNULL),
        stdout=streams.get(STDOUT, subprocess.PIPE),
        stderr=subprocess.PIPE,
        start_new_session=True,
        pass_fds=passed_descriptors,
        preexec_fn=prepare,  # safe here: one thread, no gRPC
    )


def _confine_this_process(confinement: Confinement) -> None:
    for name, limit in confinement.rlimits.items():
        _set_limit(getattr(resource, name), limit)
    if confinement.landlock:
        confine(confinement.landlock, base64.b64decode(confinement.seccomp))


def _set_limit(which: int, limit: int) -> None:
    """Set a limit, lower than asked if the host allows no more."""
    _, most = resource.getrlimit(which)
    soft, hard = limit, limit + 1 if which == resource.RLIMIT_CPU else limit  # the hard limit sends SIGKILL
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(which, (soft, hard))


class NoUidError(OSError):
    """Every id of the range is taken."""


def take_uid(ids: range) -> tuple[int, socket.socket]:
    """Return one of the ids that no other process of any arena uses, and its lock; closing the lock gives the id back.

    Raises NoUidError.

    The lock is a name of an abstract socket: it vanishes with the process that holds it, so it is never stale.
    """
    start = int.from_bytes(os.urandom(2), "big") % len(ids)  # so that an id is not used again at once
    for uid in (*ids[start:], *ids[:start]):
        lock = socket.socket(socket.AF_UNIX)
        try:
            lock.bind(_NAME.format(uid))
        except OSError:
            lock.close()
            continue
        if _is_free(uid):
            return uid, lock
        lock.close()
    raise NoUidError(errno.EAGAIN, f"all {len(ids)} user ids from {ids.start} on are taken")


def _is_free(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return True
    return False


class CgroupFreezer:
    """For a bot at level `strict`. A bot whose group is gone has ended; then nothing happens.

    A thread that waits for a processor at that moment gets it once more, to stop itself: it computes nothing with it.
    """

    is_whole = True

    def __init__(self, group: Cgroup) -> None:
        self._group = group

    def freeze(self) -> None:
        """Freeze the group."""
        with suppress(OSError):
            self._group.freeze()

    def thaw(self) -> None:
        """Thaw the group."""
        with suppress(OSError):
            self._group.thaw()
