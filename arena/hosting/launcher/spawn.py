"""Starts the process of a bot with its directory, limits and sandbox. The caller has one thread."""

from __future__ import annotations

import base64
import os
import resource
import signal
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack

from arena.hosting.cgroups.cgroup import Cgroup
from arena.hosting.cgroups.holder import GroupHolder
from arena.hosting.launcher.cgroup_freezer import CgroupFreezer
from arena.hosting.launcher.confine import confine
from arena.hosting.launcher.launched_bot import LaunchedBot
from arena.hosting.launcher.request import Confinement, StartRequest
from arena.hosting.launcher.uids import take_uid
from arena.hosting.prctl import die_with_parent
from arena.hosting.removal import remove_tree


def spawn(key: int, request: StartRequest, launcher: int, groups: GroupHolder) -> LaunchedBot:
    """Start the requested process; `launcher` is the process id of the caller, `groups` makes its group if it gets one.

    Raises OSError, ValueError, SubprocessError; nothing is left behind then.
    """
    os.stat(request.directory)  # noqa: PTH116 - pathlib would double the start-up
    confinement = request.confinement
    with ExitStack() as on_failure, ExitStack() as inherited:
        uid = lock = status = group = None
        if confinement is not None and confinement.own_uid:
            uid, lock = take_uid()
            on_failure.callback(lock.close)
            _give(request.writable, uid)
        if confinement is not None and confinement.group is not None:
            group = groups.make(key, confinement.group)
            on_failure.callback(group.remove)
        on_failure.callback(remove_tree, request.scratch)
        _make_scratch(request.scratch)
        words, passed = {"{uid}": str(uid)}, []
        if confinement is not None and confinement.wrapper:
            status, write_end = os.pipe()
            on_failure.callback(os.close, status)
            inherited.callback(os.close, write_end)
            seccomp = _feed(base64.b64decode(confinement.seccomp))
            inherited.callback(os.close, seccomp)
            words |= {"{seccomp}": str(seccomp), "{status}": str(write_end)}
            passed = [seccomp, write_end]
        wrapper = [words.get(word, word) for word in confinement.wrapper] if confinement else []
        bot = LaunchedBot(key, request, _run(request, [*wrapper, *request.argv], passed, launcher, group))
        on_failure.pop_all()
    bot.status_pipe, bot.uid, bot.uid_lock, bot.group = status, uid, lock, group
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
    request: StartRequest, argv: Sequence[str], passed_descriptors: Sequence[int], launcher: int, group: Cgroup | None
) -> subprocess.Popen[bytes]:
    def prepare() -> None:
        """Run in the new process before its program: die with the launcher, even if it has died just now."""
        die_with_parent(signal.SIGKILL)
        if os.getppid() != launcher:
            os._exit(1)
        if group is not None:
            group.enter()  # first of all, so that nothing it does is outside
        if request.confinement is not None:
            _confine_this_process(request.confinement)

    return subprocess.Popen(
        argv,
        cwd=request.scratch or request.directory,
        env=request.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
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
